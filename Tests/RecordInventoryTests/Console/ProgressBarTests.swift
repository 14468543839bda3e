import TestSupport
import XCTest

@testable import RecordInventory

final class ProgressBarTests: TimedTestCase {
    private final class Clock: Sendable {
        private let instant = Kept(ContinuousClock.now)
        func advance(milliseconds: Int) { instant.change { $0 += .milliseconds(milliseconds) } }
        var now: ContinuousClock.Instant { instant.now }
    }

    private let clock = Clock()

    private func bar(on messages: Transcript, total: Int? = nil, columns: Int = 80, isTerminal: Bool = true)
        -> ProgressBar
    {
        let console = Console(
            results: Transcript().output(), messages: messages.output(isTerminal: isTerminal, columns: columns),
            input: .texts())
        return ProgressBar("Importing", total: total, on: console, now: { [clock] in clock.now })
    }

    func testItIsDrawnAfterASecondAndAtMostTenTimesASecond() {
        let messages = Transcript()
        let bar = bar(on: messages)
        clock.advance(milliseconds: 999)
        bar.update(1, fraction: 0.25)
        XCTAssertEqual(messages.text, "")
        clock.advance(milliseconds: 1_001)
        bar.update(200, fraction: 0.5)
        let half = "Importing  50% [##########..........] 200, 100/s, 2 s left"
        XCTAssertEqual(messages.text, half)
        clock.advance(milliseconds: 99)
        bar.update(300, fraction: 0.75)
        XCTAssertEqual(messages.text, half)
        bar.finish()
        XCTAssertTrue(messages.text.hasSuffix("\r\u{1B}[K"))
    }

    func testWhatItShows() {
        for (name, total, columns, isTerminal, updates, shown) in [
            ("without a fraction", nil, 80, true, [(1_500, nil)], "Importing 1500, 750/s"),
            (
                "a part of all", 1_000, 80, true, (1...100).map { ($0, nil) },
                "Importing  10% [##..................] 100, 50/s, 18 s left"
            ),
            ("more than all", 2, 80, true, [(3, nil)], "Importing 100% [####################] 3, 1/s, 0 s left"),
            ("a narrow window", nil, 20, true, [(1, 0.5)], "Importing  50% [##…"),
            ("a pipe", nil, 80, false, [(1, 0.5)], ""),
        ] as [(String, Int?, Int, Bool, [(Int, Double?)], String)] {
            let messages = Transcript()
            let bar = bar(on: messages, total: total, columns: columns, isTerminal: isTerminal)
            for (done, fraction) in updates.dropLast() { bar.update(done, fraction: fraction) }
            clock.advance(milliseconds: 2_000)
            if let (done, fraction) = updates.last { bar.update(done, fraction: fraction) }
            XCTAssertEqual(messages.text, shown, name)
        }
    }
}
