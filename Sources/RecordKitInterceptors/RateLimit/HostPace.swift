import RecordKit

/// The rate at which one host may be called: its token bucket, and what the server declared. All times are those of the
/// clock.
struct HostPace {
    struct Rate {
        var callsPerSecond: Double
        var burst: Double
    }

    private let rate: Rate?
    private var tokens: Double
    private var changed: Duration
    private var inFlight = 0
    /// Whether more than one call was in flight since there was none.
    private var isCrowded = false
    /// The time before which no call is sent.
    private var pausedUntil: Duration = .zero
    /// The lowest number of calls that the server said are left in its window. Calls in flight may not be included yet.
    private var remaining: Int?
    /// The number of calls that ended without a response since then. The next response indicates whether the server
    /// counted them.
    private var unanswered = 0
    private(set) var limit: Int?
    /// The end of the window. If the server doesn't say, the time at which one call may find out. `nil` in a window
    /// that no response has described yet.
    private var reset: Duration?
    /// The time until one call becomes available in a sliding window, or `nil` for a fixed window.
    private var step: Duration?

    init(_ rate: Rate?, now: Duration) {
        self.rate = rate
        tokens = rate?.burst ?? 0
        changed = now
    }

    /// The number of calls left, without those that the server may not have counted yet.
    private var left: Int? { remaining.map { $0 - inFlight - unanswered } }

    /// Adds the tokens for the time that has passed.
    mutating func advance(to now: Duration) {
        if let rate, now > changed {
            tokens = min(tokens + rate.callsPerSecond * (now - changed).timeInterval, rate.burst)
            changed = now
        }
        guard let reset, now >= reset, let remaining else { return }
        unanswered = 0
        if let step {
            self.remaining = max(remaining, inFlight + 1)
            self.reset = now + step
        } else {
            // Nothing is known of the new window until a response names it. At least one call may ask.
            self.remaining = max(limit ?? 1, 1)
            self.reset = nil
        }
    }

    /// Returns the time at which a call may be sent, after the calls ahead of it: `now` if at once.
    func time(after ahead: Int = 0, now: Duration) -> Duration {
        var time = max(now, pausedUntil)
        if let rate, tokens < Double(ahead) + Self.whole {
            time = max(time, now + .seconds((Double(ahead) + 1 - tokens) / rate.callsPerSecond))
        }
        if let left, left - ahead <= 0 {
            time = max(time, reset ?? now + .seconds(1))
        }
        return time
    }

    /// Returns the number of calls that may be sent now, or `nil` if there is no limit.
    func count(now: Duration) -> Int? {
        if now < pausedUntil { return 0 }
        let own = rate.map { _ in Int(max(tokens + 1 - Self.whole, 0)) }
        let servers = left.map { max($0, 0) }
        return own.map { min($0, servers ?? $0) } ?? servers
    }

    /// Takes the token of a call that is sent now.
    mutating func take() {
        if rate != nil { tokens -= 1 }
        if inFlight > 0 { isCrowded = true }
        inFlight += 1
    }

    /// Ends a call.
    ///
    /// - Parameters:
    ///   - limits: The limits in the response, if any.
    ///   - mayHaveCounted: Whether the server may have counted the call.
    ///   - now: The current time.
    mutating func leave(_ limits: ServerLimits?, mayHaveCounted: Bool, now: Duration) {
        // Tokens are added when the next call asks for one.
        if remaining != nil { advance(to: now) }
        inFlight -= 1
        defer { if inFlight == 0 { isCrowded = false } }
        guard let limits else {
            guard mayHaveCounted, remaining != nil else { return }
            unanswered += 1
            // A server that says nothing about its new window may not have one anymore.
            if reset == nil { remaining = nil }
            return
        }
        let pause = min(max(limits.retryAfter ?? .zero, limits.backoff ?? .zero), .seconds(3600))
        if pause > .zero { pausedUntil = max(pausedUntil, now + pause) }
        guard let left = limits.remaining else { return }
        unanswered = 0
        limit = limits.limit ?? limit
        if let reset = limits.reset {
            let end = now + min(reset, .seconds(3600))
            let isSameWindow = self.reset.map { $0 - end < .seconds(2) && end - $0 < .seconds(2) } ?? false
            // Responses can arrive out of order. One without others in flight is up to date.
            remaining = isSameWindow && isCrowded ? min(remaining ?? left, left) : left
            (self.reset, step) = (isSameWindow ? max(self.reset ?? end, end) : end, nil)
        } else {
            let step = limit.map { .seconds(60) / max($0, 1) } ?? .seconds(1)
            (remaining, self.reset, self.step) = (left, now + step, step)
        }
    }

    /// Returns whether a new value would be equivalent.
    func isIdle(now: Duration) -> Bool {
        guard inFlight == 0, now >= pausedUntil, remaining == nil || reset.map({ now >= $0 }) ?? true else {
            return false
        }
        var pace = self
        pace.advance(to: now)
        return pace.tokens >= rate?.burst ?? 0
    }

    /// The least that counts as a whole token. Sums of fractions may be slightly too small.
    private static let whole = 0.999_999
}
