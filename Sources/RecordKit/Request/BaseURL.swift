import Foundation

/// Where a request's path is joined to: checked as text, since Foundation repairs some mistakes and traps on others.
enum BaseURL {
    /// A slash between the two, once; neither loses one at its outer end.
    static func join(_ base: String, _ path: some StringProtocol) -> String {
        if path.isEmpty { return base }
        switch (base.utf8.last == UInt8(ascii: "/"), path.utf8.first == UInt8(ascii: "/")) {
        case (true, true): return base + path.dropFirst()
        case (false, false): return base.isEmpty ? String(path) : base + "/" + path
        default: return base + path
        }
    }

    static func isAbsolute(_ text: String) -> Bool {
        text.contains("://")
    }

    /// Why the text cannot be a base URL; nil when it can.
    static func problem(_ text: String) -> String? {
        let printable = "\"\(text.prefix(200))\""
        guard let separator = text.range(of: "://") else {
            return "\(printable) is not absolute: no http:// or https://"
        }
        let scheme = text[..<separator.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else {
            return "the scheme of \(printable) is neither http nor https"
        }
        let rest = text[separator.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if authority.contains("@") { return "it holds credentials; they belong in a header" }
        if let why = problem(ofAuthority: authority) { return "\(printable): \(why)" }
        return problem(ofPath: rest[authority.endIndex...]).map { "\(printable): \($0)" }
    }

    /// Why the text cannot be a path; nil when it can.
    static func problem(ofPath path: some StringProtocol) -> String? {
        if path.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
            return "it holds a query or a fragment; a query goes into `query`"
        }
        let isPlain = path.utf8.allSatisfy { $0 > 32 && $0 < 127 && !#""\<>^`{|}"#.utf8.contains($0) }
        if !isPlain { return "it holds characters that have to be percent-encoded" }
        if RequestPath.hasDotSegment(path) { return "it has a segment \".\" or \"..\"" }
        return nil
    }

    private static func problem(ofAuthority authority: Substring) -> String? {
        var host = authority
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return "the brackets of its address are not closed" }
            host = authority[...end]
            let isAddress = host.dropFirst().dropLast().utf8.allSatisfy {
                Character(Unicode.Scalar($0)).isHexDigit || ":.%".utf8.contains($0) || PercentEncoding.isUnreserved($0)
            }
            if !isAddress || host.count < 4 { return "\(host) is no IPv6 address" }
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
        }
        if host.isEmpty { return "it has no host" }
        let isHost = host.unicodeScalars.allSatisfy {
            $0.value > 127 || host.first == "[" || PercentEncoding.isUnreserved(UInt8($0.value))
        }
        if !isHost { return "\"\(host)\" is no host" }
        let port = authority[host.endIndex...]
        if port.isEmpty { return nil }
        let digits = port.dropFirst()
        guard port.first == ":", digits.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let number = Int(digits),
            (1...65_535).contains(number)
        else { return "\"\(digits)\" is no port, which is a number from 1 to 65535" }
        return nil
    }
}
