/// The parts of a multipart body that have a secret name, and what is secret within the others (RFC 7578).
enum MultipartSecrets {
    /// - Parameter depth: in how many others this one lies.
    static func found(
        in body: [UInt8], _ boundary: String, _ names: SecretNames, depth: Int
    ) -> [SecretPlace] {
        let delimiter = Array("--\(boundary)".utf8)
        var found: [SecretPlace] = []
        var start = body.range(of: delimiter, in: body.indices)?.upperBound
        while let part = start {
            let next = body.range(of: delimiter, in: part..<body.count)
            start = next?.upperBound
            let limit = next?.lowerBound ?? body.count
            guard let head = emptyLine(in: body, part..<limit) else { continue }
            // The line end before a delimiter belongs to that.
            let lineEnd = next == nil ? 0 : body[head.upperBound..<limit].suffix(2).elementsEqual("\r\n".utf8) ? 2 : 1
            let end = max(limit - lineEnd, head.upperBound)
            let content = head.upperBound..<end
            let headers = unfolded(String(decoding: body[part..<head.lowerBound], as: UTF8.self))
            if let name = name(headers), names.isSecret(name) {
                if !content.isEmpty { found.append(SecretPlace(range: content, name: name)) }
                continue
            }
            // A part that names no type is text (RFC 7578 section 4.4).
            let type = MediaType(value(of: "content-type", in: headers) ?? "text/plain")
            if type?.type == "multipart", depth == 4 {
                // Whoever sends more in one another shall not fill the stack.
                found.append(SecretPlace(range: content, name: "part"))
                continue
            }
            for secret in BodyPiece.searchedSecrets(in: Array(body[content]), type, names, depth: depth + 1) {
                let range = secret.range.lowerBound + content.lowerBound..<secret.range.upperBound + content.lowerBound
                found.append(SecretPlace(range: range, name: secret.name))
            }
        }
        return found
    }

    /// Some write line ends without a carriage return.
    private static func emptyLine(in body: [UInt8], _ range: Range<Int>) -> Range<Int>? {
        let found = ["\r\n\r\n", "\n\n"].compactMap { body.range(of: Array($0.utf8), in: range) }
        return found.min { $0.lowerBound < $1.lowerBound }
    }

    /// A line that begins with a blank goes on with the one before (RFC 5322 section 2.2.3).
    private static func unfolded(_ headers: String) -> String {
        ["\r\n ", "\r\n\t", "\n ", "\n\t"].reduce(headers) { $0.replacing($1, with: " ") }
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
