import RecordKitTesting
import XCTest

@testable import RecordKitInterceptors

/// When a token is refreshed, by its lifetime and by what servers say of it.
final class RefreshPacingTests: XCTestCase {
    private let start = Date(timeIntervalSince1970: 1_000_000_000)

    private func at(_ seconds: Int) -> RefreshPacing.Moment {
        RefreshPacing.Moment(now: .seconds(seconds), date: start.addingTimeInterval(Double(seconds)))
    }

    private func pacing(_ lifetime: Int? = nil) -> RefreshPacing {
        RefreshPacing(expiry: lifetime.map { at($0).date }, leeway: .seconds(60))
    }

    func testATokenIsRefreshedBeforeItExpires() {
        let refreshed = pacing().refreshed
        let table: [(String, RefreshPacing, [(at: Int, RefreshPacing.Need)])] = [
            ("no expiry", pacing(), [(1_000_000, .token)]),
            ("100 s", pacing(100), [(39, .token), (40, .earlyRefresh), (99, .earlyRefresh), (100, .refresh)]),
            // It is used for half of its lifetime.
            ("short", refreshed(at(30).date, at(0)), [(14, .token), (15, .earlyRefresh), (30, .refresh)]),
            ("short, of a sign-in", pacing(30), [(0, .earlyRefresh)]),
            // The device's clock is wrong.
            ("refreshed, but expired", refreshed(at(-3_600).date, at(0)), [(0, .token), (1_000_000, .token)]),
            ("stored, but expired", pacing(-1), [(0, .refresh)]),
        ]
        for (name, pacing, needs) in table {
            for (seconds, need) in needs { XCTAssertEqual(pacing.need(at: at(seconds)), need, "\(name), \(seconds) s") }
        }
    }

    func testAfterAnEarlyRefreshThatFailedTheTokenIsUsedForTenSeconds() {
        var pacing = pacing(100)
        pacing.failedEarly(at: at(50))
        for (seconds, need) in [(59, RefreshPacing.Need.token), (60, .earlyRefresh), (100, .refresh)] {
            XCTAssertEqual(pacing.need(at: at(seconds)), need, "\(seconds) s")
        }
    }

    func testARejectedTokenIsRefreshedUnlessItIsReused() {
        var pacing = pacing()
        pacing.refuse()
        XCTAssertEqual(pacing.need(at: at(0)), .refresh)
        pacing.reuse()
        XCTAssertEqual(pacing.need(at: at(0)), .token)
    }

    func testRefreshesThatNoServerAcceptsWaitLongerEachTime() {
        var pacing = pacing()
        for pause in [0, 10, 20, 40, 80, 160, 320, 320] {
            pacing = pacing.refreshed(expiry: nil, at: at(5))
            XCTAssertEqual(pacing.isPaused(at: at(4 + pause)), pause > 0, "\(pause)")
            XCTAssertFalse(pacing.isPaused(at: at(5 + pause)), "\(pause)")
        }
        // An expired token is refreshed at once.
        XCTAssertFalse(pacing.refreshed(expiry: at(7).date, at: at(5)).isPaused(at: at(7)))
        var accepted = pacing
        accepted.accept()
        XCTAssertFalse(accepted.isPaused(at: at(5)))
        XCTAssertFalse(accepted.refreshed(expiry: nil, at: at(5)).isPaused(at: at(5)))
        XCTAssertFalse(pacing.replaced(expiry: nil).isPaused(at: at(5)), "a sign-in")
    }
}
