import Synchronization
import XCTest

@testable import RecordInventory

final class ProgressBarTests: XCTestCase {
    private final class Clock: Sendable {
        private let instant = Mutex(ContinuousClock.now)
        func advance(milliseconds: Int) { instant.withLock { $0 += .milliseconds(milliseconds) } }
        var now: ContinuousClock.Instant { instant.withLock { $0 } }
    }

    private let messages = Transcript()
    private let clock = Clock()

    private func bar(total: Int?, columns: Int = 80) -> ProgressBar {
        let console = Console(
            results: Transcript().output(), messages: messages.output(isTerminal: true, columns: columns),
            input: .texts())
        return ProgressBar("Importing", total: total, on: console, now: { [clock] in clock.now })
    }

    func testItIsDrawnAtMostTenTimesASecond() {
        let bar = bar(total: 4)
        bar.update(1)
        XCTAssertEqual(messages.text, "")
        clock.advance(milliseconds: 100)
        bar.update(2)
        XCTAssertEqual(messages.text, "Importing [###############...............]  50%  2 of 4")
        clock.advance(milliseconds: 99)
        bar.update(3)
        XCTAssertEqual(messages.text, "Importing [###############...............]  50%  2 of 4")
        bar.finish()
        XCTAssertTrue(messages.text.hasSuffix("\r\u{1B}[K"))
    }

    func testWithoutATotalItCounts() {
        let bar = bar(total: nil)
        clock.advance(milliseconds: 100)
        bar.update(1500)
        XCTAssertEqual(messages.text, "Importing 1500")
    }

    func testMoreThanAllIsAll() {
        let bar = bar(total: 2)
        clock.advance(milliseconds: 100)
        bar.update(3)
        XCTAssertEqual(messages.text, "Importing [##############################] 100%  3 of 2")
    }

    func testItFitsTheWindow() {
        let bar = bar(total: 2, columns: 20)
        clock.advance(milliseconds: 100)
        bar.update(1)
        XCTAssertEqual(messages.text, "Importing [#######…")
    }
}
