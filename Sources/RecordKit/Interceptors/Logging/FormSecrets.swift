import Foundation

/// The values of a form's fields that have a secret name, or hold JSON or an address with a secret in it.
enum FormSecrets {
    static func found(in body: [UInt8], _ names: SecretNames) -> [BodyPiece.Secret] {
        var found: [BodyPiece.Secret] = []
        var start = 0
        for field in body.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            defer { start += field.count + 1 }
            let name = field.prefix { $0 != UInt8(ascii: "=") }
            let value = start + name.count + 1..<max(start + field.count, start + name.count + 1)
            if value.isEmpty { continue }
            let decoded = decoded(name)
            if names.isSecret(decoded) {
                found.append(BodyPiece.Secret(range: value, name: decoded))
                continue
            }
            let text = Self.decoded(body[value])
            if let secret = JSONSecrets(Array(text.utf8), names).found.first {
                found.append(BodyPiece.Secret(range: value, name: secret.name))
            } else if AddressSecrets.holdsSecret(text, names) {
                found.append(BodyPiece.Secret(range: value, name: decoded))
            }
        }
        return found
    }

    /// Also of a text that was cut within a byte's encoding.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let number = digits[...].number(radix: 16) {
                decoded.append(UInt8(number))
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}
