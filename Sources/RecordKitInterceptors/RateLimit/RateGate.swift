import RecordKit
import Synchronization

/// The one owner of the hosts' paces, and of who waits for them.
final class RateGate: Sendable {
    private struct State {
        var hosts = HostTable<HostQueue>()
        var lastID: UInt64 = 0
    }

    /// Of one who waits.
    struct Place {
        fileprivate let id: UInt64
        fileprivate let arrival: Duration
        /// Until when it is ready to wait.
        fileprivate let end: Duration
    }

    private let rate: HostPace.Rate?
    private let longestWait: Duration
    private let state = Mutex(State())

    init(_ rate: HostPace.Rate?, longestWait: Duration) {
        self.rate = rate
        self.longestWait = longestWait
    }

    /// Nil when the call may go; it has to ``leave(_:_:)`` then. Otherwise it has to ``wait(_:_:)`` first.
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

    /// Returns when the call may go.
    func wait(_ place: Place, _ call: NetworkCall) async throws(NetworkError) {
        do {
            defer { call.report(.wait, since: place.arrival, detail: "rate limit") }
            try await wait(place.id, call, until: place.end)
        } catch {
            state.withLock { withQueue(of: call.origin, &$0) { $0.giveUp(place.id) } }?.resume()
            throw error
        }
    }

    /// The call is over, with an answer or without.
    ///
    /// - Parameter mayHaveCounted: whether the server may have counted it.
    func leave(_ call: NetworkCall, _ response: NetworkResponse?, mayHaveCounted: Bool = true) {
        let now = call.clock.now()
        let limits = response.flatMap { self.limits($0, call) }
        let nap = state.withLock { state in
            withQueue(of: call.origin, &state) { $0.leave(limits, mayHaveCounted: mayHaveCounted, now: now) }
        }
        nap?.cancel()
    }

    func budget(_ origin: Origin, now: Duration) -> RateLimitInterceptor.Budget {
        let queue = state.withLock { $0.hosts[origin] }
        var pace = queue?.pace ?? HostPace(rate, now: now)
        pace.advance(to: now)
        return RateLimitInterceptor.Budget(
            remaining: pace.count(now: now), limit: pace.limit, wait: pace.time(now: now) - now,
            waiting: queue?.count ?? 0)
    }

    /// What the host of the call says; another, behind a redirect, says nothing of this one.
    private func limits(_ response: NetworkResponse, _ call: NetworkCall) -> ServerLimits? {
        var limits = ServerLimits(response.headers, date: call.clock.date)
        if limits.isEmpty || response.url != call.url && Origin(response.url) != call.origin { return nil }
        // On an answer that is no refusal it is about something else, such as when what was begun will be done.
        if response.statusCode < 400 { limits.retryAfter = nil }
        // It is advice, and nobody fails for it.
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
            case .naps(let nap):
                await withTaskCancellationHandler {
                    await nap.value
                } onCancel: {
                    nap.cancel()
                }
            }
        }
    }

    private func wake(_ id: UInt64, _ origin: Origin) {
        state.withLock { withQueue(of: origin, &$0) { $0.wake(id) } }?.resume()
    }

    /// A host with calls in its queue or under way is never pruned, so it is there.
    private func withQueue<Result>(
        of origin: Origin, _ state: inout State, _ now: Duration = .zero, _ change: (inout HostQueue) -> Result
    ) -> Result {
        state.hosts.withValue(of: origin, default: HostQueue(HostPace(rate, now: now))) {
            $0.isIdle(now: now)
        } _: {
            change(&$0)
        }
    }

    private func tooLong(_ time: Duration, _ call: NetworkCall) -> NetworkError {
        let failure = NetworkError.InterceptorFailure(
            interceptor: "RateLimitInterceptor",
            reason:
                "\(call.origin.hostAndPort) may be called again in \(time.shortText), which is too long to wait for",
            cause: RateLimitInterceptor.TooLong(wait: time), mayHaveReachedServer: false)
        return .interceptor(failure)
    }
}
