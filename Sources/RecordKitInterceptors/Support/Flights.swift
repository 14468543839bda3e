import RecordKit
import Synchronization

/// Shared work: several callers wait for the same work, and there is one at a time for each key.
///
/// The work runs in its own task. Cancelling one caller doesn't affect the others.
final class Flights<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, NetworkError>

    private typealias Waiter = (id: UInt64, continuation: UnsafeContinuation<Outcome, Never>)

    private struct Flight {
        /// The identifier of the first caller.
        let id: UInt64
        let endsWithLast: Bool
        var task: Task<Void, Never>
        var waiting: [Waiter]
    }

    private let flights = Mutex<[Key: Flight]>([:])
    private let lastID = Atomic<UInt64>(0)

    /// Returns the value of the work in progress for a key. Starts the work if there is none.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - endsWithLast: Whether the work is cancelled when its last caller is cancelled.
    ///   - onJoin: A closure that is called before the wait, only if the work was in progress already.
    ///   - work: The work, if it isn't in progress yet.
    /// - Throws: The error of the work, or `NetworkError.cancelled` if the caller is cancelled.
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

    /// Cancels all work, and returns an outcome to its callers at once.
    func endAll(with outcome: Outcome) {
        let ended = flights.withLock { flights in
            defer { flights = [:] }
            return Array(flights.values)
        }
        for flight in ended {
            flight.task.cancel()
            for (_, continuation) in flight.waiting { continuation.resume(returning: outcome) }
        }
    }

    /// Returns the number of callers that wait for a key.
    func count(of key: Key) -> Int {
        flights.withLock { $0[key]?.waiting.count ?? 0 }
    }

    /// Adds a caller. Returns whether the work was in progress already.
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
            // All callers may have left this work. Then a later one may use its key.
            guard let flight = flights[key], flight.id == id else { return [] }
            flights[key] = nil
            return flight.waiting
        }
        for (_, continuation) in waiting { continuation.resume(returning: outcome) }
    }
}
