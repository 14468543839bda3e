import Synchronization

/// Work in flight that several callers wait for, each for itself: one piece of work for each key at a time.
///
/// The work runs in a task of its own, or in that of the call that begins it, which its caller can leave: so that a
/// caller who is cancelled leaves the others alone.
final class Flights<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, NetworkError>

    private typealias Waiter = (id: UInt64, continuation: UnsafeContinuation<Outcome, Never>)

    private final class Flight {
        /// That of its first caller.
        let id: UInt64
        let endsWithLast: Bool
        /// What it runs in, held while somebody waits; nil for a task of its own.
        let run: CallRun?
        var task: Task<Void, Never>?
        var waiting: [Waiter] = []

        init(_ id: UInt64, endsWithLast: Bool, in run: CallRun? = nil) {
            self.id = id
            self.endsWithLast = endsWithLast
            self.run = run
        }

        /// Keeps it going for one more who waits. False for a run that its caller has left alone: it is too late then.
        func keep() -> Bool {
            guard let run, waiting.isEmpty else { return true }
            return run.hold()
        }
    }

    private let flights = Mutex<[Key: Flight]>([:])
    private let lastID = Atomic<UInt64>(0)

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
        let caller = lastID.add(1, ordering: .relaxed).newValue
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
        flights.withLock { $0[key]?.waiting.count ?? 0 }
    }

    /// Work that is not in flight and that the caller does itself, in the run of its call, where others may join it until
    /// it ``end(_:_:_:)``s. Nil when it is in flight, and in a task that an interceptor has made, which may be cancelled
    /// while others wait.
    func begin(_ key: Key, in run: CallRun) -> UInt64? {
        guard run.isCurrent else { return nil }
        let caller = lastID.add(1, ordering: .relaxed).newValue
        return flights.withLock { flights in
            guard let earlier = flights.updateValue(Flight(caller, endsWithLast: true, in: run), forKey: key) else {
                return caller
            }
            flights[key] = earlier
            return nil
        }
    }

    /// True when the work was in flight already.
    private func enter(
        _ key: Key, _ caller: UInt64, _ continuation: UnsafeContinuation<Outcome, Never>, _ endsWithLast: Bool,
        _ work: @escaping @Sendable () async -> Outcome
    ) -> Bool {
        flights.withLock { flights in
            if let flight = flights[key], flight.keep() {
                flight.waiting.append((caller, continuation))
                return true
            }
            let flight = Flight(caller, endsWithLast: endsWithLast)
            flight.waiting.append((caller, continuation))
            flight.task = Task { self.end(key, caller, await work()) }
            flights[key] = flight
            return false
        }
    }

    private func leave(_ key: Key, _ caller: UInt64) {
        let (continuation, abandoned) = flights.withLock { flights in
            guard let flight = flights[key], let index = flight.waiting.firstIndex(where: { $0.id == caller }) else {
                return (nil as UnsafeContinuation<Outcome, Never>?, nil as Flight?)
            }
            let continuation = flight.waiting.remove(at: index).continuation
            guard flight.waiting.isEmpty, flight.endsWithLast else { return (continuation, nil) }
            // That of a call goes on for its caller.
            if flight.run == nil { flights[key] = nil }
            return (continuation, flight)
        }
        abandoned?.task?.cancel()
        abandoned?.run?.release()
        continuation?.resume(returning: .failure(.cancelled))
    }

    func end(_ key: Key, _ id: UInt64, _ outcome: Outcome) {
        let ended = flights.withLock { flights -> Flight? in
            guard let flight = flights.removeValue(forKey: key) else { return nil }
            if flight.id == id { return flight }
            // One that was left by all has a successor, which stays.
            flights[key] = flight
            return nil
        }
        guard let ended, !ended.waiting.isEmpty else { return }
        ended.run?.release()
        for (_, continuation) in ended.waiting { continuation.resume(returning: outcome) }
    }
}
