import Synchronization

/// How far a long piece of work is, on a terminal only: `Importing [#####.....]  50%  5000 of 10000`.
final class ProgressBar: Sendable {
    private static let interval = Duration.milliseconds(100)
    private static let cells = 30

    private let title: String
    private let total: Int?
    private let console: Console
    private let now: @Sendable () -> ContinuousClock.Instant
    private let lastDrawn: Mutex<ContinuousClock.Instant>

    /// Without a total, which standard input does not tell, it counts only.
    init(
        _ title: String, total: Int?, on console: Console,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.title = title
        self.total = total
        self.console = console
        self.now = now
        // Short work is over before anything is drawn.
        lastDrawn = Mutex(now())
    }

    /// Draws at most ten times a second, so it may be called for each item.
    func update(_ done: Int) {
        let instant = now()
        let isDue = lastDrawn.withLock { last in
            guard last.duration(to: instant) >= Self.interval else { return false }
            last = instant
            return true
        }
        if isDue { console.showProgress(line(done).truncated(toWidth: console.messages.columns() - 1)) }
    }

    func finish() {
        console.showProgress(nil)
    }

    private func line(_ done: Int) -> String {
        guard let total, total > 0 else { return "\(title) \(done)" }
        let share = min(1, max(0, Double(done) / Double(total)))
        let filled = Int(share * Double(Self.cells))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.cells - filled)
        let percent = "\(Int(share * 100))%"
        return "\(title) [\(bar)] \(String(repeating: " ", count: 4 - percent.count))\(percent)  \(done) of \(total)"
    }
}
