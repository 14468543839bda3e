import Synchronization

/// The state that all copies of a call share.
final class CallState: Sendable {
    private struct State: ~Copyable {
        var attempts = 1
        var isSent = false
        var mayHaveReachedServer = false
        /// The attempt whose timer has fired.
        var timedOutAttempt: Int?
        var values: [ObjectIdentifier: any Sendable] = [:]
    }

    let id = NetworkCall.ID()
    let request: any Sendable
    let clock: NetworkClock
    let observers: [any NetworkObserver]
    private let state = Mutex(State())

    init(request: any Sendable, clock: NetworkClock, observers: [any NetworkObserver]) {
        self.request = request
        self.clock = clock
        self.observers = observers
    }

    /// Counts another attempt and returns its number.
    func countAttempt() -> Int {
        state.withLock { state in
            state.attempts += 1
            return state.attempts
        }
    }

    /// Whether an exchange has started.
    var isSent: Bool { state.withLock { $0.isSent } }

    func markSent() {
        state.withLock { $0.isSent = true }
    }

    /// Whether a server may have seen an exchange that has ended.
    var mayHaveReachedServer: Bool { state.withLock { $0.mayHaveReachedServer } }

    func markReached() {
        state.withLock { $0.mayHaveReachedServer = true }
    }

    /// The last attempt that has exceeded its timeout.
    var timedOutAttempt: Int? {
        get { state.withLock { $0.timedOutAttempt } }
        set { state.withLock { $0.timedOutAttempt = newValue } }
    }

    /// Returns the value of a key. Calls `make` at the first use of the key, outside the lock.
    func value<Key: CallKey>(_ key: Key.Type, _ make: () -> Key.Value) -> Key.Value {
        let name = ObjectIdentifier(key)
        if let value = state.withLock({ $0.values[name] }) as? Key.Value { return value }
        let made = make()
        return state.withLock { state in
            if let earlier = state.values[name] as? Key.Value { return earlier }
            state.values[name] = made
            return made
        }
    }
}
