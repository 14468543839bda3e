import RecordKit

/// How fast one host may be called: its bucket of tokens, and what the server said. All times are the clock's.
struct HostPace {
    struct Rate {
        var callsPerSecond: Double
        var burst: Double
    }

    private let rate: Rate?
    private var tokens: Double
    private var changed: Duration
    private var inFlight = 0
    /// Whether there was more than one in flight since there was none.
    private var isCrowded = false
    /// No call goes before this.
    private var pausedUntil: Duration = .zero
    /// The least that the server said is left in its window; those in flight are not in it for sure.
    private var remaining: Int?
    /// How many calls have ended without an answer since; the next one tells whether the server has counted them.
    private var unanswered = 0
    private(set) var limit: Int?
    /// When the window is over; for a server that does not say, when one call may find out. Nil in a window that no
    /// answer has told of yet.
    private var reset: Duration?
    /// How long one call may have to wait for its place in a window that moves; nil for one that ends.
    private var step: Duration?

    init(_ rate: Rate?, now: Duration) {
        self.rate = rate
        tokens = rate?.burst ?? 0
        changed = now
    }

    /// What the server leaves when all that it may not have counted yet is taken off.
    private var left: Int? { remaining.map { $0 - inFlight - unanswered } }

    /// Brings back what the time has earned.
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
            // Of the new window nothing is known until an answer tells; one call at least may ask.
            self.remaining = max(limit ?? 1, 1)
            self.reset = nil
        }
    }

    /// When a call may go that has so many before it: `now` when at once.
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

    /// How many may go now.
    func count(now: Duration) -> Int? {
        if now < pausedUntil { return 0 }
        let own = rate.map { _ in Int(max(tokens + 1 - Self.whole, 0)) }
        let servers = left.map { max($0, 0) }
        return own.map { min($0, servers ?? $0) } ?? servers
    }

    mutating func take() {
        if rate != nil { tokens -= 1 }
        if inFlight > 0 { isCrowded = true }
        inFlight += 1
    }

    /// A call is over, with an answer that tells of limits or without.
    mutating func leave(_ limits: ServerLimits?, mayHaveCounted: Bool, now: Duration) {
        // The tokens come back when the next one asks for them.
        if remaining != nil { advance(to: now) }
        inFlight -= 1
        defer { if inFlight == 0 { isCrowded = false } }
        guard let limits else {
            guard mayHaveCounted, remaining != nil else { return }
            unanswered += 1
            // A server that tells nothing of its new window may have none any more.
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
            // Answers pass one another on their way; one that was alone tells what is so.
            remaining = isSameWindow && isCrowded ? min(remaining ?? left, left) : left
            (self.reset, step) = (isSameWindow ? max(self.reset ?? end, end) : end, nil)
        } else {
            let step = limit.map { .seconds(60) / max($0, 1) } ?? .seconds(1)
            (remaining, self.reset, self.step) = (left, now + step, step)
        }
    }

    /// Whether a new one would do as well.
    func isIdle(now: Duration) -> Bool {
        guard inFlight == 0, now >= pausedUntil, remaining == nil || reset.map({ now >= $0 }) ?? true else {
            return false
        }
        var pace = self
        pace.advance(to: now)
        return pace.tokens >= rate?.burst ?? 0
    }

    /// What was added up from parts may lack a trifle of a whole.
    private static let whole = 0.999_999
}
