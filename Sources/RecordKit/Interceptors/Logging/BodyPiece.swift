package import Foundation

/// A part of a body: bytes that may be printed, or a secret that stands there, by its name.
package enum BodyPiece {
    case plain(Data)
    case secret(name: String, value: Data)

    /// The pieces of a body, by its media type; nil for a type in which secrets cannot be told.
    ///
    /// - Parameter names: secret beside the well-known ones, in lower case.
    static func pieces(of body: Data, _ type: MediaType?, secret names: Set<String>) -> [BodyPiece]? {
        let bytes = Array(body)
        return secrets(in: bytes, type, SecretNames(names)).map { pieces(of: bytes, $0) }
    }

    /// The pieces of a body of any type: where the type does not tell secrets, those of a text, and none in what is no
    /// text.
    package static func searchedPieces(of body: Data, _ type: MediaType?, secret names: Set<String>) -> [BodyPiece] {
        let bytes = Array(body)
        return pieces(of: bytes, searchedSecrets(in: bytes, type, SecretNames(names)))
    }

    private static func pieces(of bytes: [UInt8], _ secrets: [SecretPlace]) -> [BodyPiece] {
        var pieces: [BodyPiece] = []
        var end = 0
        for secret in secrets {
            let start = secret.range.lowerBound
            if start >= end {
                if start > end { pieces.append(.plain(Data(bytes[end..<start]))) }
                pieces.append(.secret(name: secret.name, value: Data(bytes[secret.range])))
            }
            // One that begins within another may end behind it.
            end = max(end, secret.range.upperBound)
        }
        if end < bytes.count { pieces.append(.plain(Data(bytes[end...]))) }
        return pieces
    }

    /// In the order in which they begin.
    ///
    /// - Parameter depth: in how many multipart bodies this one lies.
    static func secrets(
        in body: [UInt8], _ type: MediaType?, _ names: SecretNames, depth: Int = 0
    ) -> [SecretPlace]? {
        guard let type, !isWide(body, type) else { return nil }
        if type.isJSON { return JSONSecrets(body, names).found }
        if type.isXML { return XMLSecrets(body, names).found }
        if type.essence == "application/x-www-form-urlencoded" { return FormSecrets.found(in: body, names) }
        if type.type == "multipart", let boundary = type.parameters["boundary"], !boundary.isEmpty {
            return MultipartSecrets.found(in: body, boundary, names, depth: depth)
        }
        if type.type == "text", type.subtype != "html" {
            return merged(JSONSecrets(body, names).found, AssignmentSecrets.found(in: body, names))
        }
        return nil
    }

    /// Whether it is a text whose letters are no single bytes: UTF-16 or UTF-32, as its charset, its byte-order mark or
    /// the zeros of its first letters say.
    private static func isWide(_ body: [UInt8], _ type: MediaType) -> Bool {
        guard !body.isEmpty, type.isText else { return false }
        let charset = type.parameters["charset"]?.lowercased() ?? ""
        return ["utf-16", "utf16", "utf-32", "utf32", "ucs-2", "iso-10646"].contains { charset.hasPrefix($0) }
            || body.prefix(4).count { $0 == 0 } > 1 || body.starts(with: [0xFF, 0xFE])
            || body.starts(with: [0xFE, 0xFF])
    }

    /// The same; where the type does not tell, those of a text, and none in what is no text.
    static func searchedSecrets(
        in body: [UInt8], _ type: MediaType?, _ names: SecretNames, depth: Int = 0
    ) -> [SecretPlace] {
        if let secrets = secrets(in: body, type, names, depth: depth) { return secrets }
        // Nothing can be found in it, and so all of it may be secret.
        if let type, isWide(body, type) { return [SecretPlace(range: body.indices, name: "body")] }
        if String(validating: body, as: UTF8.self) == nil { return [] }
        return secrets(in: body, MediaType("text/plain"), names) ?? []
    }

    private static func merged(_ some: [SecretPlace], _ others: [SecretPlace]) -> [SecretPlace] {
        var merged: [SecretPlace] = []
        var index = 0
        for secret in some {
            while index < others.count, others[index].range.lowerBound < secret.range.lowerBound {
                merged.append(others[index])
                index += 1
            }
            merged.append(secret)
        }
        return merged + others[index...]
    }
}
