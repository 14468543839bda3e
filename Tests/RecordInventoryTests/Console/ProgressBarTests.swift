import Synchronization
import TestSupport
import XCTest

@testable import RecordInventory

final class ProgressBarTests: TimedTestCase {
    private final class Clock: Sendable {
        private let instant = Mutex(ContinuousClock.now)
        func advance(milliseconds: Int) { instant.withLock { $0 += .milliseconds(milliseconds) } }
        var now: ContinuousClock.Instant { instant.withLock { $0 } }
    }

    private let messages = Transcript()
    private let clock = Clock()

    private func bar(columns: Int = 80) -> ProgressBar {
        let console = Console(
            results: Transcript().output(), messages: messages.output(isTerminal: true, columns: columns),
            input: .texts())
        return ProgressBar("Importing", on: console, now: { [clock] in clock.now })
    }

    func testItIsDrawnAtMostTenTimesASecond() {
        let bar = bar()
        bar.update(1, fraction: 0.25)
        XCTAssertEqual(messages.text, "")
        clock.advance(milliseconds: 100)
        bar.update(2, fraction: 0.5)
        XCTAssertEqual(messages.text, "Importing  50% [###############...............] 2")
        clock.advance(milliseconds: 99)
        bar.update(3, fraction: 0.75)
        XCTAssertEqual(messages.text, "Importing  50% [###############...............] 2")
        bar.finish()
        XCTAssertTrue(messages.text.hasSuffix("\r\u{1B}[K"))
    }

    func testWithoutAFractionItCounts() {
        let bar = bar()
        clock.advance(milliseconds: 100)
        bar.update(1500, fraction: nil)
        XCTAssertEqual(messages.text, "Importing 1500")
    }

    func testMoreThanAllIsAll() {
        let bar = bar()
        clock.advance(milliseconds: 100)
        bar.update(3, fraction: 1.5)
        XCTAssertEqual(messages.text, "Importing 100% [##############################] 3")
    }

    func testItFitsTheWindow() {
        let bar = bar(columns: 20)
        clock.advance(milliseconds: 100)
        bar.update(1, fraction: 0.5)
        XCTAssertEqual(messages.text, "Importing  50% [##…")
    }
}
