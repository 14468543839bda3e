import Foundation
import Synchronization

/// What a server has seen, and who waits for it: all that its thread shares with others.
final class LoopbackJournal: Sendable {
    struct Entries {
        var heads: [LoopbackRequest] = []
        var requests: [LoopbackRequest] = []
        var connectionCount = 0
        var endedConnections: Set<Int> = []
    }

    private struct Waiter {
        let waited: String
        let limit: Duration
        let deadline: ContinuousClock.Instant
        let isOver: @Sendable (Entries) -> Bool
        let continuation: CheckedContinuation<Result<Entries, LoopbackError>, Never>
    }

    private struct State {
        var entries = Entries()
        var waiters: [Int: Waiter] = [:]
        var lastID = 0
        var isStopped = false
        /// Nil once the thread has ended and closed it.
        var bell: Socket?
    }

    private let state: Mutex<State>

    /// The bell is the writing end of a pipe: a byte in it wakes the server's thread.
    init(bell: Socket) {
        state = Mutex(State(bell: bell))
    }

    var entries: Entries {
        state.withLock { $0.entries }
    }

    var isStopped: Bool {
        state.withLock { $0.isStopped }
    }

    /// The first moment at which a waiter's time is over.
    var deadline: ContinuousClock.Instant? {
        state.withLock { $0.waiters.values.map(\.deadline).min() }
    }

    func wake() {
        state.withLock { $0.bell?.signal() }
    }

    /// Tells the thread to end. Whoever waits is told when it has.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.bell?.signal()
        }
    }

    /// Adds to the entries, and lets those go on who waited for it.
    func note(_ change: (inout Entries) -> Void) {
        let (over, entries) = state.withLock { state in
            change(&state.entries)
            let entries = state.entries
            let over = state.waiters.filter { $0.value.isOver(entries) }
            over.keys.forEach { state.waiters[$0] = nil }
            return (over.values.map(\.continuation), entries)
        }
        over.forEach { $0.resume(returning: .success(entries)) }
    }

    /// Ends the waiting of those whose time is over.
    func expireWaiters(now: ContinuousClock.Instant) {
        let (over, entries) = state.withLock { state in
            let over = state.waiters.filter { $0.value.deadline <= now }
            over.keys.forEach { state.waiters[$0] = nil }
            return (over.values, state.entries)
        }
        let received = over.isEmpty ? [] : entries.requests.map { "\($0.method) \($0.target)" }
        for waiter in over {
            waiter.continuation.resume(
                returning: .failure(
                    .timedOut(waitingFor: waiter.waited, limit: waiter.limit, received: received)))
        }
    }

    /// The thread's last word: closes the bell and ends all waiting.
    func finish() {
        let over = state.withLock { state in
            state.isStopped = true
            state.bell?.release()
            state.bell = nil
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        over.forEach { $0.continuation.resume(returning: .failure(.stopped(waitingFor: $0.waited))) }
    }

    /// The entries, once the condition holds.
    func entries(
        _ waited: String, within limit: Duration, once isOver: @escaping @Sendable (Entries) -> Bool
    ) async throws(LoopbackError) -> Entries {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter(
                    waited: waited, limit: limit, deadline: .now + limit, isOver: isOver, continuation: continuation)
                add(waiter, id)
                if Task.isCancelled { giveUp(id) }
            }
        } onCancel: {
            giveUp(id)
        }
        return try result.get()
    }

    private func add(_ waiter: Waiter, _ id: Int) {
        let result: Result<Entries, LoopbackError>? = state.withLock { state in
            if waiter.isOver(state.entries) { return .success(state.entries) }
            guard let bell = state.bell else { return .failure(.stopped(waitingFor: waiter.waited)) }
            state.waiters[id] = waiter
            // The thread must learn of the new deadline.
            bell.signal()
            return nil
        }
        if let result { waiter.continuation.resume(returning: result) }
    }

    private func giveUp(_ id: Int) {
        guard let waiter = state.withLock({ $0.waiters.removeValue(forKey: id) }) else { return }
        waiter.continuation.resume(returning: .failure(.cancelled(waitingFor: waiter.waited)))
    }
}
