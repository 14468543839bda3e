import RecordKit
import Synchronization

/// Work in flight that several callers wait for, each for itself: one piece of work for each key at a time.
///
/// The work runs in a task of its own, so a caller that is cancelled leaves the others alone.
final class Flights<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, NetworkError>

    private typealias Waiter = (id: UInt64, continuation: UnsafeContinuation<Outcome, Never>)

    private struct Flight {
        /// That of its first caller.
        let id: UInt64
        let endsWithLast: Bool
        var task: Task<Void, Never>
        var waiting: [Waiter]
    }

    private let flights = Mutex<[Key: Flight]>([:])
    private let lastID = Atomic<UInt64>(0)

    /// Waits for the work in flight under this key; starts it if there is none.
    ///
    /// - Parameters:
    ///   - endsWithLast: Whether the work is cancelled when the last caller that waits for it is.
    ///   - onJoin: Called before the wait, only if the work was in flight already.
    /// - Throws: What the work gives, or ``NetworkError/cancelled`` if the caller is cancelled.
    func value(
        of key: Key, endsWithLast: Bool, onJoin: () -> Void = {},
        work: @escaping @Sendable () async -> Outcome
    ) async throws(NetworkError) -> Value {
        if Task.isCancelled { throw .cancelled }
        let caller = lastID.add(1, ordering: .relaxed).newValue
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                if enter(key, (caller, continuation), endsWithLast, work) { onJoin() }
                if Task.isCancelled { leave(key, caller) }
            }
        } onCancel: {
            leave(key, caller)
        }
        return try outcome.get()
    }

    /// How many wait under a key.
    func count(of key: Key) -> Int {
        flights.withLock { $0[key]?.waiting.count ?? 0 }
    }

    /// Returns whether the work was in flight already.
    private func enter(
        _ key: Key, _ waiter: Waiter, _ endsWithLast: Bool, _ work: @escaping @Sendable () async -> Outcome
    ) -> Bool {
        flights.withLock { flights in
            if flights[key] != nil {
                flights[key]?.waiting.append(waiter)
                return true
            }
            let task = Task { self.end(key, waiter.id, await work()) }
            flights[key] = Flight(id: waiter.id, endsWithLast: endsWithLast, task: task, waiting: [waiter])
            return false
        }
    }

    private func leave(_ key: Key, _ caller: UInt64) {
        let (continuation, abandoned) = flights.withLock { flights in
            guard var flight = flights[key], let index = flight.waiting.firstIndex(where: { $0.id == caller }) else {
                return (nil as UnsafeContinuation<Outcome, Never>?, nil as Task<Void, Never>?)
            }
            let continuation = flight.waiting.remove(at: index).continuation
            let isAbandoned = flight.waiting.isEmpty && flight.endsWithLast
            flights[key] = isAbandoned ? nil : flight
            return (continuation, isAbandoned ? flight.task : nil)
        }
        abandoned?.cancel()
        continuation?.resume(returning: .failure(.cancelled))
    }

    private func end(_ key: Key, _ id: UInt64, _ outcome: Outcome) {
        let waiting = flights.withLock { flights -> [Waiter] in
            // One that all have left may have a successor, which stays.
            guard let flight = flights[key], flight.id == id else { return [] }
            flights[key] = nil
            return flight.waiting
        }
        for (_, continuation) in waiting { continuation.resume(returning: outcome) }
    }
}
