import Synchronization

/// The state of a session: its identity, and its calls and data tasks in flight.
final class SessionState: Sendable {
    private struct State: ~Copyable {
        var entries: [UInt64: (scope: UInt64, transfer: Transfer)] = [:]
        /// The readers of ``counts``, usually none.
        var readers: [UInt64: AsyncStream<Int>.Continuation] = [:]
        var lastID: UInt64 = 0

        mutating func makeID() -> UInt64 {
            lastID += 1
            return lastID
        }

        // Runs with the lock held, which keeps the reports in order.
        func report() {
            for reader in readers.values { reader.yield(entries.count) }
        }
    }

    let id = NetworkCall.SessionID()
    /// The interceptors of the session.
    let interceptors: [any NetworkInterceptor]
    /// The decoder that responses carry.
    let decoder: (any NetworkDecoder & Sendable)?
    private let state = Mutex(State())

    init(interceptors: [any NetworkInterceptor] = [], decoder: (any NetworkDecoder & Sendable)? = nil) {
        self.interceptors = interceptors
        self.decoder = decoder
    }

    /// Returns a new identifier for a manager.
    func makeScope() -> UInt64 {
        state.withLock { $0.makeID() }
    }

    /// Returns a new transfer that is tracked until its end.
    ///
    /// - Parameter scope: The manager whose call it is. 0 for none.
    func track(in scope: UInt64) -> Transfer {
        let transfer = Transfer()
        let id = state.withLock { state in
            let id = state.makeID()
            state.entries[id] = (scope, transfer)
            state.report()
            return id
        }
        transfer.onEnd { self.remove(id) }
        return transfer
    }

    private func remove(_ id: UInt64) {
        let removed = state.withLock { state in
            let removed = state.entries.removeValue(forKey: id)
            if removed != nil { state.report() }
            return removed
        }
        // Releases the transfer outside the lock.
        withExtendedLifetime(removed) {}
    }

    /// The number of entries as a stream of changes that begins with the current number.
    var counts: AsyncStream<Int> {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            let id = state.makeID()
            state.readers[id] = continuation
            continuation.yield(state.entries.count)
            return id
        }
        continuation.onTermination = { [weak self] _ in
            let removed = self?.state.withLock { $0.readers.removeValue(forKey: id) }
            withExtendedLifetime(removed) {}
        }
        return stream
    }

    /// Returns the number of entries in a scope, or in all scopes for `nil`.
    func count(in scope: UInt64?) -> Int {
        state.withLock { state in
            guard let scope else { return state.entries.count }
            return state.entries.values.count { $0.scope == scope }
        }
    }

    /// Cancels the entries in a scope, or in all scopes for `nil`. Runs outside the lock, because a cancelled transfer
    /// removes itself.
    func cancelAll(in scope: UInt64?) {
        let entries = state.withLock { state in
            state.entries.values.filter { scope == nil || $0.scope == scope }
        }
        for entry in entries { entry.transfer.stop(.cancelled) }
    }
}
