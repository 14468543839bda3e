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

    private func bar(total: Int? = nil, columns: Int = 80, isTerminal: Bool = true) -> ProgressBar {
        let console = Console(
            results: Transcript().output(), messages: messages.output(isTerminal: isTerminal, columns: columns),
            input: .texts())
        return ProgressBar("Importing", total: total, on: console, now: { [clock] in clock.now })
    }

    func testItIsDrawnAfterASecondAndAtMostTenTimesASecond() {
        let bar = bar()
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

    func testWithoutAFractionItCounts() {
        let bar = bar()
        clock.advance(milliseconds: 2_000)
        bar.update(1500)
        XCTAssertEqual(messages.text, "Importing 1500, 750/s")
    }

    func testItemsOfATotalAreCounted() {
        let bar = bar(total: 1_000)
        for done in 1...99 { bar.update(done) }
        clock.advance(milliseconds: 20_000)
        bar.update(100)
        XCTAssertEqual(messages.text, "Importing  10% [##..................] 100, 5/s, 3 min left")
    }

    func testMoreThanAllIsAll() {
        let bar = bar(total: 2)
        clock.advance(milliseconds: 1_000)
        bar.update(3)
        XCTAssertEqual(messages.text, "Importing 100% [####################] 3, 3/s, 0 s left")
    }

    func testItFitsTheWindow() {
        let bar = bar(columns: 20)
        clock.advance(milliseconds: 1_000)
        bar.update(1, fraction: 0.5)
        XCTAssertEqual(messages.text, "Importing  50% [##…")
    }

    func testAPipeSeesNone() {
        let bar = bar(isTerminal: false)
        clock.advance(milliseconds: 1_000)
        bar.update(1, fraction: 0.5)
        XCTAssertEqual(messages.text, "")
    }
}
