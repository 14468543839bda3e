import Foundation

/// What is secret in an address, or in the addresses that a text holds: a header, a body.
package enum AddressSecrets {
    enum Piece {
        case plain(String)
        /// A value that is secret, by the name it stands under.
        case secret(String)
    }

    /// The text with the values of secret items of queries and fragments taken out, of secret parameters of paths, and
    /// the credentials before a host.
    ///
    /// - Parameter isAddress: whether the text is an address and nothing else, so that no blank, quote or bracket ends
    ///   what is secret in it.
    package static func redacted(_ text: String, _ names: SecretNames, isAddress: Bool = false) -> String {
        var redacted = ""
        for piece in pieces(of: text, names, isAddress: isAddress) {
            switch piece {
            case .plain(let text): redacted += text
            case .secret: redacted += SecretNames.replacement
            }
        }
        return redacted
    }

    /// What ``redacted(_:_:isAddress:)`` takes out, and what is left.
    static func pieces(of text: String, _ names: SecretNames, isAddress: Bool) -> [Piece] {
        let ends: ByteSet = isAddress ? "" : "\\ \t\r\n\"'<>"
        // Among them the backslash that an escape of JSON begins with.
        let nameEnds = ends.union("=?&#;\\")
        let valueEnds = ends.union(isAddress ? "&#" : "&#,;")
        let parameterEnds = ends.union("/?;&#")
        let authorityEnds = ends.union(.authorityEnds)
        let nameStarts: ByteSet = "?&#;"
        let bytes = Array(text.utf8)
        var pieces: [Piece] = []
        var (start, index) = (0, 0)
        var isPath = isAddress
        func take(_ name: String, _ value: Range<Int>) {
            pieces.append(.plain(String(decoding: bytes[start..<value.lowerBound], as: UTF8.self)))
            pieces.append(.secret(name))
            (start, index) = (value.upperBound, value.upperBound)
        }
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if ByteSet.pathEnds.contains(byte) { isPath = false }
            // The semicolon is that of `&amp;` in XML, or begins a parameter of a path.
            if nameStarts.contains(byte) || byte == UInt8(ascii: "6") && bytes[..<index].ends(with: #"\u0026"#) {
                let name = bytes[index...].prefix { !nameEnds.contains($0) }
                let rest = bytes[name.endIndex...]
                guard let sign = ["=", #"\u003d"#].first(where: { rest.starts(with: $0.utf8) }) else { continue }
                let plain = decoded(name)
                guard names.isSecret(plain) else { continue }
                let value = rest.dropFirst(sign.utf8.count)
                let isParameter = isPath && byte == UInt8(ascii: ";")
                let end = value.firstIndex(where: (isParameter ? parameterEnds : valueEnds).contains) ?? bytes.count
                take(plain, value.startIndex..<end)
            } else if byte == UInt8(ascii: "/"), Self.isBeforeAuthority(bytes[..<index]) {
                let authority = bytes[index...].prefix { !authorityEnds.contains($0) }
                if let at = authority.lastIndex(of: UInt8(ascii: "@")) { take("credentials", index..<at) }
            }
        }
        pieces.append(.plain(String(decoding: bytes[start...], as: UTF8.self)))
        return pieces
    }

    /// Whether what follows is an authority, also of an address without a scheme (RFC 3986 section 4.2).
    private static func isBeforeAuthority(_ text: ArraySlice<UInt8>) -> Bool {
        text.ends(with: "://") || text.ends(with: #":\/\/"#) || text.elementsEqual("//".utf8)
    }

    private static func decoded(_ name: ArraySlice<UInt8>) -> String {
        let name = String(decoding: name, as: UTF8.self)
        return name.removingPercentEncoding ?? name
    }
}

extension ArraySlice<UInt8> {
    fileprivate func ends(with text: String) -> Bool {
        suffix(text.utf8.count).starts(with: text.utf8)
    }
}
