import Synchronization

/// How many attempts may be under way at once to each host; the rest wait, first come first served.
///
/// URLSession would let them wait too, but counts that time as part of their timeout.
final class HostSlots: Sendable {
    fileprivate struct Host {
        var taken = 0
        var waiting: [(id: UInt64, start: @Sendable () -> Void)] = []
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
            state.hosts[host, default: Host()].waiting.append((state.lastID, start))
            return state.lastID
        }
        if id == nil { start() }
        return id
    }

    /// Leaves the queue. False when the slot was given already.
    func cancel(_ host: String, _ id: UInt64) -> Bool {
        state.withLock { state in
            guard let index = state.hosts[host]?.waiting.firstIndex(where: { $0.id == id }) else { return false }
            state.hosts[host]?.waiting.remove(at: index)
            return true
        }
    }

    /// Gives a slot back, to the first that waits.
    func leave(_ host: String) {
        let start: (@Sendable () -> Void)? = state.withLock { state in
            guard let entry = state.hosts[host] else { return nil }
            if !entry.waiting.isEmpty { return state.hosts[host]?.waiting.removeFirst().start }
            if entry.taken <= 1 {
                state.hosts[host] = nil
            } else {
                state.hosts[host]?.taken -= 1
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
}
