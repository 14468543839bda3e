import Foundation

/// What is secret in the addresses that a text holds: a header, a body.
package enum AddressSecrets {
    /// The text with the values of secret items of queries and fragments taken out, and the credentials before a host.
    package static func redacted(_ text: String, _ names: SecretNames) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            result.append(byte)
            index += 1
            if "?&#".utf8.contains(byte) || byte == UInt8(ascii: "6") && result.ends(with: #"\u0026"#) {
                let name = bytes[index...].prefix { !"=?&#\\ \t\r\n\"'<>".utf8.contains($0) }
                guard name.endIndex < bytes.count, bytes[name.endIndex] == UInt8(ascii: "="),
                    names.isSecret(decoded(name))
                else { continue }
                result += name + "=\(SecretNames.replacement)".utf8
                let value = bytes[(name.endIndex + 1)...]
                index = value.firstIndex { "&#\\,; \t\r\n\"'<>".utf8.contains($0) } ?? bytes.count
            } else if byte == UInt8(ascii: "/"), result.ends(with: "://") || result.ends(with: #":\/\/"#) {
                let end = bytes[index...].firstIndex { "/@?#\\ \t\r\n\"'<>".utf8.contains($0) }
                guard let end, bytes[end] == UInt8(ascii: "@") else { continue }
                result += SecretNames.replacement.utf8
                index = end
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func decoded(_ name: ArraySlice<UInt8>) -> String {
        let name = String(decoding: name, as: UTF8.self)
        return name.removingPercentEncoding ?? name
    }
}

extension [UInt8] {
    fileprivate func ends(with text: String) -> Bool {
        suffix(text.utf8.count).elementsEqual(text.utf8)
    }
}
