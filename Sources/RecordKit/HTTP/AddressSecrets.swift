import Foundation

/// What is secret in an address, or in the addresses that a text holds: a header, a body.
package enum AddressSecrets {
    /// The text with the values of secret items of queries and fragments taken out, and the credentials before a host.
    ///
    /// - Parameter isAddress: whether the text is an address and nothing else, so that no blank, quote or bracket ends
    ///   what is secret in it.
    package static func redacted(_ text: String, _ names: SecretNames, isAddress: Bool = false) -> String {
        let ends: ByteSet = isAddress ? "" : "\\ \t\r\n\"'<>"
        let nameEnds = ends.union("=?&#;")
        let valueEnds = ends.union(isAddress ? "&#" : "&#,;")
        let authorityEnds = ends.union(.authorityEnds)
        let nameStarts: ByteSet = "?&#;"
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            result.append(byte)
            index += 1
            // The semicolon is that of `&amp;` in XML, or begins a parameter of a path.
            if nameStarts.contains(byte) || byte == UInt8(ascii: "6") && result.ends(with: #"\u0026"#) {
                let name = bytes[index...].prefix { !nameEnds.contains($0) }
                let rest = bytes[name.endIndex...]
                guard let sign = ["=", #"\u003d"#].first(where: { rest.starts(with: $0.utf8) }),
                    names.isSecret(decoded(name))
                else { continue }
                result += name + "\(sign)\(SecretNames.replacement)".utf8
                let value = rest.dropFirst(sign.utf8.count)
                index = value.firstIndex(where: valueEnds.contains) ?? bytes.count
            } else if byte == UInt8(ascii: "/"), Self.isBeforeAuthority(result) {
                let authority = bytes[index...].prefix { !authorityEnds.contains($0) }
                guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { continue }
                result += SecretNames.replacement.utf8
                index = at
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Whether what follows is an authority, also of an address without a scheme (RFC 3986 section 4.2).
    private static func isBeforeAuthority(_ text: [UInt8]) -> Bool {
        text.ends(with: "://") || text.ends(with: #":\/\/"#) || text.elementsEqual("//".utf8)
    }

    private static func decoded(_ name: ArraySlice<UInt8>) -> String {
        let name = String(decoding: name, as: UTF8.self)
        return name.removingPercentEncoding ?? name
    }
}

extension [UInt8] {
    fileprivate func ends(with text: String) -> Bool {
        suffix(text.utf8.count).starts(with: text.utf8)
    }
}
