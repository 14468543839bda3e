public import Foundation

/// The time that calls live by: deadlines, waits between attempts, dates that servers name.
///
/// A test hands in one whose time it moves itself.
public struct NetworkClock: Sendable {
    /// The time since a fixed moment of the past, which never goes back. Asked often, on any thread and under locks: it
    /// must return at once, and call nothing of RecordKit's.
    public let now: @Sendable () -> Duration
    /// Returns when the time has passed, throws when the task is cancelled.
    public let sleep: @Sendable (Duration) async throws -> Void
    /// The date, which somebody may set. Asked as ``now`` is.
    public let date: @Sendable () -> Date

    public init(
        now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void,
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.now = now
        self.sleep = sleep
        self.date = date
    }

    /// The machine's clock, which goes on while it sleeps.
    public static let continuous = NetworkClock(
        now: { ContinuousClock.now - start },
        sleep: { try await Task.sleep(for: $0.limited, tolerance: .zero) }
    )

    private static let start = ContinuousClock.now
}
