import Dispatch
import Synchronization

/// What is in flight in one configuration: the one owner of that state.
final class TaskTracker: Sendable {
    private struct Entry {
        let scope: UInt64
        let cancel: @Sendable () -> Void
    }

    /// Who is told how many there are.
    enum Observer {
        case edges(DispatchQueue, first: @Sendable () -> Void, last: @Sendable () -> Void)
        case counts(AsyncStream<Int>.Continuation)
    }

    private struct State: ~Copyable {
        var entries: [UInt64: Entry] = [:]
        /// Few, mostly none.
        var observers: [(id: UInt64, observer: Observer)] = []
        var lastID: UInt64 = 0

        mutating func add(_ id: UInt64, _ entry: Entry) {
            entries[id] = entry
            for (_, observer) in observers { observer.report(entries.count, isMore: true) }
        }
    }

    private let state = Mutex(State())

    /// A number for a manager and its copies to be known by, or to add a task under, so that the task can remove
    /// itself.
    func makeID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    func add(_ id: UInt64, in scope: UInt64, cancel: @escaping @Sendable () -> Void) {
        state.withLock { $0.add(id, Entry(scope: scope, cancel: cancel)) }
    }

    func remove(_ id: UInt64) {
        let removed = state.withLock { state in
            let removed = state.entries.removeValue(forKey: id)
            if removed != nil {
                for (_, observer) in state.observers { observer.report(state.entries.count, isMore: false) }
            }
            return removed
        }
        // What it holds goes outside the lock.
        withExtendedLifetime(removed) {}
    }

    /// Tells it from now on, and how many there are now. Returns what ``removeObserver(_:)`` wants.
    func add(_ observer: Observer) -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            state.observers.append((state.lastID, observer))
            observer.begin(state.entries.count)
            return state.lastID
        }
    }

    func removeObserver(_ id: UInt64) {
        let removed = state.withLock { state -> Observer? in
            guard let index = state.observers.firstIndex(where: { $0.id == id }) else { return nil }
            return state.observers.remove(at: index).observer
        }
        withExtendedLifetime(removed) {}
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
