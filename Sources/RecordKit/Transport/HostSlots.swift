import Synchronization

/// How many attempts may be under way at once to each host; the rest wait, first come first served.
///
/// URLSession would let them wait too, but counts that time as part of their timeout.
final class HostSlots: Sendable {
    private final class Host {
        var taken = 0
        /// In the order in which they came, also those that have left since.
        private(set) var queue: [Waiter] = []

        func add(_ waiter: Waiter) {
            letGo()
            queue.append(waiter)
        }

        func next() -> Waiter? {
            letGo()
            return queue.isEmpty ? nil : queue.removeFirst()
        }

        /// Lets go of those that have left, once the first of them has.
        private func letGo() {
            if queue.first?.hasEnded == true { queue = queue.filter { !$0.hasEnded } }
        }
    }

    private let limit: Int
    private let hosts = Mutex<[String: Host]>([:])

    init(limit: Int) {
        self.limit = max(limit, 1)
    }

    /// How many attempts hold a slot, and how many wait for one.
    func count(_ name: String) -> (taken: Int, waiting: Int) {
        hosts.withLock { hosts in
            hosts[name].map { ($0.taken, $0.queue.count { !$0.hasEnded }) } ?? (0, 0)
        }
    }

    /// Takes a slot if one is free, without waiting.
    func take(_ name: String) -> Bool {
        add(nil, to: name)
    }

    /// Waits for a slot: `waiter` has it before this returns when one is free, otherwise when it becomes free, on the
    /// thread that gave it back.
    func wait(_ name: String, _ waiter: Waiter) {
        if add(waiter, to: name), !waiter.end(true) { leave(name) }
    }

    /// Waits for a slot if none is free; the caller gives it back with ``leave(_:)``.
    ///
    /// - Throws: ``NetworkError/cancelled``, and then no slot is taken.
    func enter(_ name: String) async throws(NetworkError) {
        let waiter = Waiter()
        let hasSlot = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                waiter.begin { continuation.resume(returning: $0) }
                wait(name, waiter)
            }
        } onCancel: {
            _ = waiter.end(false)
        }
        if !hasSlot { throw .cancelled }
    }

    /// Gives a slot back, to the first that still waits.
    func leave(_ name: String) {
        while let first = next(name), !first.end(true) {}
    }

    /// Takes a slot; without one, whoever waits stands in the queue.
    private func add(_ waiter: Waiter?, to name: String) -> Bool {
        hosts.withLock { hosts in
            let host = hosts[name] ?? Host()
            if host.taken == 0 { hosts[name] = host }
            if host.taken < limit {
                host.taken += 1
                return true
            }
            if let waiter { host.add(waiter) }
            return false
        }
    }

    /// Who gets a slot that is given back; nil when nobody is there, and the slot is free.
    private func next(_ name: String) -> Waiter? {
        hosts.withLock { hosts in
            guard let host = hosts[name] else { return nil }
            if let first = host.next() { return first }
            host.taken -= 1
            if host.taken == 0 { hosts[name] = nil }
            return nil
        }
    }
}
