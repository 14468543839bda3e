import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

final class RetryBudgetTests: TimedTestCase {
    private let clock = ManualClock(advancesItself: true)

    /// Returns the number of attempts of a number of failing calls.
    private func attempts(_ calls: Int, _ retry: RetryInterceptor, by clock: ManualClock, host: String = "a.example")
        async -> Int
    {
        let transport = CannedTransport(.answer(503))
        var network = NetworkConfiguration(transport, [retry], clock: clock)
        network.environment = NetworkEnvironment("https://\(host)")
        for _ in 0..<calls { _ = await NetworkSession(network).status() }
        return transport.calls.count
    }

    private func retry(share: Double, reserve: Int, attempts: Int = 2) -> RetryInterceptor {
        RetryInterceptor(
            attempts: attempts, backoff: Backoff(base: .zero, shortestWait: .zero),
            budget: RetryBudget(ratio: share, reserve: reserve))
    }

    func testRetriesAreAShareOfTheCallsAndAReserve() async {
        let retry = self.retry(share: 0.2, reserve: 10)
        let count = await attempts(1000, retry, by: clock)
        XCTAssertEqual(count, 1000 + 10 + 200, accuracy: 3)
    }

    func testCallsThatFailTogetherHaveTheShareOfThemAll() async {
        let gate = ResponseGate()
        let transport = CannedTransport { call throws(NetworkError) in
            do { try await gate.wait() } catch { throw .cancelled }
            return NetworkResponse(statusCode: 503, url: call.url)
        }
        let retry = self.retry(share: 0.2, reserve: 10)
        let network = NetworkConfiguration(transport, [retry], clock: clock)
        let calls = (0..<200).map { _ in Task { await NetworkSession(network).status() } }
        await until { transport.calls.count >= 200 }
        gate.open()
        for call in calls { _ = await call.value }
        XCTAssertEqual(transport.calls.count, 200 + 10 + 40)
    }

    func testAnUnusedShareIsForgottenInTime() async {
        for (rest, left) in [(Duration.seconds(1), 50.0), (.seconds(21), 0)] {
            let clock = ManualClock(advancesItself: true)
            let retry = self.retry(share: 0.2, reserve: 10, attempts: 1000)
            let network = NetworkConfiguration(CannedTransport(.answer(200)), [retry], clock: clock)
            for _ in 0..<250 { _ = await NetworkSession(network).status() }
            clock.advance(by: rest)
            let count = await attempts(1, retry, by: clock, host: "store.example")
            XCTAssertEqual(Double(count), 1 + 10 + left, accuracy: 1)
        }
    }

    func testTheReserveComesBackWithTime() async {
        let retry = self.retry(share: 0, reserve: 10)
        assertEqual(await attempts(20, retry, by: clock), 30)
        clock.advance(by: .seconds(5))
        assertEqual(await attempts(20, retry, by: clock), 25)
        clock.advance(by: .seconds(500))
        assertEqual(await attempts(20, retry, by: clock), 30)
    }

    func testEachHostHasItsOwn() async {
        let retry = self.retry(share: 0, reserve: 3)
        let one = await attempts(10, retry, by: clock)
        let other = await attempts(10, retry, by: clock, host: "b.example")
        XCTAssertEqual([one, other], [13, 13])
    }

    func testAnInvalidShareIsZero() async {
        for share in [Double.nan, .infinity, -1] {
            let clock = ManualClock(advancesItself: true)
            let retry = self.retry(share: share, reserve: 3)
            assertEqual(await attempts(20, retry, by: clock), 23, "\(share)")
        }
        let retry = self.retry(share: 1, reserve: -3)
        assertEqual(await attempts(3, retry, by: clock), 6)
    }

    func testACallAfterALongPauseEarnsItsShare() async {
        let retry = self.retry(share: 1, reserve: 0)
        for _ in 0..<2 {
            assertEqual(await attempts(1, retry, by: clock), 2)
            clock.advance(by: .seconds(60))
        }
    }

    func testSharesAddUpToAWhole() async {
        let retry = self.retry(share: 0.1, reserve: 0)
        assertEqual(await attempts(10, retry, by: clock), 11)
    }

    func testASpentBudgetIsKeptBesideManyOtherHosts() async {
        let retry = self.retry(share: 0, reserve: 1)
        _ = await attempts(1, retry, by: clock)
        clock.advance(by: .seconds(1))
        for number in 0..<300 { _ = await attempts(1, retry, by: clock, host: "h\(number).example") }
        assertEqual(await attempts(1, retry, by: clock), 1)
    }

    func testWithoutABudgetEveryCallIsRetried() async {
        let count = await attempts(
            100, RetryInterceptor(attempts: 2, backoff: Backoff(base: .zero, shortestWait: .zero), budget: nil),
            by: clock)
        XCTAssertEqual(count, 200)
    }
}
