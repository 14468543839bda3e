import Foundation
import RecordKit

/// A part of a multipart body that was sent (RFC 2046 section 5.1.1).
struct MultipartPart {
    /// The lines of its header fields.
    let head: String
    /// The place of its content in the body.
    let content: Range<Data.Index>

    /// Returns the parts of a body, or `nil` if its type has no boundary.
    static func all(in body: Data, _ type: MediaType?) -> [MultipartPart]? {
        guard let boundary = type?.parameters["boundary"], !boundary.isEmpty else { return nil }
        let (delimiter, lineBreak) = (Data("--\(boundary)".utf8), Data("\r\n".utf8))
        var parts: [MultipartPart] = []
        var start = body.startIndex
        while let begin = body.range(of: delimiter, in: start..<body.endIndex)?.upperBound {
            start = body.range(of: lineBreak + delimiter, in: begin..<body.endIndex)?.lowerBound ?? body.endIndex
            guard let headEnd = body.range(of: lineBreak + lineBreak, in: begin..<start) else { continue }
            let head = String(decoding: body[begin..<headEnd.lowerBound], as: UTF8.self)
            parts.append(MultipartPart(head: head, content: headEnd.upperBound..<start))
        }
        return parts
    }

    /// Returns the value of a header field, or `nil` if there is none.
    func field(_ name: String) -> String? {
        for line in head.components(separatedBy: "\r\n") {
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name else { continue }
            return line[colon...].dropFirst().trimmingCharacters(in: .whitespaces)
        }
        return nil
    }

    /// The name of the field that the part is (RFC 7578 section 4.2).
    var name: String? {
        // The parameters are written like those of a media type.
        field("content-disposition").flatMap { MediaType("multipart/\($0)")?.parameters["name"] }
    }
}
