import Foundation

/// The values of a form's fields that have a secret name.
enum FormSecrets {
    static func found(in body: [UInt8], _ names: SecretNames) -> [BodyPiece.Secret] {
        var found: [BodyPiece.Secret] = []
        var start = 0
        for field in body.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            defer { start += field.count + 1 }
            let name = field.prefix { $0 != UInt8(ascii: "=") }
            let value = start + name.count + 1..<max(start + field.count, start + name.count + 1)
            let text = String(decoding: name, as: UTF8.self)
            let decoded = text.replacing("+", with: " ").removingPercentEncoding ?? text
            if !value.isEmpty, names.isSecret(decoded) {
                found.append(BodyPiece.Secret(range: value, name: decoded))
            }
        }
        return found
    }
}
