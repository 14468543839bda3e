import Dispatch
public import Foundation
import Synchronization

/// The time that calls go by: timeouts, deadlines, waits between attempts, dates that servers name.
///
/// A test passes one whose time it moves by hand.
public struct NetworkClock: Sendable {
    /// Returns the time since a fixed moment of the past. It never goes back.
    ///
    /// Called often, on any thread and under locks: it must return at once, and call nothing of RecordKit's.
    public let now: @Sendable () -> Duration
    /// Returns when the time has passed; throws when the task is cancelled.
    public let sleep: @Sendable (Duration) async throws -> Void
    /// Calls an action once, when the time has passed, on a thread of the clock's. Returns what cancels the action;
    /// cancelling twice, or too late, does nothing.
    public let schedule: @Sendable (Duration, @escaping @Sendable () -> Void) -> @Sendable () -> Void
    /// Returns the date, which the person at the machine may change. Called as ``now`` is.
    public let date: @Sendable () -> Date

    /// - Parameters:
    ///   - now: See ``now``.
    ///   - sleep: See ``sleep``.
    ///   - schedule: See ``schedule``. By default, a task that sleeps first.
    ///   - date: See ``date``.
    public init(
        now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void,
        schedule: (@Sendable (Duration, @escaping @Sendable () -> Void) -> @Sendable () -> Void)? = nil,
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.now = now
        self.sleep = sleep
        self.schedule =
            schedule ?? { duration, action in
                let task = Task {
                    do { try await sleep(duration) } catch { return }
                    action()
                }
                return { task.cancel() }
            }
        self.date = date
    }

    /// The machine's clock. ``now`` goes on while the machine sleeps; on Apple's systems timers do not.
    public static let continuous = NetworkClock(
        now: { ContinuousClock.now - start },
        sleep: { try await Task.sleep(for: $0.limited, tolerance: .zero) },
        schedule: { duration, action in
            let id = Timers.shared.add(after: duration, action)
            return { Timers.shared.remove(id) }
        }
    )

    private static let start = ContinuousClock.now
}

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
