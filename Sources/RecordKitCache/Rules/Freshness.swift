import Foundation
import RecordKit

/// How long a stored response is fresh, and what may happen afterwards. Computed once, when it is stored.
struct Freshness: Sendable {
    /// The longest time for which a response is fresh without the server's word, in seconds: a week.
    static let heuristicLimit = 604_800.0
    /// The largest age, in seconds (RFC 9111 section 1.2.2).
    private static let ageLimit = 2_147_483_648.0

    /// The time for which the response is fresh, in seconds (RFC 9111 section 4.2.1).
    let lifetime: Double
    /// The age of the response when it was received, in seconds (RFC 9111 section 4.2.3).
    let initialAge: Double
    let received: Date
    /// Whether the response must be validated before each use: `no-cache` without field names.
    let needsValidation: Bool
    /// Whether the response may not be used while it is stale: `must-revalidate`.
    let forbidsStale: Bool
    let isImmutable: Bool
    /// The time for which the stale response may be used while it is validated, in seconds (RFC 5861 section 3).
    let whileRevalidate: Double
    /// The time for which the stale response may be used after an error, in seconds (RFC 5861 section 4).
    let ifError: Double

    init(status: Int, headers: HTTPHeaders, requested: Date, received: Date) {
        let control = CacheControl(headers["Cache-Control"])
        self.received = received
        needsValidation = control.uncachedNames == nil
        forbidsStale = control.has("must-revalidate")
        isImmutable = control.has("immutable")
        whileRevalidate = control.seconds(of: "stale-while-revalidate") ?? 0
        ifError = control.seconds(of: "stale-if-error") ?? 0

        let sent = headers["Date"].flatMap { FieldValue.date($0, now: received) }
        lifetime = Self.lifetime(status, headers, control, sent: sent ?? received, received: received)
        let delay = max(received.timeIntervalSince(requested), 0)
        let apparentAge = max(received.timeIntervalSince(sent ?? received), 0)
        initialAge = max(apparentAge, Self.age(in: headers) + delay)
    }

    /// Returns the age of the response, in seconds.
    ///
    /// Returns the whole lifetime at least if the clock was set back, since the real age is unknown then.
    func age(at now: Date) -> Double {
        let stay = now.timeIntervalSince(received)
        let age = stay < -1 ? max(initialAge, lifetime) : initialAge + max(stay, 0)
        return min(age, max(Self.ageLimit, lifetime))
    }

    /// Returns an age in whole seconds, for any number.
    static func text(ofAge age: Double) -> String {
        String(Int(exactly: age.rounded(.down)) ?? Int(ageLimit))
    }

    /// The seconds for which the response has been stale. Not above zero if it is fresh.
    func staleness(at now: Date) -> Double {
        age(at: now) - lifetime
    }

    /// Returns whether the response is fresh.
    func isFresh(at now: Date) -> Bool {
        age(at: now) < lifetime
    }

    private static func lifetime(
        _ status: Int, _ headers: HTTPHeaders, _ control: CacheControl, sent: Date, received: Date
    ) -> Double {
        if let seconds = control.seconds(of: "max-age") { return seconds }
        if let text = headers["Expires"] {
            guard let expires = FieldValue.date(text, now: received) else { return 0 }
            return max(expires.timeIntervalSince(sent), 0)
        }
        guard StatusRules.isHeuristicallyCacheable(status) || control.has("public"),
            let modified = headers["Last-Modified"].flatMap({ FieldValue.date($0, now: received) })
        else { return 0 }
        return min(max(sent.timeIntervalSince(modified), 0) / 10, heuristicLimit)
    }

    /// Returns the value of `Age`: its first member, or zero if that isn't valid (RFC 9111 section 5.1).
    private static func age(in headers: HTTPHeaders) -> Double {
        guard let value = headers.values(for: "Age").first else { return 0 }
        let first = value.split(separator: ",", omittingEmptySubsequences: false)[0]
        return FieldValue.seconds(FieldValue.trimmed(first)) ?? 0
    }
}

/// The rules of a cache for status codes.
enum StatusRules {
    /// Returns whether a response with this status may be stored without explicit freshness (RFC 9110 section 15.1).
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Returns whether this cache implements what caching requires of the status (RFC 9111 section 5.2.2.3).
    static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200...205, 300...303, 307, 308, 400...417, 421, 422, 426, 428, 429, 431, 451, 500...505, 511: true
        default: false
        }
    }

    /// Returns whether the status counts as an error for `stale-if-error` (RFC 5861 section 4).
    static func isServerError(_ status: Int) -> Bool {
        switch status {
        case 500, 502, 503, 504: true
        default: false
        }
    }
}
