import Foundation
import RecordKit

extension Redaction {
    /// Returns a multipart body in which the values of sensitive fields are redacted (RFC 7578 section 4). Returns it
    /// unchanged if it has no boundary.
    static func multipart(_ body: Data, _ type: MediaType, isSensitive: (String) -> Bool) -> Data {
        guard let boundary = type.parameters["boundary"], !boundary.isEmpty else { return body }
        let (delimiter, lineBreak) = (Data("--\(boundary)".utf8), Data("\r\n".utf8))
        var redacted = Data()
        // The end of what was copied, and the place to look for the next part.
        var (copied, start) = (body.startIndex, body.startIndex)
        while let begin = body.range(of: delimiter, in: start..<body.endIndex)?.upperBound {
            let end = body.range(of: lineBreak + delimiter, in: begin..<body.endIndex)?.lowerBound ?? body.endIndex
            start = end
            guard let headEnd = body.range(of: lineBreak + lineBreak, in: begin..<end) else { continue }
            if name(in: body[begin..<headEnd.lowerBound]).map(isSensitive) == true {
                redacted += body[copied..<headEnd.upperBound] + Data("redacted".utf8)
                copied = end
            }
        }
        return redacted + body[copied...]
    }

    /// Returns the name of the field whose part has this head.
    private static func name(in head: Data) -> String? {
        for line in String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n") {
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == "content-disposition" else {
                continue
            }
            let value = line[colon...].dropFirst().drop { $0 == " " || $0 == "\t" }
            // The parameters are written like those of a media type.
            return MediaType("multipart/\(value)")?.parameters["name"]
        }
        return nil
    }
}
