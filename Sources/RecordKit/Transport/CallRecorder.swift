import Synchronization

/// What all copies of one call share: how many attempts it has had, and what was made for it once.
final class CallRecorder: Sendable {
    private struct State {
        var attempts = 1
        var made: [String: String] = [:]
    }

    private let state = Mutex(State())

    /// The number of a further attempt.
    func countAttempt() -> Int {
        state.withLock { state in
            state.attempts += 1
            return state.attempts
        }
    }

    /// The value made first under this name; `make` is called outside the lock, as it may be anybody's.
    func once(_ name: String, _ make: () -> String) -> String {
        if let value = state.withLock({ $0.made[name] }) { return value }
        let value = make()
        return state.withLock { state in
            if let earlier = state.made[name] { return earlier }
            state.made[name] = value
            return value
        }
    }
}
