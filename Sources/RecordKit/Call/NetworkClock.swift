import Dispatch
public import Foundation
import Synchronization

/// A clock for timeouts, deadlines, waits between attempts and dates.
///
/// A test passes a clock that it moves forward itself.
public struct NetworkClock: Sendable {
    /// Returns the time since a fixed moment in the past. It never decreases.
    ///
    /// It is called often, on any thread and with locks held. It must return immediately, and must not call RecordKit.
    public let now: @Sendable () -> Duration
    /// Waits for a duration. Throws an error if the task is cancelled.
    public let sleep: @Sendable (Duration) async throws -> Void
    /// Calls an action once, after a duration, on a thread of the clock.
    ///
    /// Returns a function that cancels the action. Calling that function twice, or too late, does nothing.
    public let schedule: @Sendable (Duration, @escaping @Sendable () -> Void) -> @Sendable () -> Void
    /// Returns the current date, which the user may change. The rules of ``now`` apply.
    public let date: @Sendable () -> Date
    /// The delay from which a timeout is late, and for which it then waits once more. `nil` if timers are exact.
    ///
    /// While a process is stopped, its timers run on, and responses arrive. When it continues, they come first.
    var grace: Duration?

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - now: Returns the time since a fixed moment. See ``now``.
    ///   - sleep: Waits for a duration. See ``sleep``.
    ///   - schedule: Calls an action after a duration. See ``schedule``. By default, a task that sleeps calls it.
    ///   - date: Returns the current date. See ``date``. By default, it is the system's date.
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

    /// Creates a clock from one of Swift, such as `SuspendingClock` or the clock of a test.
    ///
    /// - Parameters:
    ///   - clock: The clock.
    ///   - date: Returns the current date. See ``date``. By default, it is the system's date.
    public init<Base: Clock<Duration>>(_ clock: Base, date: @escaping @Sendable () -> Date = { Date() }) {
        let start = clock.now
        self.init(
            now: { start.duration(to: clock.now) }, sleep: { try await clock.sleep(for: $0.limited) }, date: date)
    }

    /// The clock of the system.
    ///
    /// ``now`` advances while the machine sleeps. On Apple platforms, the timers don't.
    ///
    /// If the process was stopped, as by a signal, a timeout that is due waits one second for what has arrived
    /// meanwhile.
    public static let continuous: NetworkClock = {
        var clock = NetworkClock(
            now: { ContinuousClock.now - start },
            sleep: { try await Task.sleep(for: $0.limited, tolerance: .zero) },
            schedule: { duration, action in
                let id = Timers.shared.add(after: duration, action)
                return { Timers.shared.remove(id) }
            }
        )
        clock.grace = .seconds(1)
        return clock
    }()

    private static let start = ContinuousClock.now
}

/// The timers of all calls in flight, on one Dispatch timer.
///
/// Most timers are removed before they fire, so adding one only inserts a dictionary entry. The Dispatch timer is
/// rescheduled for an entry that is earlier than all others. It checks all entries when it fires.
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

    /// The number of timers that are set.
    var count: Int { state.withLock { $0.entries.count } }

    /// Calls `action` on the timers' queue after a duration, unless the timer is removed first. Returns the identifier
    /// of the timer.
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
        // Releases the action outside the lock: releasing its captures may call this method again.
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
