public import Foundation

/// The target of a `Location` field (RFC 9110 section 10.2.2).
///
/// Linux's URLSession (Swift 6.3.1) resolves some relative references incorrectly.
enum RedirectTarget {
    /// Returns the different values of `Location`. A response with several leads nowhere in particular.
    ///
    /// URLSession joins several lines. A URL contains no space, so one follows the comma only if another URL does.
    static func locations(in headers: HTTPHeaders) -> [String] {
        let locations = headers.values(for: "Location").flatMap { value in
            value.lines { rest in ["/", "http://", "https://"].contains(where: rest.hasPrefix) }.map { String($0) }
        }
        return locations.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Returns the URL without credentials and fragment. Returns `nil` if it isn't an http or https URL.
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

    /// Percent-encodes the characters that neither a path nor a query may contain.
    ///
    /// Foundation encodes them too, but then encodes every percent sign of the URL again.
    private static func encoded(_ location: String) -> String {
        var start = location.utf8.firstIndex(where: ByteSet.authorityEnds.contains) ?? location.endIndex
        let hasAuthority = start == location.startIndex || location[..<start].utf8.last == UInt8(ascii: ":")
        if hasAuthority, location[start...].hasPrefix("//") {
            // A host isn't percent-encoded.
            let authority = location.utf8[start...].dropFirst(2)
            start = authority.firstIndex(where: ByteSet.authorityEnds.contains) ?? location.endIndex
        }
        let fragment = location.utf8[start...].firstIndex(of: UInt8(ascii: "#")) ?? location.endIndex
        let target = PercentEncoding.encoded(keepingEscapes: location[start..<fragment], allowed: .query)
        let text = String(location[..<start]) + target
        return fragment == location.endIndex ? text : text + "#"
    }

    /// Returns a location for an error message, without credentials, query and control characters.
    ///
    /// Of a URL without a path, such as `data:`, only the scheme remains: the rest is data.
    static func printable(_ location: String) -> String {
        if let colon = location.firstIndex(of: ":"), !location[colon...].dropFirst().hasPrefix("/"),
            !location[..<colon].isEmpty,
            location[..<colon].allSatisfy({ $0.isLetter || $0.isNumber || "+-.".contains($0) })
        {
            return "\(location[..<colon].prefix(40)):\(SensitiveNames.replacement)"
        }
        let text = PlainText.printable(
            String(location.prefix { $0 != "?" && $0 != "#" }.prefix(200)), onOneLine: true)
        guard let at = text.lastIndex(of: "@") else { return text }
        return "\(SensitiveNames.replacement)\(text[at...])"
    }
}

extension NetworkCall {
    /// Returns the URL that a reference in a response of this call leads to (RFC 3986 section 5), such as that of the
    /// next page.
    ///
    /// A user and a password in the reference are left out.
    ///
    /// - Parameter reference: An absolute or relative URL.
    /// - Returns: The URL, or `nil` if it is not an http or https URL.
    public func resolved(_ reference: URL) -> URL? {
        RedirectTarget.resolve(reference.absoluteString, against: url)
    }
}
