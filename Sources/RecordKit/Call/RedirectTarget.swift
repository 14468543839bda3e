import Foundation

/// Where a `Location` leads (RFC 9110 section 10.2.2). Foundation's own following gets it wrong on Linux.
enum RedirectTarget {
    /// The address, without credentials and fragment; nil when it is no http or https address.
    static func resolve(_ location: String, against base: URL) -> URL? {
        guard !location.isEmpty, let url = URL(string: encoded(location), relativeTo: base)?.absoluteURL,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = parts.encodedHost?.lowercased(), !host.isEmpty, host != "[]", !host.contains("%"),
            parts.rangeOfPort == nil || (1...65_535).contains(parts.port ?? 0)
        else { return nil }
        parts.scheme = scheme
        parts.encodedHost = host
        parts.user = nil
        parts.password = nil
        parts.fragment = nil
        return parts.url
    }

    /// With all encoded that neither a path nor a query may hold: Foundation does that too, and then encodes every
    /// percent sign of the whole address once more.
    private static func encoded(_ location: String) -> String {
        var start = location.utf8.firstIndex(where: ByteSet.authorityEnds.contains) ?? location.endIndex
        let hasAuthority = start == location.startIndex || location[..<start].utf8.last == UInt8(ascii: ":")
        if hasAuthority, location[start...].hasPrefix("//") {
            // A host is not percent-encoded.
            let authority = location.utf8[start...].dropFirst(2)
            start = authority.firstIndex(where: ByteSet.authorityEnds.contains) ?? location.endIndex
        }
        let fragment = location.utf8[start...].firstIndex(of: UInt8(ascii: "#")) ?? location.endIndex
        var text = String(location[..<start])
        PercentEncoding.append(keepingEscapes: location[start..<fragment], to: &text, allowed: .query)
        return fragment == location.endIndex ? text : text + "#"
    }

    /// What may be printed of one that cannot be read: neither credentials nor a query, nor control characters.
    static func printable(_ location: String) -> String {
        let text = PlainText.printable(
            String(location.prefix { $0 != "?" && $0 != "#" }.prefix(200)), onOneLine: true)
        guard let at = text.lastIndex(of: "@") else { return text }
        return "\(SensitiveNames.replacement)\(text[at...])"
    }
}
