import Dispatch
import Synchronization

/// The timeouts of all attempts in flight, on one timer.
///
/// Timers are set far more often than they fire. Setting one is an entry in a dictionary; the timer is armed anew only
/// for an entry that is earlier than all others, and looks at all entries when it fires.
final class AttemptTimers: Sendable {
    static let shared = AttemptTimers()

    private struct State {
        var entries: [UInt64: Entry] = [:]
        var lastID: UInt64 = 0
        var armedFor: DispatchTime = .distantFuture
    }

    private struct Entry {
        let time: DispatchTime
        let action: @Sendable () -> Void
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "RecordKit.timeouts", qos: .userInitiated)

    /// Calls `action` on a queue of its own once the time has passed, unless it is removed before.
    func add(after duration: Duration, _ action: @escaping @Sendable () -> Void) -> UInt64 {
        let time = DispatchTime.now() + duration.dispatchInterval
        let (id, mustArm) = state.withLock { state in
            state.lastID += 1
            state.entries[state.lastID] = Entry(time: time, action: action)
            let mustArm = time < state.armedFor
            if mustArm { state.armedFor = time }
            return (state.lastID, mustArm)
        }
        if mustArm { arm(for: time) }
        return id
    }

    func remove(_ id: UInt64) {
        // The action is released outside the lock: what it holds may come back here when it goes.
        let removed = state.withLock { $0.entries.removeValue(forKey: id) }
        withExtendedLifetime(removed) {}
    }

    private func arm(for time: DispatchTime) {
        queue.asyncAfter(deadline: time) { [weak self] in self?.fire() }
    }

    private func fire() {
        let now = DispatchTime.now()
        let (due, next) = state.withLock { state in
            let due = state.entries.filter { $0.value.time <= now }
            for id in due.keys { state.entries[id] = nil }
            let next = state.entries.values.lazy.map(\.time).min()
            // An earlier firing may still be on its way; then this one has nothing to arm.
            let mustArm = next.map { state.armedFor <= now || $0 < state.armedFor } ?? false
            if state.armedFor <= now || mustArm { state.armedFor = next ?? .distantFuture }
            return (due, mustArm ? next : nil)
        }
        if let next { arm(for: next) }
        for entry in due.values { entry.action() }
    }
}

extension Duration {
    /// For Dispatch, which counts nanoseconds in 64 bits and traps beyond; a year stands for every longer time.
    var dispatchInterval: DispatchTimeInterval {
        let limited = min(max(self, .zero), .seconds(366 * 86_400))
        let (seconds, attoseconds) = limited.components
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }

    /// Seconds as Foundation counts them.
    var timeInterval: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
