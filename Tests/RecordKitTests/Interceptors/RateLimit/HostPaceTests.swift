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
}
