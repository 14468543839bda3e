import TestSupport
import XCTest

@testable import RecordKit

/// Which timer stops a transfer, and when one waits once more.
final class GraceTimerTests: XCTestCase {
    private let grace = Duration.seconds(1)

    func testATimerThatFiresLateWaitsOnceMore() {
        let table: [(now: Int, grace: Duration?, GraceTimer.Firing)] = [
            (30, grace, .timeOut), (31, grace, .timeOut), (90, nil, .timeOut), (32, grace, .wait(number: 2, grace)),
        ]
        for (now, grace, firing) in table {
            var timer = GraceTimer()
            XCTAssertEqual(timer.begin(due: .seconds(30)), 1)
            XCTAssertEqual(timer.fire(number: 1, at: .seconds(now), grace: grace), firing)
            guard case .wait(let next, _) = firing else { continue }
            XCTAssertEqual(timer.fire(number: 1, at: .seconds(now), grace: grace), .ignore, "it has fired")
            XCTAssertEqual(timer.fire(number: next, at: .seconds(33), grace: grace), .timeOut)
        }
    }

    /// Names the timers in the order in which they are cancelled.
    func testATimerThatWasReplacedOrClearedIsCancelledAndIgnored() {
        let cancelled = Kept<[String]>([])
        func cancel(_ name: String) -> GraceTimer.Cancel { { cancelled.change { $0.append(name) } } }
        var timer = GraceTimer()
        let first = timer.begin(due: .zero)
        timer.keep(cancel("first"), number: first)?()
        let second = timer.begin(due: .zero)
        XCTAssertEqual(timer.fire(number: first, at: .zero, grace: nil), .ignore)
        timer.keep(cancel("second"), number: second)?()
        XCTAssertEqual(cancelled.now, ["first"])
        timer.clear()?()
        XCTAssertEqual(cancelled.now, ["first", "second"])
        XCTAssertEqual(timer.fire(number: second, at: .seconds(9), grace: grace), .ignore)
        // Cleared between its begin and its schedule.
        let third = timer.begin(due: .zero)
        XCTAssertNil(timer.clear())
        timer.keep(cancel("third"), number: third)?()
        XCTAssertEqual(cancelled.now, ["first", "second", "third"])
        XCTAssertNil(timer.clear())
    }
}
