import Synchronization

/// How many attempts may be under way at once to each host; the rest wait, first come first served.
///
/// URLSession would let them wait too, but counts that time as part of their timeout.
final class HostSlots: Sendable {
    fileprivate struct Host {
        var taken = 0
        var waiting: [UInt64: @Sendable () -> Void] = [:]
        /// Who came when, also those that have left the queue since.
        var order: ArraySlice<UInt64> = []
    }

    private struct State {
        var hosts: [String: Host] = [:]
        var lastID: UInt64 = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = max(limit, 1)
    }

    /// How many attempts hold a slot, and how many wait for one.
    func count(_ host: String) -> (taken: Int, waiting: Int) {
        state.withLock { state in
            state.hosts[host].map { ($0.taken, $0.waiting.count) } ?? (0, 0)
        }
    }

    /// Takes a slot if one is free, without waiting.
    func take(_ host: String) -> Bool {
        state.withLock { $0.hosts[host, default: Host()].take(limit) }
    }

    /// Calls `start` with a slot taken: before this returns when one is free, otherwise when it becomes free, on the
    /// thread that gave it back. Returns what ``cancel(_:_:)`` wants, nil when `start` was called.
    func wait(_ host: String, start: @escaping @Sendable () -> Void) -> UInt64? {
        let id: UInt64? = state.withLock { state in
            if state.hosts[host, default: Host()].take(limit) { return nil }
            state.lastID += 1
            state.hosts[host, default: Host()].append(state.lastID, start)
            return state.lastID
        }
        if id == nil { start() }
        return id
    }

    /// Leaves the queue. False when the slot was given already.
    func cancel(_ host: String, _ id: UInt64) -> Bool {
        // Released outside the lock: what goes with it may come back here.
        let start = state.withLock { $0.hosts[host]?.waiting.removeValue(forKey: id) }
        return withExtendedLifetime(start) { start != nil }
    }

    /// Gives a slot back, to the first that waits.
    func leave(_ host: String) {
        let start: (@Sendable () -> Void)? = state.withLock { state in
            if let first = state.hosts[host]?.popFirst() { return first }
            guard let taken = state.hosts[host]?.taken else { return nil }
            if taken <= 1 {
                state.hosts[host] = nil
            } else {
                state.hosts[host]?.taken = taken - 1
            }
            return nil
        }
        start?()
    }
}

extension HostSlots.Host {
    fileprivate mutating func take(_ limit: Int) -> Bool {
        guard taken < limit else { return false }
        taken += 1
        return true
    }

    fileprivate mutating func append(_ id: UInt64, _ start: @escaping @Sendable () -> Void) {
        if waiting.isEmpty { order = [] }
        waiting[id] = start
        order.append(id)
    }

    fileprivate mutating func popFirst() -> (@Sendable () -> Void)? {
        while let id = order.popFirst() {
            if let start = waiting.removeValue(forKey: id) { return start }
        }
        return nil
    }
}
