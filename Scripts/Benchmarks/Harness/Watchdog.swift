import Dispatch
import Foundation
import Synchronization

/// Ends the process after a time limit, so that a workload that hangs fails with its name.
final class Watchdog: Sendable {
    private let work = Mutex("starting")

    /// - Parameter limit: The limit in seconds. `nil` waits forever.
    init(limit: Int?) {
        guard let limit else { return }
        DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + .seconds(limit)) { self.bark(limit) }
    }

    /// Sets the name of the work that runs from now on.
    func watch(_ work: String) {
        self.work.withLock { $0 = work }
    }

    /// Prints the processor time and the load, which show whether the machine was too busy.
    private func bark(_ limit: Int) -> Never {
        var loads = [0.0, 0, 0]
        getloadavg(&loads, 3)
        let processor = Double(clock()) / 1_000_000
        let text = """
            benchmark: not done after \(limit) s, at \(work.withLock { $0 }); used \(processor.text(decimals: 1)) s of \
            the processor; the machine's load is \(loads[0].text(decimals: 1)). --limit sets another limit.

            """
        FileHandle.standardError.write(Data(text.utf8))
        exit(1)
    }
}
