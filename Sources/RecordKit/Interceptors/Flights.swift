import Synchronization

/// Work in flight that several callers wait for, each for itself: one piece of work for each key at a time.
///
/// The work runs in a task of its own, so that a caller who is cancelled leaves the others alone.
final class Flights<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, NetworkError>

    private typealias Waiter = (id: UInt64, continuation: UnsafeContinuation<Outcome, Never>)

    private struct Flight {
        let id: UInt64
        let endsWithLast: Bool
        let task: Task<Void, Never>
        var waiting: [Waiter]
    }

    private struct State {
        var flights: [Key: Flight] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Waits for the work in flight under this key; starts it when there is none.
    ///
    /// - Parameters:
    ///   - endsWithLast: whether the work is cancelled when the last who waits for it is.
    ///   - onJoin: called before the waiting, only when the work was in flight already.
    /// - Throws: what the work gives, or ``NetworkError/cancelled`` when the caller is cancelled.
    func value(
        of key: Key, endsWithLast: Bool, onJoin: () -> Void = {},
        work: @escaping @Sendable () async -> Outcome
    ) async throws(NetworkError) -> Value {
        if Task.isCancelled { throw .cancelled }
        let caller = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                if enter(key, caller, continuation, endsWithLast, work) { onJoin() }
                if Task.isCancelled { leave(key, caller) }
            }
        } onCancel: {
            leave(key, caller)
        }
        return try outcome.get()
    }

    /// How many wait under a key.
    func count(of key: Key) -> Int {
        state.withLock { $0.flights[key]?.waiting.count ?? 0 }
    }

    /// True when the work was in flight already.
    private func enter(
        _ key: Key, _ caller: UInt64, _ continuation: UnsafeContinuation<Outcome, Never>, _ endsWithLast: Bool,
        _ work: @escaping @Sendable () async -> Outcome
    ) -> Bool {
        state.withLock { state in
            if state.flights[key]?.waiting.append((caller, continuation)) != nil { return true }
            // Whoever starts the work names it, so that it never ends another under the same key.
            let task = Task { self.end(key, caller, await work()) }
            state.flights[key] = Flight(
                id: caller, endsWithLast: endsWithLast, task: task, waiting: [(caller, continuation)])
            return false
        }
    }

    private func leave(_ key: Key, _ caller: UInt64) {
        let (continuation, abandoned) = state.withLock { state in
            guard let index = state.flights[key]?.waiting.firstIndex(where: { $0.id == caller }) else {
                return (nil as UnsafeContinuation<Outcome, Never>?, nil as Task<Void, Never>?)
            }
            let continuation = state.flights[key]?.waiting.remove(at: index).continuation
            guard let flight = state.flights[key], flight.waiting.isEmpty, flight.endsWithLast else {
                return (continuation, nil)
            }
            state.flights[key] = nil
            return (continuation, flight.task)
        }
        abandoned?.cancel()
        continuation?.resume(returning: .failure(.cancelled))
    }

    private func end(_ key: Key, _ id: UInt64, _ outcome: Outcome) {
        let waiting = state.withLock { state -> [Waiter] in
            // Another under the same key stays.
            guard let index = state.flights.index(forKey: key), state.flights.values[index].id == id else { return [] }
            return state.flights.remove(at: index).value.waiting
        }
        for (_, continuation) in waiting { continuation.resume(returning: outcome) }
    }
}
