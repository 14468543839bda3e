import Synchronization

/// The progress of long work, on a terminal only: `Importing  50% [#####.....] 5000`.
final class ProgressBar: Sendable {
    private static let interval = Duration.milliseconds(100)
    private static let cells = 30

    private let title: String
    private let console: Console
    private let now: @Sendable () -> ContinuousClock.Instant
    private let lastDrawn: Mutex<ContinuousClock.Instant>

    init(
        _ title: String, on console: Console,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.title = title
        self.console = console
        self.now = now
        // Short work ends before anything is drawn.
        lastDrawn = Mutex(now())
    }

    /// Draws the progress at most ten times a second. Call it for each item.
    ///
    /// - Parameters:
    ///   - done: The number of items done.
    ///   - fraction: The part of the work done, from 0 to 1. `nil` shows only the count.
    func update(_ done: Int, fraction: Double?) {
        let instant = now()
        let isDue = lastDrawn.withLock { last in
            guard last.duration(to: instant) >= Self.interval else { return false }
            last = instant
            return true
        }
        if isDue { console.showProgress(line(done, fraction).truncated(toWidth: console.messages.columns() - 1)) }
    }

    func finish() {
        console.showProgress(nil)
    }

    private func line(_ done: Int, _ fraction: Double?) -> String {
        guard let fraction else { return "\(title) \(done)" }
        let share = min(1, max(0, fraction))
        let filled = Int(share * Double(Self.cells))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.cells - filled)
        let percent = "\(Int(share * 100))%"
        return "\(title) \(String(repeating: " ", count: 4 - percent.count))\(percent) [\(bar)] \(done)"
    }
}
