import Synchronization

extension HostSlots {
    /// Waits for a slot if none is free; the caller gives it back with ``leave(_:)``.
    ///
    /// - Throws: ``NetworkError/cancelled``, and then no slot is taken.
    func enter(_ host: String) async throws(NetworkError) {
        let waiter = Waiter()
        let hasSlot = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                waiter.begin(continuation)
                let id = wait(host) {
                    // A waiter that is gone passes its slot on.
                    if !waiter.end(true) { self.leave(host) }
                }
                if let id { waiter.wait(id) { _ = self.cancel(host, id) } }
            }
        } onCancel: {
            waiter.cancel()
        }
        if !hasSlot { throw .cancelled }
    }

    /// Somebody in the queue: gets the slot or is cancelled, whichever comes first.
    private final class Waiter: Sendable {
        private struct State {
            var continuation: UnsafeContinuation<Bool, Never>?
            var isCancelled = false
            var leaveQueue: (@Sendable () -> Void)?
        }

        private let state = Mutex(State())

        func begin(_ continuation: UnsafeContinuation<Bool, Never>) {
            state.withLock { $0.continuation = continuation }
        }

        func wait(_ id: UInt64, leaveQueue: @escaping @Sendable () -> Void) {
            let isCancelled = state.withLock { state in
                state.leaveQueue = leaveQueue
                return state.isCancelled
            }
            if isCancelled { cancel() }
        }

        func cancel() {
            let leaveQueue = state.withLock { state in
                state.isCancelled = true
                return state.leaveQueue
            }
            guard let leaveQueue else { return }
            leaveQueue()
            _ = end(false)
        }

        /// False when it had ended before.
        func end(_ hasSlot: Bool) -> Bool {
            guard let continuation = state.withLock({ $0.continuation.take() }) else { return false }
            continuation.resume(returning: hasSlot)
            return true
        }
    }
}
