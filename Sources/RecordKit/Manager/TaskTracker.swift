import Synchronization

/// What is in flight in one configuration: the one owner of that state.
final class TaskTracker: Sendable {
    private struct Entry {
        let scope: UInt64
        let cancel: @Sendable () -> Void
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Mutex(State())

    /// A number for a manager and its copies to be known by.
    func makeScope() -> UInt64 {
        makeID()
    }

    /// A number to add a task under, so that the task can remove itself.
    func makeID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    func add(_ id: UInt64, in scope: UInt64, cancel: @escaping @Sendable () -> Void) {
        state.withLock { $0.entries[id] = Entry(scope: scope, cancel: cancel) }
    }

    /// False when it was not there.
    @discardableResult
    func remove(_ id: UInt64) -> Bool {
        let removed = state.withLock { $0.entries.removeValue(forKey: id) }
        return withExtendedLifetime(removed) { removed != nil }
    }

    /// In a scope, or in all of them for nil.
    func count(in scope: UInt64?) -> Int {
        state.withLock { state in
            guard let scope else { return state.entries.count }
            return state.entries.values.count { $0.scope == scope }
        }
    }

    /// Cancels outside the lock: what is cancelled comes back to remove itself.
    func cancelAll(in scope: UInt64?) {
        let entries = state.withLock { state in
            state.entries.values.filter { scope == nil || $0.scope == scope }
        }
        for entry in entries { entry.cancel() }
    }
}
