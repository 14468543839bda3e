import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Parses and selects cookies according to RFC 6265. Foundation's storage keeps them.
///
/// Works around Foundation on Linux (Swift 6.3.1):
/// - Its parser requires the spelling `Set-Cookie`. It ignores `Max-Age`, and next to it also `Expires`. It sets no
///   default path.
/// - Its storage ignores the path of a cookie. It returns `Secure` cookies for http. It keeps any number of cookies,
///   and needs more time for each the more there are.
///
/// On all platforms, a cookie's creation time can't be set. It is kept in the cookie's comment, which no server sends
/// (RFC 6265 section 5.2).
enum SetCookie {
    /// The number of cookies that are kept of a response, and of a domain (RFC 6265 section 6.1).
    static let limit = 50

    /// Returns the cookies that a response sets, in order: the last 50, if there are more.
    ///
    /// A cookie whose ``HTTPCookie/expiresDate`` is not after `now` is to be deleted.
    static func cookies(in headers: HTTPHeaders, from url: URL, now: Date) -> [HTTPCookie] {
        properties(in: headers, from: url, now: now).compactMap { HTTPCookie(properties: $0) }
    }

    private static func properties(in headers: HTTPHeaders, from url: URL, now: Date) -> [Properties] {
        var found: [Properties] = []
        for field in headers.values(for: "Set-Cookie").reversed() {
            if found.count == limit { break }
            if let properties = properties(field[...], from: url, now: now) { found.append(properties) }
        }
        return found.reversed()
    }

    private typealias Properties = [HTTPCookiePropertyKey: Any]

    /// Returns the value of the `Cookie` field for a request, or `nil` if there is none (RFC 6265 section 5.4).
    static func field(from storage: HTTPCookieStorage, for url: URL, now: Date = Date()) -> String? {
        let cookies = (storage.cookies ?? []).filter { $0.isSent(to: url, now: now) }.sorted { one, other in
            let (length, otherLength) = (one.path.utf8.count, other.path.utf8.count)
            if length != otherLength { return length > otherLength }
            return (one.creation, one.name) < (other.creation, other.name)
        }
        return cookies.isEmpty ? nil : cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }

    /// Stores the cookies that a response sets, and deletes those that have expired (RFC 6265 section 5.3).
    ///
    /// If a domain then has more than 50, deletes those that have expired, and those that were set the longest ago:
    /// Foundation doesn't store when a cookie was last used.
    static func keep(_ headers: HTTPHeaders, from url: URL, in storage: HTTPCookieStorage, now: Date = Date()) {
        let received = properties(in: headers, from: url, now: now)
        if received.isEmpty { return }
        var stored = (storage.cookies ?? []).sorted { $0.setTime < $1.setTime }
        // The order of creation is that of arrival, also within a response, and after the clock was set back.
        var time = max(now.timeIntervalSinceReferenceDate, stored.map(\.creation).max() ?? 0)
        var domains: Set<String> = []
        for var properties in received {
            guard let cookie = HTTPCookie(properties: properties) else { continue }
            domains.insert(cookie.bareDomain)
            let replaced = stored.filter(cookie.replaces)
            // A cookie set over http must not overwrite one set over https (RFC 6265bis section 5.7).
            if !url.isSecure, replaced.contains(where: \.isSecure) { continue }
            replaced.forEach(storage.deleteCookie)
            stored.removeAll(where: cookie.replaces)
            if cookie.isExpired(at: now) { continue }
            // A cookie keeps the creation time of the one that it replaces (RFC 6265 section 5.3 step 11.3).
            time += 1e-6
            let creation = replaced.first { !$0.isExpired(at: now) }?.creation ?? time
            properties[.comment] = HTTPCookie.creationPrefix + "\(creation)"
            guard let created = HTTPCookie(properties: properties) else { continue }
            storage.setCookie(created)
            stored.append(created)
        }
        for domain in domains {
            let ofDomain = stored.filter { $0.bareDomain == domain }
            if ofDomain.count <= limit { continue }
            let expired = ofDomain.filter { $0.isExpired(at: now) }
            let valid = ofDomain.filter { !$0.isExpired(at: now) }
            (expired + valid).prefix(ofDomain.count - limit).forEach(storage.deleteCookie)
        }
    }

