import Synchronization

/// The progress of work that takes longer than a second, on a terminal only:
/// `Importing  50% [#####.....] 5000, 1200/s, 4 s left`.
final class ProgressBar: Sendable {
    private static let delay = Duration.seconds(1)
    private static let interval = Duration.milliseconds(100)
    private static let cells = 20

    private let title: String
    private let total: Int?
    private let console: Console
    private let now: @Sendable () -> ContinuousClock.Instant
    private let start: ContinuousClock.Instant
    /// When to draw next. Short work ends before anything is drawn.
    private let due: Mutex<ContinuousClock.Instant>

    /// - Parameter total: The number of items, or `nil` if it is unknown.
    init(
        _ title: String, total: Int? = nil, on console: Console,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.title = title
        self.total = total
        self.console = console
        self.now = now
        start = now()
        due = Mutex(start + Self.delay)
    }

    /// Draws the progress at most ten times a second. Call it for each item.
    ///
    /// - Parameters:
    ///   - done: The number of items done.
    ///   - fraction: The part of the work done, from 0 to 1. `nil` is the part of the total, if that is known.
    func update(_ done: Int, fraction: Double? = nil) {
        let instant = now()
        let isDue = due.withLock { due in
            guard instant >= due else { return false }
            due = instant + Self.interval
            return true
        }
        guard isDue else { return }
        let line = line(done, fraction ?? total.map { Double(done) / Double(max($0, 1)) }, start.duration(to: instant))
        console.showProgress(line.truncated(toWidth: console.messages.columns() - 1))
    }

    func finish() {
        console.showProgress(nil)
    }

    private func line(_ done: Int, _ fraction: Double?, _ elapsed: Duration) -> String {
        let seconds = elapsed / .seconds(1)
        let count = "\(done), \(Int(Double(done) / seconds))/s"
        guard let fraction else { return "\(title) \(count)" }
        let share = min(1, max(0, fraction))
        let filled = Int(share * Double(Self.cells))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.cells - filled)
        let percent = "\(Int(share * 100))%"
        let line = "\(title) \(String(repeating: " ", count: 4 - percent.count))\(percent) [\(bar)] \(count)"
        // The first hundredth tells little of the rest.
        return share < 0.01 ? line : line + ", \(Self.text(Int((seconds / share - seconds).rounded(.up)))) left"
    }

    /// `40 s`, `3 min`, `2 h`
    private static func text(_ seconds: Int) -> String {
        switch seconds {
        case ..<100: "\(seconds) s"
        case ..<6_000: "\((seconds + 30) / 60) min"
        default: "\((seconds + 1_800) / 3_600) h"
        }
    }
}
