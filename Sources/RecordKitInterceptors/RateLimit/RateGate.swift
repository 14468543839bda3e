import RecordKit
import Synchronization

/// The queues of all hosts.
final class RateGate: Sendable {
    private struct State {
        var hosts = HostTable<HostQueue>()
        var lastID: UInt64 = 0
    }

    /// The place of a call in a queue.
    struct Place {
        fileprivate let id: UInt64
        fileprivate let arrival: Duration
        /// The time until which the call is willing to wait.
        fileprivate let end: Duration
    }

    private let rate: HostPace.Rate?
    private let longestWait: Duration
    private let state = Mutex(State())

    init(_ rate: HostPace.Rate?, longestWait: Duration) {
        self.rate = rate
        self.longestWait = longestWait
    }

    /// Returns `nil` if the call may be sent; ``leave(_:_:mayHaveCounted:)`` must follow. Otherwise the call must wait
    /// with ``wait(_:_:)`` first.
    func enter(_ call: NetworkCall) throws(NetworkError) -> Place? {
        let origin = call.origin
        let now = call.clock.now()
        let patience = min(longestWait, call.timeLeft ?? longestWait)
        let (entry, id) = state.withLock { state in
            state.lastID += 1
            let id = state.lastID
            return (withQueue(of: origin, &state, now) { $0.enter(id, patience: patience, now: now) }, id)
        }
        switch entry {
        case .free: return nil
        case .tooLong(let time): throw tooLong(time, call)
        case .waits: return Place(id: id, arrival: now, end: now + patience)
        }
    }

    /// Returns when the call may be sent.
    func wait(_ place: Place, _ call: NetworkCall) async throws(NetworkError) {
        do {
            defer { call.report(.wait, since: place.arrival, detail: "rate limit") }
            try await wait(place.id, call, until: place.end)
        } catch {
            state.withLock { withQueue(of: call.origin, &$0) { $0.giveUp(place.id) } }?.resume()
            throw error
        }
    }

    /// Ends a call.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - response: Its response, if any.
    ///   - mayHaveCounted: Whether the server may have counted the call.
    func leave(_ call: NetworkCall, _ response: NetworkResponse?, mayHaveCounted: Bool = true) {
        let now = call.clock.now()
        let limits = response.flatMap { self.limits($0, call) }
        let sleep = state.withLock { state in
            withQueue(of: call.origin, &state) { $0.leave(limits, mayHaveCounted: mayHaveCounted, now: now) }
        }
        sleep?.cancel()
    }

    /// Returns what a host accepts at a time.
    func allowance(_ origin: URLOrigin, now: Duration) -> RateLimitInterceptor.Allowance {
        let queue = state.withLock { $0.hosts[origin] }
        var pace = queue?.pace ?? HostPace(rate, now: now)
        pace.advance(to: now)
        return RateLimitInterceptor.Allowance(
            remaining: pace.count(now: now), limit: pace.limit, wait: pace.time(now: now) - now,
            waiting: queue?.count ?? 0)
    }

    /// Returns the limits of the call's own host. Another host, after a redirect, says nothing about this one.
    private func limits(_ response: NetworkResponse, _ call: NetworkCall) -> ServerLimits? {
        var limits = ServerLimits(response.headers, date: call.clock.date)
        if limits.isEmpty || response.url != call.url && URLOrigin(response.url) != call.origin { return nil }
        // With a status below 400, `Retry-After` is about something else, such as the end of a job.
        if response.statusCode < 400 { limits.retryAfter = nil }
        // `Backoff` is advice. No call fails because of it.
        limits.backoff = limits.backoff.map { min($0, longestWait) }
        return limits
    }

    private func wait(_ id: UInt64, _ call: NetworkCall, until end: Duration) async throws(NetworkError) {
        let origin = call.origin
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isFirst = state.withLock { withQueue(of: origin, &$0) { $0.waitForTurn(id, continuation) } }
                if isFirst { continuation.resume() }
                if Task.isCancelled { wake(id, origin) }
            }
        } onCancel: {
            wake(id, origin)
        }
        while true {
            if Task.isCancelled { throw .cancelled }
            switch state.withLock({ withQueue(of: origin, &$0) { $0.turn(until: end, call.clock) } }) {
            case .goes(let next):
                next?.resume()
                return
            case .tooLong(let time): throw tooLong(time, call)
            case .sleeps(let sleep):
                await withTaskCancellationHandler {
                    await sleep.value
                } onCancel: {
                    sleep.cancel()
                }
            }
        }
    }

    private func wake(_ id: UInt64, _ origin: URLOrigin) {
        state.withLock { withQueue(of: origin, &$0) { $0.wake(id) } }?.resume()
    }

    /// Changes the queue of a host. A host with calls in its queue or in flight is never removed from the table.
    private func withQueue<Result>(
        of origin: URLOrigin, _ state: inout State, _ now: Duration = .zero, _ change: (inout HostQueue) -> Result
    ) -> Result {
        state.hosts.withValue(of: origin, default: HostQueue(HostPace(rate, now: now))) {
            $0.isIdle(now: now)
        } _: {
            change(&$0)
        }
    }

    private func tooLong(_ time: Duration, _ call: NetworkCall) -> NetworkError {
        let host = call.origin.hostAndPort
        return .interceptor(
            NetworkError.InterceptorFailure(
                interceptor: "RateLimitInterceptor",
                reason:
                    "\(host) accepts the next call in \(time.shortDescription), and the call may not wait that long",
                cause: RateLimitInterceptor.TooLongError(wait: time), mayHaveReachedServer: false))
    }
}
