public import Foundation
public import RecordKit

/// Keeps calls to each host below a rate: its own, and what the server says.
///
/// ```swift
/// let rateLimit = RateLimitInterceptor(60, per: .seconds(60))
/// ```
///
/// Its own rate is a bucket of tokens: a call takes one, and they come back at the rate, up to a burst. Of the server
/// it obeys `RateLimit` and its older relatives (`RateLimit-Remaining`, `X-RateLimit-…`, `X-Discogs-Ratelimit-…`),
/// `Backoff` on any answer, and `Retry-After` on a refusal.
///
/// Calls that have to wait do so in the order in which they came. One that would have to wait too long, for its
/// deadline or for `longestWait`, ends at once as `NetworkError.interceptor(_:)`, its cause ``TooLong``.
///
/// All copies share the buckets, and so do all managers of a configuration.
public struct RateLimitInterceptor: NetworkInterceptor {
    private let gate: RateGate

    /// What a host takes, as far as it is known.
    public struct Budget: Sendable, Hashable {
        /// How many calls may go now; nil when nothing limits them.
        public let remaining: Int?
        /// How many the server takes in its window, when it has said so.
        public let limit: Int?
        /// How long the next call has to wait, those that wait already not counted.
        public let wait: Duration
        /// How many calls wait.
        public let waiting: Int
    }

    /// Why a call was not let go: the cause of its `NetworkError.interceptor(_:)`.
    public struct TooLong: Error, Sendable, Hashable {
        /// How long it would have to wait.
        public let wait: Duration
    }

    /// - Parameters:
    ///   - calls: how many calls may be made to a host in a window once the burst is used; nil has no rate of its own
    ///     and obeys the server alone.
    ///   - window: how long a window is.
    ///   - burst: how many calls may be made at once after a rest. Default: as many as in a window, so that the first
    ///     window after a rest may see twice as many; give 1 where the server counts strictly.
    ///   - longestWait: the longest time that a call waits in all.
    public init(
        _ calls: Int? = nil, per window: Duration = .seconds(1), burst: Int? = nil,
        longestWait: Duration = .seconds(60)
    ) {
        let rate = calls.map { calls in
            HostPace.Rate(
                callsPerSecond: Double(max(calls, 1)) / max(window, .milliseconds(1)).timeInterval,
                // So many that it can still be counted.
                burst: Double(min(max(burst ?? calls, 1), 1 << 40)))
        }
        gate = RateGate(rate, longestWait: longestWait.limited)
    }

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

    /// What the host of an address takes now, by the clock of the configuration.
    public func budget(for url: URL, clock: NetworkClock = .continuous) -> Budget {
        gate.budget(Origin(url), now: clock.now())
    }
}
