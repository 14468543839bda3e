import Synchronization

/// A limit on the number of concurrent exchanges for each scheme, host and port.
///
/// Exchanges above the limit wait in order of arrival. URLSession makes them wait too, but counts that time against
/// their timeout.
public final class HostSlots: Sendable {
    private final class Host {
        var taken = 0
        /// The number of slots taken by exchanges that no call waits for.
        var inBackground = 0
        /// The waiters in order of arrival, including some that have left.
        private(set) var queue: [Waiter] = []

        func add(_ waiter: Waiter) {
            removeLeft()
            queue.append(waiter)
        }

        func next() -> Waiter? {
            removeLeft()
            return queue.isEmpty ? nil : queue.removeFirst()
        }

        /// Removes the waiters that have left, if the first one has.
        private func removeLeft() {
            if queue.first?.hasEnded == true { queue = queue.filter { !$0.hasEnded } }
        }
    }

    private let limit: Int
    private let hosts = Mutex<[URLOrigin: Host]>([:])

    /// Creates slots with one limit for every host.
    ///
    /// - Parameter limit: The number of exchanges that may run at once. The minimum is 1.
    public init(limit: Int) {
        self.limit = max(limit, 1)
    }

    /// Returns the number of slots taken and the number of waiters.
    func count(_ origin: URLOrigin) -> (taken: Int, waiting: Int) {
        hosts.withLock { hosts in
            hosts[origin].map { ($0.taken, $0.queue.count { !$0.hasEnded }) } ?? (0, 0)
        }
    }

    /// Takes a slot if one is free, without waiting. Returns whether it took one.
    func take(_ origin: URLOrigin) -> Bool {
        add(nil, to: origin)
    }

    /// Takes a slot for an exchange that no call waits for: if another slot stays free, and at most two of a host.
    /// Returns whether it took one. The caller gives it back with ``leaveInBackground(_:)``.
    func takeInBackground(_ origin: URLOrigin) -> Bool {
        hosts.withLock { hosts in
            let host = hosts[origin] ?? Host()
            guard host.taken + 1 < limit, host.inBackground < 2 else { return false }
            hosts[origin] = host
            host.taken += 1
            host.inBackground += 1
            return true
        }
    }

    func leaveInBackground(_ origin: URLOrigin) {
        hosts.withLock { $0[origin]?.inBackground -= 1 }
        leave(origin)
    }

    /// Gives `waiter` a slot when one is free.
    ///
    /// Its action runs before this method returns, or later on the thread that gives a slot back.
    func wait(_ origin: URLOrigin, _ waiter: Waiter) {
        if add(waiter, to: origin), !waiter.end(true) { leave(origin) }
    }

    /// Waits for a slot and takes it. The caller gives it back with ``leave(_:)``.
    ///
    /// - Throws: ``NetworkError/cancelled`` if the task is cancelled. No slot is taken then.
    func enter(_ origin: URLOrigin) async throws(NetworkError) {
        let waiter = Waiter()
        let hasSlot = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                waiter.begin { continuation.resume(returning: $0) }
                wait(origin, waiter)
            }
        } onCancel: {
            _ = waiter.end(false)
        }
        if !hasSlot { throw .cancelled }
    }

    /// Gives a slot back. The first waiter that hasn't left takes it.
    func leave(_ origin: URLOrigin) {
        while let first = next(origin), !first.end(true) {}
    }

    /// Takes a slot if one is free; otherwise adds `waiter` to the queue. Returns whether it took a slot.
    private func add(_ waiter: Waiter?, to origin: URLOrigin) -> Bool {
        hosts.withLock { hosts in
            let host = hosts[origin] ?? Host()
            if host.taken == 0 { hosts[origin] = host }
            if host.taken < limit {
                host.taken += 1
                return true
            }
            if let waiter { host.add(waiter) }
            return false
        }
    }

    /// Returns the first waiter, which takes over the slot. Frees the slot and returns `nil` if there is none.
    private func next(_ origin: URLOrigin) -> Waiter? {
        hosts.withLock { hosts in
            guard let host = hosts[origin] else { return nil }
            if let first = host.next() { return first }
            host.taken -= 1
            if host.taken == 0 { hosts[origin] = nil }
            return nil
        }
    }
}

extension HostSlots {
    /// A place in the queue of a host. It ends once: with a slot or without one.
    final class Waiter: Sendable {
        private struct State: ~Copyable {
            var action: (@Sendable (Bool) -> Void)?
            var hasEnded = false
        }

        private let state = Mutex(State())

        var hasEnded: Bool { state.withLock { $0.hasEnded } }

        /// Sets the action to call once, with whether there is a slot. Calls it immediately, with false, if the waiter
        /// has left.
        func begin(_ action: @escaping @Sendable (Bool) -> Void) {
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.action = action }
                return state.hasEnded
            }
            if hasEnded { action(false) }
        }

        /// Ends the wait, with or without a slot. Returns false if it had already ended.
        func end(_ hasSlot: Bool) -> Bool {
            let (isFirst, action) = state.withLock { state in
                defer { state.hasEnded = true }
                return (!state.hasEnded, state.action.take())
            }
            action?(hasSlot)
            return isFirst
        }
    }
}
