import Foundation
import XCTest

@testable import RecordKit

final class HostPaceTests: XCTestCase {
    /// One that is idle is forgotten when there are many hosts.
    func testAHostIsIdleOnceItsTokensCouldBeBack() {
        var pace = HostPace(HostPace.Rate(callsPerSecond: 2, burst: 4), now: .zero)
        XCTAssertTrue(pace.isIdle(now: .zero))
        pace.take()
        XCTAssertFalse(pace.isIdle(now: .seconds(9)), "a call is under way")
        pace.leave(nil, mayHaveCounted: true, now: .milliseconds(100))
        XCTAssertFalse(pace.isIdle(now: .milliseconds(100)))
        XCTAssertTrue(pace.isIdle(now: .milliseconds(500)))
    }

    /// The last to arrive of several that were under way at once may be the first that was answered.
    func testAnswersThatPassOneAnotherLeaveTheLeast() {
        var pace = HostPace(nil, now: .zero)
        for _ in 0..<2 { pace.take() }
        for left in [3, 4] { pace.leave(told(left), mayHaveCounted: true, now: .zero) }
        XCTAssertEqual(pace.count(now: .zero), 3)
        pace.take()
        pace.leave(told(5), mayHaveCounted: true, now: .zero)
        XCTAssertEqual(pace.count(now: .zero), 5, "one that was alone was late for none")
    }

    private func told(_ left: Int) -> ServerLimits {
        ServerLimits(["RateLimit-Remaining": "\(left)", "RateLimit-Reset": "30"], date: { Date() })
    }
}
