import Dispatch
import Synchronization

/// The timers of all calls in flight, on one timer of Dispatch.
///
/// Timers are set far more often than they fire. Setting one adds an entry to a dictionary; Dispatch's timer is armed
/// anew only for an entry that is earlier than all others, and looks at all entries when it fires.
final class Timers: Sendable {
    static let shared = Timers()

    private struct State: ~Copyable {
        var entries: [UInt64: Entry] = [:]
        var lastID: UInt64 = 0
        var armedFor = DispatchTime.distantFuture
        let timer: any DispatchSourceTimer
    }

    private struct Entry {
        let time: DispatchTime
        let action: @Sendable () -> Void
    }

    private let state: Mutex<State>

    private init() {
        let queue = DispatchQueue(label: "RecordKit.timers", qos: .userInitiated)
        state = Mutex(State(timer: DispatchSource.makeTimerSource(flags: .strict, queue: queue)))
        state.withLock { state in
            state.timer.setEventHandler { [weak self] in self?.fire() }
            state.timer.activate()
        }
    }

    /// How many are set.
    var count: Int { state.withLock { $0.entries.count } }

    /// Calls `action` on the timers' queue once the time has passed, unless it is removed before.
    func add(after duration: Duration, _ action: @escaping @Sendable () -> Void) -> UInt64 {
        let time = DispatchTime.now() + duration.dispatchInterval
        return state.withLock { state in
            state.lastID += 1
            state.entries[state.lastID] = Entry(time: time, action: action)
            if time < state.armedFor { arm(for: time, &state) }
            return state.lastID
        }
    }

    func remove(_ id: UInt64) {
        // The action is released outside the lock: releasing what it holds may come back here.
        let removed = state.withLock { $0.entries.removeValue(forKey: id) }
        withExtendedLifetime(removed) {}
    }

    private func arm(for time: DispatchTime, _ state: inout State) {
        state.armedFor = time
        state.timer.schedule(deadline: time, leeway: .nanoseconds(0))
    }

    private func fire() {
        let due = state.withLock { state in
            let now = DispatchTime.now()
            var next = DispatchTime.distantFuture
            var due: [(id: UInt64, entry: Entry)] = []
            for (id, entry) in state.entries {
                if entry.time <= now { due.append((id, entry)) } else { next = min(next, entry.time) }
            }
            for (id, _) in due { state.entries[id] = nil }
            state.armedFor = next
            if next != .distantFuture { arm(for: next, &state) }
            return due
        }
        for (_, entry) in due.sorted(by: { $0.entry.time < $1.entry.time }) { entry.action() }
    }
}
