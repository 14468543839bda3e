public import Foundation

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
