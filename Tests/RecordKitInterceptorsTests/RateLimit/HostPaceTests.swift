import TestSupport
import XCTest

import RecordKit
@testable import RecordKitInterceptors

final class HostPaceTests: TimedTestCase {
    /// Idle hosts are removed if there are many hosts.
    func testAHostIsIdleOnceItsTokensCouldBeBack() {
        var pace = HostPace(HostPace.Rate(callsPerSecond: 2, burst: 4), now: .zero)
        XCTAssertTrue(pace.isIdle(now: .zero))
        pace.take()
        XCTAssertFalse(pace.isIdle(now: .seconds(9)), "a call is under way")
        pace.leave(nil, mayHaveCounted: true, now: .milliseconds(100))
        XCTAssertFalse(pace.isIdle(now: .milliseconds(100)))
        XCTAssertTrue(pace.isIdle(now: .milliseconds(500)))
    }

    /// Responses to simultaneous calls may arrive out of order.
    func testResponsesOutOfOrderLeaveTheLeast() {
        var pace = HostPace(nil, now: .zero)
        for _ in 0..<2 { pace.take() }
        for left in [3, 4] { pace.leave(told(left), mayHaveCounted: true, now: .zero) }
        XCTAssertEqual(pace.count(now: .zero), 3)
        pace.take()
        pace.leave(told(5), mayHaveCounted: true, now: .zero)
        XCTAssertEqual(pace.count(now: .zero), 5, "one that was alone was late for none")
    }

    func testACallWithoutAResponseCountsUntilTheNextResponse() {
        var pace = pace(after: told(3))
        for _ in 0..<2 { pace.take() }
        pace.leave(nil, mayHaveCounted: true, now: .zero)
        XCTAssertEqual(pace.count(now: .zero), 1)
        pace.leave(told(3), mayHaveCounted: true, now: .zero)
        XCTAssertEqual(pace.count(now: .zero), 3, "the server has not counted it")

        pace.take()
        pace.leave(nil, mayHaveCounted: true, now: .zero)
        XCTAssertEqual(pace.count(now: .zero), 2)
        pace.advance(to: .seconds(30))
        XCTAssertEqual(pace.count(now: .seconds(30)), 1, "that was the window before")
    }

    func testACallWaitsForThoseBeforeItToo() {
        let pace = pace(after: told(1))
        XCTAssertEqual(pace.time(after: 0, now: .zero), .zero)
        XCTAssertEqual(pace.time(after: 1, now: .zero), .seconds(30))
    }

    func testTheStricterOfItsOwnRateAndTheServersCounts() {
        let rate = HostPace.Rate(callsPerSecond: 1, burst: 5)
        XCTAssertEqual(pace(rate, after: told(2)).count(now: .zero), 2)
        XCTAssertEqual(pace(rate, after: told(9)).count(now: .zero), 4)
    }

    func testPartsOfATokenAddUpToAWhole() {
        var pace = HostPace(HostPace.Rate(callsPerSecond: 1, burst: 1), now: .zero)
        pace.take()
        for tenth in 1...10 { pace.advance(to: .milliseconds(tenth * 100)) }
        XCTAssertEqual(pace.time(now: .seconds(1)), .seconds(1))
        XCTAssertEqual(pace.count(now: .seconds(1)), 1)
    }

    func testAPauseIsKeptAndNeverLongerThanAnHour() {
        var pace = pace(after: ServerLimits(["Retry-After": "50"], date: { Date() }))
        pace.take()
        pace.leave(ServerLimits(["Retry-After": "5"], date: { Date() }), mayHaveCounted: true, now: .zero)
        XCTAssertEqual(pace.time(now: .zero), .seconds(50))
        XCTAssertEqual(pace.count(now: .zero), 0)
        XCTAssertFalse(pace.isIdle(now: .seconds(49)))

        pace = self.pace(after: ServerLimits(["Retry-After": "999999"], date: { Date() }))
        XCTAssertEqual(pace.time(now: .zero), .seconds(3600))
    }

    func testAWindowThatEndsAtAnotherTimeIsAnother() {
        for (first, second) in [(30, 5), (5, 30)] {
            var pace = HostPace(nil, now: .zero)
            for _ in 0..<2 { pace.take() }
            pace.leave(told(3, reset: first), mayHaveCounted: true, now: .zero)
            pace.leave(told(9, reset: second), mayHaveCounted: true, now: .zero)
            XCTAssertEqual(pace.count(now: .zero), 9, "\(second) s after \(first) s")
        }
    }

    func testTheLaterOfTwoEndsOfOneWindowCounts() {
        var pace = pace(after: told(0, reset: 30))
        pace.take()
        pace.leave(told(0, reset: 29), mayHaveCounted: true, now: .zero)
        XCTAssertEqual(pace.time(now: .zero), .seconds(30))
        XCTAssertFalse(pace.isIdle(now: .seconds(29)))
    }

    func testAResponseAfterTheEndOfAShortWindowBelongsToTheNext() {
        var pace = HostPace(nil, now: .zero)
        for _ in 0..<2 { pace.take() }
        pace.leave(told(0, reset: 1), mayHaveCounted: true, now: .zero)
        pace.leave(told(5, reset: 1), mayHaveCounted: true, now: .milliseconds(1500))
        XCTAssertEqual(pace.count(now: .milliseconds(1500)), 5)
    }

    func testTheLimitIsRememberedAndAWindowThatEndsBringsAllOfItBack() {
        var pace = pace(
            after: ServerLimits(["X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "3"], date: { Date() }))
        pace.take()
        pace.leave(told(0), mayHaveCounted: true, now: .zero)
        XCTAssertEqual(pace.limit, 60)
        pace.advance(to: .seconds(30))
        XCTAssertEqual(pace.count(now: .seconds(30)), 60)
    }

    func testALimitOfNothingIsNoReasonToEnd() {
        let headers: HTTPHeaders = ["X-Discogs-Ratelimit": "0", "X-Discogs-Ratelimit-Remaining": "0"]
        let pace = pace(after: ServerLimits(headers, date: { Date() }))
        XCTAssertEqual(pace.time(now: .zero), .seconds(60))
    }

    /// Ends a call with a response.
    private func pace(_ rate: HostPace.Rate? = nil, after limits: ServerLimits) -> HostPace {
        var pace = HostPace(rate, now: .zero)
        pace.take()
        pace.leave(limits, mayHaveCounted: true, now: .zero)
        return pace
    }

    private func told(_ left: Int, reset: Int = 30) -> ServerLimits {
        ServerLimits(["RateLimit-Remaining": "\(left)", "RateLimit-Reset": "\(reset)"], date: { Date() })
    }
}
