import Foundation
import RecordKit

/// A call as the cache sees it: its key, and what it demands of stored responses.
struct CacheRequest: Sendable {
    var call: NetworkCall
    let key: CacheKey
    let policy: CachePolicy
    let control: CacheControl

    /// Creates a request. Returns `nil` for a call that passes the cache by.
    init?(_ call: NetworkCall) {
        guard call.method == .get || call.method == .head, call.body == nil, !call.headers.contains("Upgrade") else {
            return nil
        }
        policy = call.options.cache ?? .standard
        if policy == .never { return nil }
        control = CacheControl(call.headers["Cache-Control"])
        // The response may not be stored. A stored one is left alone, too (RFC 9111 section 5.2.1.5).
        if control.has("no-store") { return nil }
        self.call = call
        key = CacheKey(call)
    }

    var isHead: Bool { call.method == .head }

    /// Whether the request has a condition or a range of its own, so that the cache adds no conditions.
    var isPartialOrConditional: Bool {
        ["Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range"].contains {
            call.headers.contains($0)
        }
    }

    /// Whether only the origin server can evaluate the conditions of the request (RFC 9111 section 4.3.2).
    private var isForOrigin: Bool {
        call.headers.contains("If-Match") || call.headers.contains("If-Unmodified-Since")
    }

    /// Whether a stored response must be validated.
    private var asksForValidation: Bool {
        if control.has("no-cache") { return true }
        return !call.headers.contains("Cache-Control") && call.headers["Pragma"]?.lowercased() == "no-cache"
    }

    /// Returns the newest of the entries that match the request (RFC 9111 section 4.1).
    func selected(from entries: [CacheEntry]) -> CacheEntry? {
        var newest: CacheEntry?
        for entry in entries where entry.matches(call.headers) {
            if let newest, newest.received >= entry.received { continue }
            newest = entry
        }
        return newest
    }

    /// What may happen with a stored response before the request is sent.
    enum Use {
        case fresh, stale
        /// It may be used, and is validated meanwhile.
        case staleWhileValidated
    }

    /// Returns how an entry may be used in place of an exchange, or `nil` if it may not (RFC 9111 section 4).
    func use(of entry: CacheEntry, at now: Date) -> Use? {
        let freshness = entry.freshness
        switch policy {
        case .cacheOnly, .cacheFirst: return freshness.isFresh(at: now) ? .fresh : .stale
        case .validate: return freshness.isImmutable && freshness.isFresh(at: now) ? .fresh : nil
        case .networkFirst, .reload, .never: return nil
        case .standard: break
        }
        if isForOrigin || freshness.needsValidation || asksForValidation { return nil }
        let age = freshness.age(at: now)
        if let limit = control.seconds(of: "max-age"), age > limit || limit == 0 { return nil }
        if let time = control.seconds(of: "min-fresh"), freshness.lifetime - age < time { return nil }
        if age < freshness.lifetime { return .fresh }
        let isUnlimited = control.hasPlain("max-stale")
        if let limit = isUnlimited ? .infinity : control.seconds(of: "max-stale"), entry.allowsStale(limit, at: now) {
            return .stale
        }
        // A range or a condition would be of no use in the background.
        if freshness.whileRevalidate > 0, !isHead, !isPartialOrConditional,
            entry.allowsStale(freshness.whileRevalidate, at: now)
        {
            return .staleWhileValidated
        }
        return nil
    }

    /// Returns whether an entry may be used after an error: a stale one if it allows that (RFC 5861 section 4).
    func allowsUseAfterError(of entry: CacheEntry, at now: Date) -> Bool {
        if policy == .networkFirst { return !isForOrigin }
        if policy != .standard || isForOrigin || asksForValidation { return false }
        let seconds = max(entry.freshness.ifError, control.seconds(of: "stale-if-error") ?? 0)
        return seconds > 0 && entry.allowsStale(seconds, at: now)
    }
}

extension NetworkError {
    /// Whether the error means that no server responded, so that a stale response may be used.
    ///
    /// An untrusted certificate doesn't mean that. A circuit breaker fails with a connection of an unknown kind.
    var allowsStaleResponse: Bool {
        switch self {
        case .connection(let failure): if case .tls = failure.kind { false } else { true }
        default: isTransient
        }
    }
}
