import Foundation

/// Where a request's path is joined to: checked as text, since Foundation repairs some mistakes and traps on others.
enum BaseURL {
    /// A slash between the two, once; neither loses one at its outer end.
    static func join(_ base: String, _ path: String) -> String {
        if path.isEmpty { return base }
        switch (base.utf8.last == UInt8(ascii: "/"), path.utf8.first == UInt8(ascii: "/")) {
        case (true, true): return base + path.dropFirst()
        case (false, false): return base.isEmpty ? path : base + "/" + path
        default: return base + path
        }
    }

    static func isAbsolute(_ text: String) -> Bool {
        schemeEnd(text) != nil
    }

    /// Why the text cannot be a base URL; nil when it can.
    static func problem(_ text: String) -> String? {
        func because(_ reason: String) -> String { "\(quoted(text)) \(reason)" }
        guard let schemeEnd = schemeEnd(text) else { return because("is not absolute: no http:// or https://") }
        let scheme = text[..<schemeEnd].lowercased()
        guard scheme == "https" || scheme == "http" else {
            return because("has a scheme that is neither http nor https")
        }
        let rest = text[schemeEnd...].dropFirst(3)
        let authorityEnd = rest.utf8.firstIndex(where: ByteSet.authorityEnds.contains) ?? rest.endIndex
        let authority = rest[..<authorityEnd]
        if authority.utf8.contains(UInt8(ascii: "@")) { return "it holds credentials; they belong in a header" }
        guard let reason = problem(ofAuthority: authority) ?? problem(ofPath: rest[authorityEnd...]) else { return nil }
        // A password with a slash in it ends the authority early, and the reason would quote its beginning as a port.
        let hidesReason = text.utf8.contains(UInt8(ascii: "@"))
        return because("is no base URL: \(hidesReason ? "check what stands before the @" : reason)")
    }

    /// The text, which is no base URL, without the sensitive items of its query, and without what stands before an @: however
    /// the address is mistyped, that may be a password.
    static func redacted(_ text: String) -> String {
        let shown = text.utf8.lastIndex(of: UInt8(ascii: "@")).map { "…\(text[$0...])" } ?? text
        return shown.redactedAddress()
    }

    /// The beginning of such a text as a message shows it.
    static func quoted(_ text: String) -> String {
        "\"\(redacted(text).prefix(200))\""
    }

    /// Where `://` is.
    private static func schemeEnd(_ text: String) -> String.Index? {
        var colon: String.Index?
        var slashes = 0
        for index in text.utf8.indices {
            switch text.utf8[index] {
            case UInt8(ascii: ":"): (colon, slashes) = (index, 0)
            case UInt8(ascii: "/") where colon != nil: slashes += 1
            default: colon = nil
            }
            if slashes == 2 { return colon }
        }
        return nil
    }

    /// Why the text cannot be a path; nil when it can.
    static func problem(ofPath path: Substring) -> String? {
        if ByteSet.pathEnds.containsAny(of: String(path)) {
            return "it holds a query or a fragment; a query goes into `query`"
        }
        // Foundation encodes such characters, and then every percent sign of the whole address once more.
        var encoded = ""
        PercentEncoding.append(keepingEscapes: path, to: &encoded, allowed: .path)
        if encoded.utf8.count != path.utf8.count { return "it holds characters that have to be percent-encoded" }
        if RequestPath.hasDotSegment(path) { return "it has a segment \".\" or \"..\"" }
        return nil
    }

    private static func problem(ofAuthority authority: Substring) -> String? {
        var host = authority
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return "the brackets of its address are not closed" }
            host = authority[...end]
            // An address, and perhaps a zone behind %25 (RFC 6874).
            let address = host.dropFirst().dropLast()
            let zone = address.utf8.firstIndex(of: UInt8(ascii: "%")) ?? address.endIndex
            let isAddress =
                address[..<zone].utf8.contains(UInt8(ascii: ":"))
                && addressBytes.containsAll(of: address[..<zone]) && zoneBytes.containsAll(of: address[zone...])
            if !isAddress { return "\(host) is no IPv6 address" }
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
        }
        if host.isEmpty { return "it has no host" }
        if host.first != "[", !hostBytes.containsAll(of: host) { return "\"\(host)\" is no host" }
        let port = authority[host.endIndex...]
        if port.isEmpty { return nil }
        let digits = port.dropFirst()
        guard port.first == ":", let number = digits.number(), number >= 1, number <= 65_535 else {
            return "\"\(digits)\" is no port, which is a number from 1 to 65535"
        }
        return nil
    }

    private static let addressBytes = ByteSet.hexadecimal.union(":.")
    private static let zoneBytes = ByteSet.unreserved.union("%")
    private static let hostBytes = ByteSet.unreserved.union(.nonASCII)
}
