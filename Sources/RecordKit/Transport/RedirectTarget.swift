import Foundation

/// Where a `Location` leads (RFC 9110 section 10.2.2). Foundation's own following gets it wrong on Linux.
enum RedirectTarget {
    /// The address, without credentials and fragment; nil when it is no http or https address.
    static func resolve(_ location: String, against base: URL) -> URL? {
        guard !location.isEmpty, let url = URL(string: location, relativeTo: base)?.absoluteURL,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = parts.encodedHost?.lowercased(), !host.isEmpty, !host.contains("%"),
            parts.rangeOfPort == nil || (1...65_535).contains(parts.port ?? 0)
        else { return nil }
        parts.scheme = scheme
        parts.encodedHost = host
        parts.user = nil
        parts.password = nil
        parts.fragment = nil
        return parts.url
    }

    /// What may be printed of one that cannot be read: neither credentials nor a query.
    static func printable(_ location: String) -> String {
        let text = location.prefix { $0 != "?" && $0 != "#" }.prefix(200)
        guard let at = text.lastIndex(of: "@") else { return String(text) }
        return "\(SecretNames.replacement)\(text[at...])"
    }
}
