import Synchronization

/// How many exchanges may run at once for each scheme, host and port. The others wait, first come first served.
///
/// URLSession makes them wait too, but counts that time as part of their timeout.
public final class HostSlots: Sendable {
    private final class Host {
        var taken = 0
        /// In the order in which they came, including those that have left since.
        private(set) var queue: [Waiter] = []

        func add(_ waiter: Waiter) {
            removeLeft()
            queue.append(waiter)
        }

        func next() -> Waiter? {
            removeLeft()
            return queue.isEmpty ? nil : queue.removeFirst()
        }

        /// Removes those that have left, once the first of them has.
        private func removeLeft() {
            if queue.first?.hasEnded == true { queue = queue.filter { !$0.hasEnded } }
        }
    }

    private let limit: Int
    private let hosts = Mutex<[Origin: Host]>([:])

    /// - Parameter limit: How many exchanges, at least one.
    public init(limit: Int) {
        self.limit = max(limit, 1)
    }

    /// How many exchanges hold a slot, and how many wait for one.
    func count(_ origin: Origin) -> (taken: Int, waiting: Int) {
        hosts.withLock { hosts in
            hosts[origin].map { ($0.taken, $0.queue.count { !$0.hasEnded }) } ?? (0, 0)
        }
    }

    /// Takes a slot if one is free, without waiting.
    func take(_ origin: Origin) -> Bool {
        add(nil, to: origin)
    }

    /// Waits for a slot: `waiter` has it before this returns if one is free, otherwise when it becomes free, on the
    /// thread that gives it back.
    func wait(_ origin: Origin, _ waiter: Waiter) {
        if add(waiter, to: origin), !waiter.end(true) { leave(origin) }
    }

    /// Waits for a slot if none is free. The caller gives it back with ``leave(_:)``.
    ///
    /// - Throws: ``NetworkError/cancelled``; then no slot is taken.
    func enter(_ origin: Origin) async throws(NetworkError) {
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

    /// Gives a slot back, to the first that still waits.
    func leave(_ origin: Origin) {
        while let first = next(origin), !first.end(true) {}
    }

    /// Takes a slot; if none is free, `waiter` joins the queue.
    private func add(_ waiter: Waiter?, to origin: Origin) -> Bool {
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

    /// The first that waits for a slot that is given back; `nil` if none does, and the slot is free.
    private func next(_ origin: Origin) -> Waiter? {
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
    /// A place in the queue of a host: gets a slot or leaves, whichever comes first.
    final class Waiter: Sendable {
        private struct State: ~Copyable {
            var action: (@Sendable (Bool) -> Void)?
            var hasEnded = false
        }

        private let state = Mutex(State())

        var hasEnded: Bool { state.withLock { $0.hasEnded } }

        /// Calls `action` once with whether there is a slot: now if the waiter has left already, otherwise then.
        func begin(_ action: @escaping @Sendable (Bool) -> Void) {
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.action = action }
                return state.hasEnded
            }
            if hasEnded { action(false) }
        }

        /// Ends the waiting, with a slot or without one. Returns false if it had ended before.
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