    /// Splits a field value at the commas with which URLSession joins several field lines.
    ///
    /// A comma separates two cookies if `name=` follows it, or `=` alone. The comma in an `Expires` date doesn't.
    static func split(_ field: String) -> [Substring] {
        field.lines { rest in
            let end = rest.firstIndex { "=;, \t".contains($0) } ?? rest.endIndex
            return end < rest.endIndex && rest[end] == "="
        }
    }

    /// Parses one cookie (RFC 6265 section 5.2). Returns `nil` if it has to be ignored.
    private static func properties(_ text: Substring, from url: URL, now: Date) -> Properties? {
        var attributes: [String: Substring] = [:]
        let parts = text.parts(between: ";")
        guard ByteSet.fieldValue.containsAll(of: text), let host = url.cookieHost,
            let equals = parts[0].firstIndex(of: "=")
        else { return nil }
        for part in parts.dropFirst() {
            let equals = part.firstIndex(of: "=") ?? part.endIndex
            let (name, value) = (part[..<equals].trimmed.lowercased(), part[equals...].dropFirst().trimmed)
            // An attribute that cannot be parsed doesn't replace an earlier one of the same name.
            if name == "max-age" && age(value) == nil || name == "expires" && CookieDate.read(value) == nil { continue }
            attributes[name] = value
        }
        let name = parts[0][..<equals].trimmed
        let domain = attributes["domain"].map { $0.hasPrefix(".") ? $0.dropFirst() : $0 }?.lowercased() ?? ""
        let path = attributes["path"].flatMap { $0.hasPrefix("/") ? String($0) : nil }
        let isSecure = attributes["secure"] != nil
        guard !name.isEmpty, domain.isEmpty || covers(domain, host), !isSecure || url.isSecure else { return nil }
        // Cookie name prefixes (RFC 6265bis section 4.1.3).
        let prefixed = name.lowercased()
        if prefixed.hasPrefix("__secure-"), !isSecure { return nil }
        if prefixed.hasPrefix("__host-"), !isSecure || !domain.isEmpty || path != "/" { return nil }

        // An IP address or a single label has no subdomains, so the cookie is sent only to the host.
        let isHostOnly = domain.isEmpty || URL.isIPAddress(host) || !domain.contains(".")
        var properties: Properties = [
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
        return properties
    }

    /// Returns whether a response of this host may set cookies for a domain (RFC 6265 section 5.1.3).
    ///
    /// Rejects top-level domains, but not the other public suffixes: their list isn't available.
    private static func covers(_ domain: String, _ host: String) -> Bool {
        domain == host || domain.contains(".") && host.hasSuffix(".\(domain)") && !URL.isIPAddress(host)
    }

    /// Parses a `Max-Age` in seconds (RFC 6265 section 5.2.2). Limits it to 400 days (RFC 6265bis section 5.6.2).
    private static func age(_ text: Substring) -> Double? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text
        guard !digits.isEmpty, ByteSet.digits.containsAll(of: digits) else { return nil }
        return text.hasPrefix("-") ? 0 : min(Double(digits) ?? 0, 400 * 86_400)
    }

    /// Returns the default path of a cookie (RFC 6265 section 5.1.4).
    private static func defaultPath(of url: URL) -> String {
        let path = url.path(percentEncoded: true)
        guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}

extension HTTPCookie {
    /// Returns whether the cookie has expired.
    fileprivate func isExpired(at now: Date) -> Bool {
        expiresDate.map { $0 <= now } ?? false
    }

