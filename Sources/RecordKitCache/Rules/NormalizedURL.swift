public import Foundation

/// A URL in the form that all its spellings share (RFC 9110 section 4.2.3, RFC 3986 section 6.2.2).
///
/// It has no fragment, no default port, scheme and host in lowercase, a path, and no escapes that aren't needed.
public struct NormalizedURL: Hashable, Sendable {
    /// The URL as a string. It may contain sensitive query items: a store on disk keeps only a hash.
    public let text: String

    /// Creates the normalized form of a URL.
    ///
    /// - Parameter url: The URL.
    public init(_ url: URL) {
        text = Self.text(of: url)
    }

    private static func text(of url: URL) -> String {
        let bytes = Array(url.absoluteString.utf8)
        let text = unescaped(bytes[..<(bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count)])
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), text[colon...].starts(with: "://".utf8) else {
            return String(decoding: text, as: UTF8.self)
        }
        let scheme = text[..<colon].map(lowercased)
        let rest = text[(colon + 3)...]
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        let authority = rest[..<end]
        let hostStart = authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? authority.startIndex
        let host = withoutDefaultPort(authority[hostStart...].map(lowercased), scheme)
        let slash = rest[end...].first == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        let parts = [scheme[...], ArraySlice("://".utf8), authority[..<hostStart], host, slash[...], rest[end...]]
        return String(decoding: Array(parts.joined()), as: UTF8.self)
    }

    /// Decodes the escapes of unreserved characters, and writes the others with capitals.
    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.endIndex, let high = digit(bytes[index + 1]),
                let low = digit(bytes[index + 2])
            {
                let byte = high << 4 | low
                if isUnreserved(byte) {
                    text.append(byte)
                } else {
                    text += [UInt8(ascii: "%"), capital(bytes[index + 1]), capital(bytes[index + 2])]
                }
                index += 3
            } else {
                text.append(bytes[index])
                index += 1
            }
        }
        return text
    }

    private static func withoutDefaultPort(_ host: [UInt8], _ scheme: [UInt8]) -> ArraySlice<UInt8> {
        // The colons of an IPv6 address are before its bracket.
        guard let colon = host.lastIndex(of: UInt8(ascii: ":")), !host[colon...].contains(UInt8(ascii: "]")) else {
            return host[...]
        }
        let port = String(decoding: host[(colon + 1)...], as: UTF8.self)
        let standard = scheme.elementsEqual("https".utf8) ? "443" : "80"
        return port.isEmpty || port == standard ? host[..<colon] : host[...]
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// Returns whether a byte means the same with and without an escape (RFC 3986 section 2.3).
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    private static func capital(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") ? byte & ~0x20 : byte
    }
}
