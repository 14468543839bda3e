package import Foundation

/// A part of a body: bytes that may be printed, or the name of a secret that stands there.
package enum BodyPiece: Equatable {
    case plain(Data)
    case secret(name: String)

    /// A place in a body that holds a secret, counted from its first byte.
    struct Secret {
        var range: Range<Int>
        var name: String
    }

    /// The pieces of a body, by its media type; nil for a type in which secrets cannot be told.
    ///
    /// - Parameter isSecret: asked with names in lower case.
    package static func pieces(of body: Data, _ type: MediaType?, isSecret: @escaping (String) -> Bool) -> [BodyPiece]?
    {
        guard let secrets = secrets(in: body, type, isSecret) else { return nil }
        var pieces: [BodyPiece] = []
        var end = 0
        for secret in secrets.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            if secret.range.lowerBound >= end {
                pieces.append(.plain(body.dropFirst(end).prefix(secret.range.lowerBound - end)))
                pieces.append(.secret(name: secret.name))
            }
            // One that begins within another may end behind it.
            end = max(end, secret.range.upperBound)
        }
        pieces.append(.plain(body.dropFirst(end)))
        return pieces.filter { $0 != .plain(Data()) }
    }

    static func secrets(
        in body: Data, _ type: MediaType?, _ isSecret: @escaping (String) -> Bool
    ) -> [Secret]? {
        guard let type else { return nil }
        if type.isJSON { return JSONSecrets(body, isSecret).found }
        if type.isXML { return XMLSecrets(body, isSecret).found }
        if type.essence == "application/x-www-form-urlencoded" { return FormSecrets.found(in: body, isSecret) }
        if type.type == "multipart", let boundary = type.parameters["boundary"], !boundary.isEmpty {
            return MultipartSecrets.found(in: body, boundary, isSecret)
        }
        if type.type == "text", type.subtype != "html" {
            return JSONSecrets(body, isSecret).found + AssignmentSecrets.found(in: body, isSecret)
        }
        return nil
    }
}
