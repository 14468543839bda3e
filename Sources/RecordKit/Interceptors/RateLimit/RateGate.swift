import Synchronization

/// The one owner of the hosts' paces, and of who waits for them.
final class RateGate: Sendable {
    private struct State {
        var hosts = HostTable<HostQueue>()
        var lastID: UInt64 = 0
    }

    private let rate: HostPace.Rate?
    private let longestWait: Duration
    private let state = Mutex(State())

    init(_ rate: HostPace.Rate?, longestWait: Duration) {
        self.rate = rate
        self.longestWait = longestWait
    }

    /// Returns when the call may go; it has to ``leave(_:_:_:)`` then.
    func enter(_ host: String, _ call: NetworkCall) async throws(NetworkError) {
        let now = call.clock.now()
        let patience = patience(of: call)
        let (entry, id) = state.withLock { state in
            state.lastID += 1
            state.hosts.prune { $0.isIdle(now: now) }
            let entry = state.hosts[host, default: HostQueue(HostPace(rate, now: now))]
                .enter(state.lastID, patience: patience, now: now)
            return (entry, state.lastID)
        }
        switch entry {
        case .free: return
        case .tooLong(let time): throw tooLong(time, host)
        case .waits:
            do {
                try await wait(id, host, call)
                call.record(.wait, since: now, "rate limit")
            } catch {
                state.withLock { change(&$0, host) { $0.giveUp(id) } }?.resume()
                throw error
            }
        }
    }

    /// The call is over, with an answer or without.
    func leave(_ host: String, _ call: NetworkCall, _ response: NetworkResponse?) {
        let now = call.clock.now()
        let limits = response.map { ServerLimits($0.headers, date: call.clock.date) }
        let isRefusal = response.map { $0.statusCode >= 400 } ?? false
        let nap = state.withLock { state in
            change(&state, host) {
                $0.leave(limits, isRefusal: isRefusal, longestWait: longestWait, now: now)
            }
        }
        nap?.cancel()
    }

    func budget(_ host: String, now: Duration) -> RateLimit.Budget {
        let queue = state.withLock { $0.hosts[host] }
        var pace = queue?.pace ?? HostPace(rate, now: now)
        pace.advance(to: now)
        return RateLimit.Budget(
            remaining: pace.count(now: now), limit: pace.limit, wait: pace.time(now: now) - now,
            waiting: queue?.count ?? 0)
    }

    private func wait(_ id: UInt64, _ host: String, _ call: NetworkCall) async throws(NetworkError) {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isFirst = state.withLock { change(&$0, host) { $0.waitForTurn(id, continuation) } }
                if isFirst { continuation.resume() }
                if Task.isCancelled { wake(id, host) }
            }
        } onCancel: {
            wake(id, host)
        }
        while true {
            if Task.isCancelled { throw .cancelled }
            let patience = patience(of: call)
            switch state.withLock({ change(&$0, host) { $0.turn(patience: patience, call.clock) } }) {
            case .goes(let next):
                next?.resume()
                return
            case .tooLong(let time): throw tooLong(time, host)
            case .naps(let nap):
                await withTaskCancellationHandler {
                    await nap.value
                } onCancel: {
                    nap.cancel()
                }
            }
        }
    }

    private func wake(_ id: UInt64, _ host: String) {
        state.withLock { change(&$0, host) { $0.wake(id) } }?.resume()
    }

    /// A host with calls in its queue or under way is never pruned, so it is there.
    private func change<Result>(_ state: inout State, _ host: String, _ body: (inout HostQueue) -> Result) -> Result {
        body(&state.hosts[host, default: HostQueue(HostPace(rate, now: .zero))])
    }

    private func patience(of call: NetworkCall) -> Duration {
        min(longestWait, call.timeLeft ?? longestWait)
    }

    private func tooLong(_ time: Duration, _ host: String) -> NetworkError {
        .interceptor(
            InterceptorFailure(
                interceptor: "RateLimit",
                reason: "\(host) may be called again in \(time.shortText), which is too long to wait for"))
    }
}
