import Foundation
import Synchronization

/// The rules for base URLs.
///
/// A base URL is checked as a string, because Foundation repairs some invalid URLs and traps on others.
enum BaseURL {
    /// Joins a base URL and a path with exactly one slash. Keeps the slashes at both ends.
    static func join(_ base: String, _ path: String) -> String {
        if path.isEmpty { return base }
        switch (base.utf8.last == UInt8(ascii: "/"), path.utf8.first == UInt8(ascii: "/")) {
        case (true, true): return base + path.dropFirst()
        case (false, false):
            if base.isEmpty { return path }
            var joined = base
            joined.reserveCapacity(base.utf8.count + 1 + path.utf8.count)
            joined += "/"
            joined += path
            return joined
        default: return base + path
        }
    }

    static func isAbsolute(_ text: String) -> Bool {
        schemeEnd(text) != nil
    }

    /// Returns the reason why a string isn't a base URL, or `nil` if it is one.
    ///
    /// Remembers the last valid one, since most calls of an app have the same.
    static func invalidReason(_ text: String) -> String? {
        if lastValid.withLock({ $0 == text }) { return nil }
        let reason = newReason(text)
        if reason == nil { lastValid.withLock { $0 = text } }
        return reason
    }

    private static let lastValid = Mutex<String?>(nil)

    private static func newReason(_ text: String) -> String? {
        func because(_ reason: String) -> String { "\(quoted(text)) \(reason)" }
        guard let schemeEnd = schemeEnd(text) else {
            return because("is not absolute; begin it with http:// or https://")
        }
        let scheme = text[..<schemeEnd].lowercased()
        // A WebSocket has the scheme ws or wss. Other calls are refused before they are sent.
        guard ["https", "http", "ws", "wss"].contains(scheme) else {
            return because("has a scheme that is neither http nor https")
        }
        let rest = text[schemeEnd...].dropFirst(3)
        let authorityEnd = rest.utf8.firstIndex(where: ByteSet.authorityEnds.contains) ?? rest.endIndex
        let authority = rest[..<authorityEnd]
        if authority.utf8.contains(UInt8(ascii: "@")) { return "it contains credentials; send them in a header field" }
        guard let reason = invalidReason(ofAuthority: authority) ?? invalidReason(ofPath: rest[authorityEnd...]) else {
            return nil
        }
        // A slash in a password ends the authority early. The reason would quote the start of the password as a port.
        let hidesReason = text.utf8.contains(UInt8(ascii: "@"))
        return because("is not a valid base URL: \(hidesReason ? "check the part before the @" : reason)")
    }

    /// Returns an invalid base URL without sensitive query items, and without everything before an `@`.
    ///
    /// In a mistyped URL, that part may be a password.
    static func redacted(_ text: String) -> String {
        let shown = text.utf8.lastIndex(of: UInt8(ascii: "@")).map { "…\(text[$0...])" } ?? text
        return shown.redactedAddress()
    }

    /// Returns the start of an invalid base URL, quoted for an error message.
    static func quoted(_ text: String) -> String {
        "\"\(redacted(text).prefix(200))\""
    }

    /// Returns the index of `://`.
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

    /// Returns the reason why a string isn't a path, or `nil` if it is one.
    static func invalidReason(ofPath path: Substring) -> String? {
        // Most paths contain nothing that has to be checked.
        if plain.containsAll(of: path) { return nil }
        if ByteSet.pathEnds.containsAny(of: String(path)) {
            return "it contains a query or a fragment; put a query in `query`"
        }
        // Foundation would encode these characters, and then every percent sign of the URL again.
        let encoded = PercentEncoding.encoded(keepingEscapes: path, allowed: .path)
        if encoded.utf8.count != path.utf8.count { return "it contains characters that must be percent-encoded" }
        if RequestPath.hasDotSegment(path) { return "it has a segment \".\" or \"..\"" }
        return nil
    }

    private static func invalidReason(ofAuthority authority: Substring) -> String? {
        var host = authority
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return "the brackets of its address are not closed" }
            host = authority[...end]
            // An IPv6 address, optionally with a zone after `%25` (RFC 6874).
            let address = host.dropFirst().dropLast()
            let zone = address.utf8.firstIndex(of: UInt8(ascii: "%")) ?? address.endIndex
            let isAddress =
                address[..<zone].utf8.contains(UInt8(ascii: ":"))
                && addressBytes.containsAll(of: address[..<zone]) && zoneBytes.containsAll(of: address[zone...])
            if !isAddress { return "\(host) is not an IPv6 address" }
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
        }
        if host.isEmpty { return "it has no host" }
        if host.first != "[", !hostBytes.containsAll(of: host) { return "\"\(host)\" is not a host" }
        let port = authority[host.endIndex...]
        if port.isEmpty { return nil }
        let digits = port.dropFirst()
        guard port.first == ":", let number = digits.number(), number >= 1, number <= 65_535 else {
            return "\"\(digits)\" is not a port, which is a number from 1 to 65535"
        }
        return nil
    }

    private static let plain = ByteSet.alphanumerics.union("-_~/")
    private static let addressBytes = ByteSet.hexadecimal.union(":.")
    private static let zoneBytes = ByteSet.unreserved.union("%")
    private static let hostBytes = ByteSet.unreserved.union(.nonASCII)
}
