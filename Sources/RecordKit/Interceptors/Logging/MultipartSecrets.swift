import Foundation

/// The parts of a multipart body that have a secret name, and what is secret within the others (RFC 7578).
enum MultipartSecrets {
    static func found(in bytes: [UInt8], _ boundary: String, _ names: SecretNames) -> [BodyPiece.Secret] {
        let body = Data(bytes)
        let delimiter = Data(text: "--\(boundary)")
        let emptyLine = Data(text: "\r\n\r\n")
        var found: [BodyPiece.Secret] = []
        var start = body.range(of: delimiter)?.upperBound
        while let part = start {
            let next = body.range(of: delimiter, in: part..<body.endIndex)
            start = next?.upperBound
            guard let head = body.range(of: emptyLine, in: part..<(next?.lowerBound ?? body.endIndex)) else { continue }
            // The line end before a delimiter belongs to that.
            let end = next.map { max($0.lowerBound - 2, head.upperBound) } ?? body.endIndex
            let content = head.upperBound..<end
            let headers = String(decoding: bytes[part..<head.lowerBound], as: UTF8.self)
            if let name = name(headers), names.isSecret(name) {
                if !content.isEmpty { found.append(BodyPiece.Secret(range: content, name: name)) }
                continue
            }
            // A part that names no type is text (RFC 7578 section 4.4).
            let type = MediaType(value(of: "content-type", in: headers) ?? "text/plain")
            for secret in BodyPiece.secrets(in: Array(bytes[content]), type, names) ?? [] {
                let range = secret.range.lowerBound + content.lowerBound..<secret.range.upperBound + content.lowerBound
                found.append(BodyPiece.Secret(range: range, name: secret.name))
            }
        }
        return found
    }

    private static func name(_ headers: String) -> String? {
        // What follows the kind of disposition has the form of a media type's parameters.
        value(of: "content-disposition", in: headers)
            .flatMap { MediaType("form/" + $0) }?.parameters["name"]
    }

    private static func value(of name: String, in headers: String) -> String? {
        for line in headers[...].parts(between: "\r\n") {
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name else { continue }
            return String(line[line.index(after: colon)...].trimmed)
        }
        return nil
    }
}
