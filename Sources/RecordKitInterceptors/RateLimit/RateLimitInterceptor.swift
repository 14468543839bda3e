public import Foundation
public import RecordKit

/// Keeps calls to each host below a rate: its own, and the one that the server declares.
///
/// ```swift
/// let rateLimit = RateLimitInterceptor(60, per: .seconds(60))
/// ```
///
/// Its own rate is a token bucket: a call takes a token, and tokens are added at the rate, up to the burst. Of the
/// server's fields it obeys `RateLimit` and its predecessors (`RateLimit-Remaining`, `X-RateLimit-…`,
/// `X-Discogs-Ratelimit-…`), `Backoff` in any response, and `Retry-After` in a response with the status 400 or above.
///
/// Calls wait in order of arrival. A call that would have to wait past its deadline, or longer than `longestWait`,
/// fails at once with `NetworkError.interceptor(_:)`. The cause is ``TooLongError``.
///
/// All copies share the buckets, and so do all managers of a configuration.
public struct RateLimitInterceptor: NetworkInterceptor {
    private let gate: RateGate

    /// What a host accepts, as far as it is known.
    public struct Allowance: Sendable, Hashable {
        /// The number of calls that may be sent now, or `nil` without a limit.
        public let remaining: Int?
        /// The number of calls that the server accepts in its window, if it has said so.
        public let limit: Int?
        /// The time that the next call has to wait, not counting the calls that wait already.
        public let wait: Duration
        /// The number of calls that wait.
        public let waiting: Int
    }

    /// The cause of a `NetworkError.interceptor(_:)` for a call that would have to wait too long.
    public struct TooLongError: LocalizedError, Sendable, Hashable {
        /// The time that the call would have to wait.
        public let wait: Duration

        /// How long the call would have to wait.
        public var errorDescription: String? { "the call would have to wait for \(wait.shortDescription)" }
    }

    /// Creates a rate limit.
    ///
    /// - Parameters:
    ///   - calls: The number of calls to a host in a window, once the burst is used. Default: `nil`, only the server's
    ///     limits apply.
    ///   - window: The length of a window. Default: 1 second.
    ///   - burst: The number of calls at once after a pause. Default: `calls`, so the first window after a pause may
    ///     contain twice as many. Pass 1 if the server counts strictly.
    ///   - longestWait: The longest time that a call waits in total. Default: 60 seconds.
    public init(
        _ calls: Int? = nil, per window: Duration = .seconds(1), burst: Int? = nil,
        longestWait: Duration = .seconds(60)
    ) {
        let rate = calls.map { calls in
            HostPace.Rate(
                callsPerSecond: Double(max(calls, 1)) / max(window, .milliseconds(1)).timeInterval,
                // Limited so that the bucket can still count single calls.
                burst: Double(min(max(burst ?? calls, 1), 1 << 40)))
        }
        gate = RateGate(rate, longestWait: longestWait.limited)
    }

    /// Sends the call when its host's limits allow it.
    public func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        if let place = try gate.enter(call) { try await gate.wait(place, call) }
        do {
            let response = try await next(call)
            gate.leave(call, response)
            return response
        } catch {
            gate.leave(call, error.response, mayHaveCounted: call.mayHaveReachedServer || error.mayHaveReachedServer)
            throw error
        }
    }

    /// Returns what the host of a URL accepts now.
    ///
    /// - Parameters:
    ///   - url: A URL of the host.
    ///   - clock: The clock of the configuration. Default: the continuous clock.
    public func allowance(for url: URL, clock: NetworkClock = .continuous) -> Allowance {
        gate.allowance(URLOrigin(url), now: clock.now())
    }
}
