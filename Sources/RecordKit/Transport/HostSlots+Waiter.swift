import Synchronization

extension HostSlots {
    /// Somebody in the queue of a host: gets a slot or leaves, whichever comes first.
    final class Waiter: Sendable {
        private struct State: ~Copyable {
            var action: (@Sendable (Bool) -> Void)?
            var hasEnded = false
        }

        private let state = Mutex(State())

        var hasEnded: Bool { state.withLock { $0.hasEnded } }

        /// Calls `action` with whether there is a slot, once: now when that is known already, and otherwise then.
        func begin(_ action: @escaping @Sendable (Bool) -> Void) {
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.action = action }
                return state.hasEnded
            }
            if hasEnded { action(false) }
        }

        /// With a slot, or without one. False when it had ended before.
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