    /// Returns whether a request to this URL sends the cookie (RFC 6265 section 5.4).
    fileprivate func isSent(to url: URL, now: Date) -> Bool {
        guard let host = url.cookieHost, !isExpired(at: now), !isSecure || url.isSecure else { return false }
        let isOfHost = host == bareDomain || domain.hasPrefix(".") && host.hasSuffix(domain)
        let requested = url.path(percentEncoded: true)
        let target = requested.isEmpty ? "/" : requested
        let isOfPath = target == path || target.hasPrefix(path.hasSuffix("/") ? path : "\(path)/")
        return isOfHost && isOfPath
    }

    /// Returns whether both cookies have the same name, domain and path (RFC 6265 section 5.3 step 11).
    fileprivate func replaces(_ other: HTTPCookie) -> Bool {
        name.utf8.elementsEqual(other.name.utf8) && bareDomain == other.bareDomain && path == other.path
    }

    /// The domain without the leading dot.
    fileprivate var bareDomain: String {
        domain.hasPrefix(".") ? String(domain.dropFirst()) : domain
    }

    /// The string before the creation time in a comment.
    fileprivate static let creationPrefix = "created "

    /// The creation time, in seconds since the reference date (RFC 6265 section 5.3). That of a cookie which the app
    /// has stored is the time when it was set.
    fileprivate var creation: Double {
        guard let comment, comment.hasPrefix(Self.creationPrefix),
            let time = Double(comment.dropFirst(Self.creationPrefix.count))
        else { return setTime }
        return time
    }

    /// The time when the cookie was last set, in the seconds that Foundation stores.
    fileprivate var setTime: Double {
        properties?[HTTPCookiePropertyKey("Created")] as? Double ?? 0
    }
}

extension URL {
    /// Whether the scheme is https.
    fileprivate var isSecure: Bool { scheme?.lowercased() == "https" }

    /// The host in lower case, without the brackets of an IPv6 address.
    fileprivate var cookieHost: String? {
        host(percentEncoded: false).map { $0.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]")) }
    }

    /// Returns whether a host is an IPv4 or IPv6 address.
    fileprivate static func isIPAddress(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return host.contains(":") || parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}

/// Parses the date of an `Expires` attribute (RFC 6265 section 5.1.1).
///
/// The parts of the date may have any order and any delimiters.
enum CookieDate {
    /// Returns the date, or `nil` if a part is missing or out of range.
    static func read(_ text: Substring) -> Date? {
        var time: [Int]?
        var (day, month, year): (Int?, String?, Int?)
        for part in text.utf8.split(whereSeparator: { delimiters.contains($0) }).map({ Substring($0) }) {
            if time == nil, let clock = clock(part) {
                time = clock
            } else if day == nil, let number = digits(part, 1...2) {
                day = number
            } else if month == nil, let found = HTTPDate.months.first(where: { part.capitalized.hasPrefix($0) }) {
                month = found
            } else if year == nil, let number = digits(part, 2...4) {
                year = number < 70 ? 2000 + number : number < 100 ? 1900 + number : number
            }
        }
        guard let time, let day, let month, let year, year >= 1601 else { return nil }
        let numbers = ([day] + time).map { $0 < 10 ? "0\($0)" : "\($0)" }
        let clock = numbers.dropFirst().joined(separator: ":")
        return HTTPDate("Sun, \(numbers[0]) \(month) \(year) \(clock) GMT")?.date
    }

    /// Parses the hours, minutes and seconds.
    private static func clock(_ part: Substring) -> [Int]? {
        let fields = part.parts(between: ":")
        let numbers = fields.compactMap { digits($0, 1...2) }
        return fields.count == 3 && numbers.count == 3 ? numbers : nil
    }

    /// Parses the digits at the beginning of a part. Returns `nil` if their number is not in `counts`.
    private static func digits(_ part: Substring, _ counts: ClosedRange<Int>) -> Int? {
        let digits = part.prefix { ("0"..."9").contains($0) }
        return counts.contains(digits.utf8.count) ? digits.number() : nil
    }

    /// The delimiters: the tab, and the printable ASCII characters except letters, digits and the colon.
    private static let delimiters = ByteSet("\t"..."\t", " "..."/", ";"..."@", "["..."`", "{"..."~")
}
