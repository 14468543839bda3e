import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Cookies as RFC 6265 defines them, kept in Foundation's storage.
///
/// Foundation's own parser on Linux (Swift 6.3.1) knows only the spelling `Set-Cookie`, ignores `Max-Age` and with it
/// `Expires`, and keeps no default path. Its storage returns cookies for every path of a host, and `Secure` ones over
/// http.
enum SetCookie {
    /// Returns the cookies that a response sets, in order. Those with an ``HTTPCookie/expiresDate`` that is not after
    /// `now` are to be deleted.
    static func cookies(in headers: HTTPHeaders, from url: URL, now: Date) -> [HTTPCookie] {
        headers.values(for: "Set-Cookie").flatMap(split).compactMap { cookie($0, from: url, now: now) }
    }

    /// Returns the value of the `Cookie` field for a request, or `nil` if no cookie is to be sent (section 5.4).
    static func field(from storage: HTTPCookieStorage, for url: URL, now: Date = Date()) -> String? {
        let cookies = (storage.cookies ?? []).filter { $0.isSent(to: url, now: now) }.sorted { one, other in
            let (length, otherLength) = (one.path.utf8.count, other.path.utf8.count)
            if length != otherLength { return length > otherLength }
            return (one.creation, one.name) < (other.creation, other.name)
        }
        return cookies.isEmpty ? nil : cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }

    /// Stores the cookies that a response sets, and deletes those that it lets expire (section 5.3).
    static func keep(_ headers: HTTPHeaders, from url: URL, in storage: HTTPCookieStorage, now: Date = Date()) {
        for cookie in cookies(in: headers, from: url, now: now) {
            let replaced = (storage.cookies ?? []).filter(cookie.replaces)
            // Nothing that came over http overwrites what came over https (RFC 6265bis section 5.7).
            if !url.isSecure, replaced.contains(where: \.isSecure) { continue }
            replaced.forEach(storage.deleteCookie)
            if !cookie.isExpired(at: now) { storage.setCookie(cookie) }
        }
    }

    /// Returns the values that a field value joins with `", "`, as URLSession does.
    ///
    /// A comma separates two cookies if `name=` follows it; the comma in an `Expires` date does not.
    private static func split(_ field: String) -> [Substring] {
        var cookies: [Substring] = []
        var (start, searched) = (field.startIndex, field.startIndex)
        while let comma = field[searched...].range(of: ", ") {
            searched = comma.upperBound
            let rest = field[searched...]
            let end = rest.firstIndex { "=;, \t".contains($0) } ?? rest.endIndex
            if end > rest.startIndex, end < rest.endIndex, rest[end] == "=" {
                cookies.append(field[start..<comma.lowerBound])
                start = searched
            }
        }
        return cookies + [field[start...]]
    }

    /// Parses the value of one field (section 5.2); `nil` for a cookie that has to be ignored.
    private static func cookie(_ text: Substring, from url: URL, now: Date) -> HTTPCookie? {
        var attributes: [String: Substring] = [:]
        let parts = text.parts(between: ";")
        guard ByteSet.fieldValue.containsAll(of: text), let host = url.cookieHost,
            let equals = parts[0].firstIndex(of: "=")
        else { return nil }
        for part in parts.dropFirst() {
            let equals = part.firstIndex(of: "=") ?? part.endIndex
            let (name, value) = (part[..<equals].trimmed.lowercased(), part[equals...].dropFirst().trimmed)
            // An attribute that cannot be read is ignored, and an earlier one of its name counts.
            if name == "max-age" && age(value) == nil || name == "expires" && CookieDate.read(value) == nil { continue }
            attributes[name] = value
        }
        let name = parts[0][..<equals].trimmed
        let domain = attributes["domain"].map { $0.hasPrefix(".") ? $0.dropFirst() : $0 }?.lowercased() ?? ""
        let path = attributes["path"].flatMap { $0.hasPrefix("/") ? String($0) : nil }
        let isSecure = attributes["secure"] != nil
        guard !name.isEmpty, domain.isEmpty || covers(domain, host), !isSecure || url.isSecure else { return nil }
        // The prefixes of RFC 6265bis section 4.1.3.
        let prefixed = name.lowercased()
        if prefixed.hasPrefix("__secure-"), !isSecure { return nil }
        if prefixed.hasPrefix("__host-"), !isSecure || !domain.isEmpty || path != "/" { return nil }

        // A domain that is the host and cannot have subdomains is sent to the host alone.
        let isHostOnly = domain.isEmpty || URL.isIPAddress(host) || !domain.contains(".")
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: String(name), .value: String(parts[0][equals...].dropFirst().trimmed),
            .domain: isHostOnly ? host : ".\(domain)", .path: path ?? defaultPath(of: url),
        ]
        if isSecure { properties[.secure] = "TRUE" }
        if attributes["httponly"] != nil { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
        let expiry = attributes["max-age"].flatMap(age).map { $0 > 0 ? now.addingTimeInterval($0) : .distantPast }
        if let expiry = expiry ?? attributes["expires"].flatMap(CookieDate.read) {
            properties[.expires] = expiry
        } else {
            properties[.discard] = "TRUE"
        }
        return HTTPCookie(properties: properties)
    }

    /// Whether a response of this host may set cookies for a domain (section 5.1.3). None may for a whole top-level
    /// domain; the list of public suffixes beyond those is not known here.
    private static func covers(_ domain: String, _ host: String) -> Bool {
        domain == host || domain.contains(".") && host.hasSuffix(".\(domain)") && !URL.isIPAddress(host)
    }

    /// The seconds of a `Max-Age` (section 5.2.2), at most 400 days as RFC 6265bis has it.
    private static func age(_ text: Substring) -> Double? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text
        guard !digits.isEmpty, ByteSet.digits.containsAll(of: digits) else { return nil }
        return text.hasPrefix("-") ? 0 : min(Double(digits) ?? 0, 400 * 86_400)
    }

    /// Section 5.1.4.
    private static func defaultPath(of url: URL) -> String {
        let path = url.path(percentEncoded: true)
        guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}

extension HTTPCookie {
    fileprivate func isExpired(at now: Date) -> Bool {
        expiresDate.map { $0 <= now } ?? false
    }

    /// Whether a request to this URL has the cookie (section 5.4).
    fileprivate func isSent(to url: URL, now: Date) -> Bool {
        guard let host = url.cookieHost, !isExpired(at: now), !isSecure || url.isSecure else { return false }
        let isOfHost = host == bareDomain || domain.hasPrefix(".") && host.hasSuffix(domain)
        let requested = url.path(percentEncoded: true)
        let target = requested.isEmpty ? "/" : requested
        let isOfPath = target == path || target.hasPrefix(path.hasSuffix("/") ? path : "\(path)/")
        return isOfHost && isOfPath
    }

    /// Whether both are the same cookie: one of the same name, domain and path (section 5.3 step 11).
    fileprivate func replaces(_ other: HTTPCookie) -> Bool {
        name.utf8.elementsEqual(other.name.utf8) && bareDomain == other.bareDomain && path == other.path
    }

    private var bareDomain: String {
        domain.hasPrefix(".") ? String(domain.dropFirst()) : domain
    }

    fileprivate var creation: Double {
        properties?[HTTPCookiePropertyKey("Created")] as? Double ?? 0
    }
}

extension URL {
    fileprivate var isSecure: Bool { scheme?.lowercased() == "https" }

    /// The host in lower case; that of an IPv6 address without brackets.
    fileprivate var cookieHost: String? {
        host(percentEncoded: false).map { $0.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]")) }
    }

    fileprivate static func isIPAddress(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return host.contains(":") || parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}
