public import Foundation

extension URL {
    /// Returns the URL with sensitive values replaced by `redacted`.
    ///
    /// Redacts the credentials before the host, sensitive query items, and sensitive fields in the fragment.
    ///
    /// - Parameter sensitiveNames: The names that are sensitive in addition to the well-known ones.
    public func redacted(_ sensitiveNames: Set<String> = []) -> String {
        absoluteString.redactedAddress(sensitiveNames)
    }
}

extension String {
    /// Returns a URL with sensitive values redacted. The URL needn't be valid.
    func redactedAddress(_ sensitiveNames: Set<String> = []) -> String {
        if holdsData { return "\(prefix { $0 != ":" }):\(SensitiveNames.replacement)" }
        // Most URLs have neither a query nor credentials.
        guard Self.marks.containsAny(of: self) else { return self }
        let bytes = Array(utf8)
        let pathEnd = bytes.firstIndex(where: ByteSet.pathEnds.contains) ?? bytes.count
        var redacted = Self.withoutCredentials(bytes[..<pathEnd])
        let names = SensitiveNames(sensitiveNames)
        // The fragment begins at the first `#`, and may contain others.
        for (index, part) in bytes[pathEnd...].split(
            separator: UInt8(ascii: "#"), maxSplits: 1, omittingEmptySubsequences: false
        ).enumerated() {
            if index > 0 { redacted.append(UInt8(ascii: "#")) }
            redacted += Self.withoutSensitiveFields(part, names)
        }
        return String(decoding: redacted, as: UTF8.self)
    }

    /// Returns the value of a header field with redacted URLs.
    ///
    /// A URL may be the whole value, end with `>` as in `Link` (RFC 8288 section 3), or follow other characters, as in
    /// `5; url=/next?token=`. After a sensitive name, everything up to `&` or `>` is redacted.
    func redactedAddresses(_ sensitiveNames: Set<String>) -> String {
        if !Self.marks.containsAny(of: self), !holdsData { return self }
        return components(separatedBy: ">").map { $0.redactedAddress(sensitiveNames) }.joined(separator: ">")
    }

    /// The characters without which a URL contains nothing to redact, except for data.
    private static let marks: ByteSet = "?#@"

    /// Whether the URL consists of data or of a script.
    private var holdsData: Bool {
        ["data:", "javascript:"].contains { prefix($0.count).lowercased() == $0 }
    }

    /// Redacts the credentials before the host, in a URL without query and fragment.
    private static func withoutCredentials(_ address: ArraySlice<UInt8>) -> [UInt8] {
        let start: Int
        if address.starts(with: "//".utf8) {
            start = address.startIndex + 2
        } else if let colon = address.indices.first(where: { address[$0...].starts(with: "://".utf8) }) {
            start = colon + 3
        } else {
            return Array(address)
        }
        let authority = address[start...].prefix { $0 != UInt8(ascii: "/") }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")), at > start else { return Array(address) }
        return address[..<start] + Array(SensitiveNames.replacement.utf8) + address[at...]
    }

    /// Redacts the values of sensitive fields in a query, with or without a leading question mark.
    private static func withoutSensitiveFields(_ query: ArraySlice<UInt8>, _ names: SensitiveNames) -> [UInt8] {
        var redacted: [UInt8] = []
        var rest = query
        if rest.first == UInt8(ascii: "?") { redacted.append(rest.removeFirst()) }
        for (index, field) in rest.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).enumerated() {
            if index > 0 { redacted.append(UInt8(ascii: "&")) }
            if let equals = field.firstIndex(of: UInt8(ascii: "=")), equals + 1 < field.endIndex,
                names.isSensitive(
                    PercentEncoding.decoded(field[..<equals]),
                    queryValue: PercentEncoding.decoded(field[(equals + 1)...]))
            {
                redacted += field[...equals] + Array(SensitiveNames.replacement.utf8)
            } else {
                redacted += field
            }
        }
        return redacted
    }
}
