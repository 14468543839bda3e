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
    /// - Parameters:
    ///   - isAddress: whether the text is an address and nothing else, so that no blank, quote or bracket ends what is
    ///     secret in it.
    ///   - isCut: whether it is the beginning of a longer one, so that the end of its last credentials may be missing.
    package static func redacted(
        _ text: String, _ names: SecretNames, isAddress: Bool = false, isCut: Bool = false
    ) -> String {
        var redacted = ""
        for piece in pieces(of: text, names, isAddress: isAddress, isCut: isCut) {
            switch piece {
            case .plain(let text): redacted += text
            case .secret: redacted += SecretNames.replacement
            }
        }
        return redacted
    }

    /// What ``redacted(_:_:isAddress:isCut:)`` takes out, and what is left.
    ///
    /// - Parameter depth: in how many values of other addresses this one stands.
    static func pieces(
        of text: String, _ names: SecretNames, isAddress: Bool, isCut: Bool = false, depth: Int = 0
    ) -> [Piece] {
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
        // Of the last value that was searched for addresses, and those within it with it.
        var searched = 0
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
                let plain = PercentEncoding.decoded(name)
                let isSecret = names.isSecret(plain)
                if !isSecret, index <= searched { continue }
                let value = rest.dropFirst(sign.utf8.count)
                let isParameter = isPath && byte == UInt8(ascii: ";")
                let end = value.firstIndex(where: (isParameter ? parameterEnds : valueEnds).contains) ?? bytes.count
                if isSecret
                    || depth < 3 && value[..<end].contains(UInt8(ascii: "%"))
                        && holdsSecret(
                            PercentEncoding.decoded(value[..<end]), names, isCut: isCut && end == bytes.count,
                            depth: depth + 1)
                {
                    take(plain, value.startIndex..<end)
                }
                searched = end
            } else if byte == UInt8(ascii: "/"), Self.isBeforeAuthority(bytes[..<index]) {
                let authority = bytes[index...].prefix { !authorityEnds.contains($0) }
                if isCut, !authority.isEmpty, authority.endIndex == bytes.count {
                    take("credentials", index..<bytes.count)
                } else if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
                    take("credentials", index..<at)
                }
            }
        }
        pieces.append(.plain(String(decoding: bytes[start...], as: UTF8.self)))
        return pieces
    }

    /// Whether a value is an address, another query or JSON with something secret in it; encoded up to three times more.
    ///
    /// - Parameter isCut: as in ``redacted(_:_:isAddress:isCut:)``.
    static func holdsSecret(_ value: String, _ names: SecretNames, isCut: Bool = false, depth: Int = 0) -> Bool {
        if !JSONSecrets(Array(value.utf8), names).found.isEmpty { return true }
        let isAddress =
            !value.utf8.contains(UInt8(ascii: " ")) || value.hasPrefix("https://") || value.hasPrefix("http://")
        let pieces = pieces(of: value, names, isAddress: isAddress, isCut: isCut, depth: depth)
        if pieces.contains(where: { if case .secret = $0 { true } else { false } }) { return true }
        guard depth < 3, value.utf8.contains(UInt8(ascii: "%")) else { return false }
        return holdsSecret(PercentEncoding.decoded(Array(value.utf8)[...]), names, isCut: isCut, depth: depth + 1)
    }

    /// Whether what follows is an authority, also of an address without a scheme (RFC 3986 section 4.2).
    private static func isBeforeAuthority(_ text: ArraySlice<UInt8>) -> Bool {
        text.ends(with: "://") || text.ends(with: #":\/\/"#) || text.elementsEqual("//".utf8)
    }
}

extension ArraySlice<UInt8> {
    fileprivate func ends(with text: String) -> Bool {
        suffix(text.utf8.count).starts(with: text.utf8)
    }
}
