public import Foundation
public import RecordKit

/// The wait before an attempt: random, with a limit that doubles with each attempt (full jitter).
///
/// ```swift
/// let backoff = Backoff(base: .seconds(1))
/// if let pause = backoff.pause(after: error.response, attempt: 1) {
///     try await Task.sleep(for: pause)
/// }
/// ```
///
/// ``RetryInterceptor`` waits by it within a call. Use it for what is sent again later, such as a job in a queue.
public struct Backoff: Sendable {
    private let base: Duration
    private let longestBackoff: Duration
    private let shortestWait: Duration
    private let longestWait: Duration
    private let random: @Sendable () -> Double

    /// Creates a backoff. Durations are limited to the range from zero to a year.
    ///
    /// - Parameters:
    ///   - base: The longest wait before the second attempt. It doubles with each later attempt. Default: 500
    ///     milliseconds.
    ///   - longestBackoff: The longest of these waits, however many attempts there were. Default: 30 seconds.
    ///   - shortestWait: The shortest wait. It also applies to `Retry-After: 0`, which some servers send under load.
    ///     Default: 100 milliseconds.
    ///   - longestWait: The longest wait that a server may ask for. Default: 60 seconds.
    ///   - random: Returns numbers from 0 up to but not including 1.
    public init(
        base: Duration = .milliseconds(500), longestBackoff: Duration = .seconds(30),
        shortestWait: Duration = .milliseconds(100), longestWait: Duration = .seconds(60),
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        self.base = base.limited
        self.longestBackoff = longestBackoff.limited
        self.shortestWait = shortestWait.limited
        self.longestWait = longestWait.limited
        self.random = random
    }

    /// Returns the wait before the next attempt.
    ///
    /// If the server gives a time, in `Retry-After` or `RateLimit-Reset`, that time is used.
    ///
    /// - Parameters:
    ///   - response: The response of the last attempt, or `nil` if there was none. See `NetworkError.response`.
    ///   - attempt: The number of attempts so far, at least 1.
    ///   - now: The date that a date in the header is relative to, if the response has no `Date` field.
    /// - Returns: The wait, or `nil` if the server asks for more than the longest wait.
    public func pause(after response: NetworkResponse?, attempt: Int, now: Date = Date()) -> Duration? {
        reasonedPause(after: response, attempt: attempt, date: { now })?.time
    }

    /// The wait, and the field or rule that it comes from.
    struct Pause {
        let time: Duration
        let reason: String
    }

    func reasonedPause(after response: NetworkResponse?, attempt: Int, date: () -> Date) -> Pause? {
        if let response, let pause = ServerLimits(response.headers, date: date).pause {
            return pause.time <= longestWait ? Pause(time: max(pause.time, shortestWait), reason: pause.name) : nil
        }
        return Pause(time: max(jittered(attempt), shortestWait), reason: "backoff")
    }

    /// Returns a random wait up to `base`, doubled for each attempt, up to `longestBackoff`.
    private func jittered(_ attempt: Int) -> Duration {
        var longest = base
        for _ in 1..<min(max(attempt, 1), 64) where longest < longestBackoff { longest *= 2 }
        let share = random()
        return min(longest, longestBackoff) * (share > 0 && share < 1 ? share : 0)
    }
}
