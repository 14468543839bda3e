import Foundation
import RecordKit
import RecordKitTesting
import XCTest

final class RetryBudgetTests: XCTestCase {
    /// How many attempts so many failing calls have in all.
    private func attempts(_ calls: Int, _ retry: Retry, by clock: ManualClock, host: String = "a.example") async -> Int
    {
        let transport = CannedTransport(.answer(503))
        var network = NetworkConfiguration(transport, [retry], clock: clock)
        network.environment = NetworkEnvironment("https://\(host)")
        for _ in 0..<calls { _ = await network.status() }
        return transport.calls.count
    }

    func testRetriesAreAShareOfTheCallsAndAReserve() async {
        let clock = ManualClock(advancesItself: true)
        let retry = Retry(
            attempts: 2, base: .zero, floor: .zero, budget: RetryBudget(share: 0.2, reserve: 10))
        let count = await attempts(1000, retry, by: clock)
        XCTAssertEqual(count, 1000 + 10 + 200, accuracy: 3)
    }

    func testTheReserveComesBackWithTime() async {
        let clock = ManualClock(advancesItself: true)
        let retry = Retry(attempts: 2, base: .zero, floor: .zero, budget: RetryBudget(share: 0, reserve: 10))
        let first = await attempts(20, retry, by: clock)
        XCTAssertEqual(first, 30)
        clock.advance(by: .seconds(5))
        let second = await attempts(20, retry, by: clock)
        XCTAssertEqual(second, 25)
        clock.advance(by: .seconds(500))
        let third = await attempts(20, retry, by: clock)
        XCTAssertEqual(third, 30)
    }

    func testEachHostHasItsOwn() async {
        let clock = ManualClock(advancesItself: true)
        let retry = Retry(attempts: 2, base: .zero, floor: .zero, budget: RetryBudget(share: 0, reserve: 3))
        let one = await attempts(10, retry, by: clock)
        let other = await attempts(10, retry, by: clock, host: "b.example")
        XCTAssertEqual([one, other], [13, 13])
    }

    func testWithoutABudgetEveryCallIsRetried() async {
        let clock = ManualClock(advancesItself: true)
        let count = await attempts(100, Retry(attempts: 2, base: .zero, floor: .zero, budget: nil), by: clock)
        XCTAssertEqual(count, 200)
    }
}
