import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

final class RateLimitTests: TimedTestCase {
    private let clock = ManualClock()

    private func network(
        _ transport: some NetworkTransport, _ rateLimit: RateLimitInterceptor,
        options: RequestOptions = RequestOptions()
    ) -> NetworkConfiguration { NetworkConfiguration(transport, [rateLimit], clock: clock, options: options) }

    /// Starts calls one after the other, each with its number in the path.
    private func start(
        _ count: Int, _ network: NetworkConfiguration, _ rateLimit: RateLimitInterceptor
    ) async throws -> [Task<Result<NetworkResponse, NetworkError>, Never>] {
        let url = try XCTUnwrap(URL(string: "https://store.example"))
        var tasks: [Task<Result<NetworkResponse, NetworkError>, Never>] = []
        for number in 0..<count {
            let before = rateLimit.allowance(for: url, clock: clock.networkClock).waiting
            tasks.append(Task { await NetworkSession(network).outcome(of: Ask(path: "\(number)")) })
            await until { rateLimit.allowance(for: url, clock: clock.networkClock).waiting != before }
        }
        return tasks
    }

    private func paths(_ transport: CannedTransport) -> [String] { transport.calls.map { $0.url.path() } }

    func testARateAsHighAsANumberGoesLimitsNothing() async throws {
        for rateLimit in [RateLimitInterceptor(10, burst: .max), RateLimitInterceptor(.max, per: .nanoseconds(1))] {
            assertEqual(await NetworkSession(network(CannedTransport(), rateLimit)).status(), 200)
            let url = try XCTUnwrap(URL(string: "https://store.example"))
            XCTAssertGreaterThan(rateLimit.allowance(for: url, clock: clock.networkClock).remaining ?? 0, 1_000_000)
        }
    }

    func testARateOfNothingIsOneCall() async throws {
        let url = try XCTUnwrap(URL(string: "https://store.example"))
        for (rateLimit, step) in [
            (RateLimitInterceptor(0, per: .seconds(10)), Duration.seconds(10)),
            (RateLimitInterceptor(1, per: .zero), .milliseconds(1)),
            (RateLimitInterceptor(5, per: .seconds(5), burst: 0), .seconds(1)),
        ] {
            func allowance() -> RateLimitInterceptor.Allowance {
                rateLimit.allowance(for: url, clock: clock.networkClock)
            }
            XCTAssertEqual(allowance().remaining, 1)
            assertEqual(await NetworkSession(network(CannedTransport(), rateLimit)).status(), 200)
            XCTAssertEqual(allowance().remaining, 0)
            XCTAssertEqual(allowance().wait.seconds, step.seconds, accuracy: 0.000_001)
        }
    }

    func testCallsGoAtTheirRateInTheOrderInWhichTheyCame() async throws {
        let transport = CannedTransport()
        let rateLimit = RateLimitInterceptor(4, per: .seconds(2), burst: 2)
        let network = network(transport, rateLimit)
        for _ in 0..<2 { _ = await NetworkSession(network).status(of: Ask(path: "first")) }
        let waiting = try await start(4, network, rateLimit)
        XCTAssertEqual(transport.calls.count, 2)
        var steps: [Duration] = []
        for number in 1...4 {
            steps.append(await clock.advanceToNextSleeper())
            // The next call sleeps before this one is sent.
            await until { transport.calls.count >= 2 + number }
        }
        for task in waiting { _ = await task.value }
        XCTAssertEqual(paths(transport), ["/first", "/first", "/0", "/1", "/2", "/3"])
        for step in steps { XCTAssertEqual(step.seconds, 0.5, accuracy: 0.001) }

        clock.advance(by: .seconds(100))
        for _ in 0..<2 { _ = await NetworkSession(network).status() }
        XCTAssertEqual(transport.calls.count, 8)
    }

    func testACallThatLeavesTheQueueMakesRoom() async throws {
        let transport = CannedTransport()
        let rateLimit = RateLimitInterceptor(1, per: .seconds(1))
        let network = network(transport, rateLimit)
        _ = await NetworkSession(network).status(of: Ask(path: "first"))
        let waiting = try await start(4, network, rateLimit)
        for index in [0, 2] {
            waiting[index].cancel()
            guard case .failure(.cancelled) = await waiting[index].value else { return XCTFail("not cancelled") }
        }
        await clock.advanceToNextSleeper()
        _ = await waiting[1].value
        await clock.advanceToNextSleeper()
        _ = await waiting[3].value
        XCTAssertEqual(paths(transport), ["/first", "/1", "/3"])
        XCTAssertEqual(clock.now.seconds, 2, accuracy: 0.001)
    }

    func testACallThatWouldWaitPastItsDeadlineEndsAtOnce() async {
        let rateLimit = RateLimitInterceptor(1, per: .seconds(10))
        let network = network(CannedTransport(), rateLimit, options: RequestOptions(deadline: .seconds(9)))
        assertEqual(await NetworkSession(network).status(), 200)
        guard case .failure(.interceptor(let failure)) = await NetworkSession(network).outcome(of: Ask()) else {
            return XCTFail("no error")
        }
        XCTAssertEqual(failure.interceptor, "RateLimitInterceptor")
        XCTAssertTrue(failure.reason.contains("store.example:443 accepts the next call in 10.0 s"), failure.reason)
        XCTAssertEqual((failure.cause as? RateLimitInterceptor.TooLongError)?.wait, .seconds(10))
        XCTAssertEqual(clock.now, .zero)
    }

    func testACallWaitsAtMostTheLongestWait() async throws {
        let transport = CannedTransport(.answer(503, ["Retry-After": "100"]), .answer(200))
        let rateLimit = RateLimitInterceptor(longestWait: .seconds(60))
        let network = network(transport, rateLimit)
        _ = await NetworkSession(network).status()
        guard case .failure(.interceptor) = await NetworkSession(network).outcome(of: Ask()) else {
            return XCTFail("no error")
        }
        clock.advance(by: .seconds(50))
        let waiting = try await start(1, network, rateLimit)
        assertEqual(await clock.advanceToNextSleeper(), .seconds(50))
        assertEqual(try await waiting[0].value.get().statusCode, 200)
    }

    func testEachHostHasItsOwn() async {
        let transport = CannedTransport()
        let network = network(transport, RateLimitInterceptor(1, per: .seconds(100), longestWait: .zero))
        for host in ["https://a.example", "https://b.example", "https://a.example:444", "http://a.example"] {
            assertEqual(await NetworkSession(network).status(of: Ask(baseURL: host)), 200)
        }
        assertNil(await NetworkSession(network).status(of: Ask(baseURL: "https://a.example")))
    }

    func testTheBudgetCanBeRead() async throws {
        let rateLimit = RateLimitInterceptor(10, per: .seconds(10), burst: 3)
        let network = network(CannedTransport(), rateLimit)
        let url = try XCTUnwrap(URL(string: "https://store.example/x"))
        func allowance() -> RateLimitInterceptor.Allowance { rateLimit.allowance(for: url, clock: clock.networkClock) }
        XCTAssertEqual(allowance().remaining, 3)
        for left in [2, 1, 0] {
            _ = await NetworkSession(network).status()
            XCTAssertEqual(allowance().remaining, left)
        }
        XCTAssertEqual(allowance().wait.seconds, 1, accuracy: 0.001)
        clock.advance(by: .seconds(2))
        XCTAssertEqual(allowance().remaining, 2)
        XCTAssertEqual(allowance().wait, .zero)
        XCTAssertEqual(allowance().waiting, 0)
    }

    func testManyCallsAtOnceNeverPassTheRate() async {
        let clock = ManualClock(advancesItself: true)
        let times = Kept<[Duration]>([])
        let transport = CannedTransport { call throws(NetworkError) in
            times.add(clock.now)
            return NetworkResponse(statusCode: 200, url: call.url)
        }
        let network = NetworkConfiguration(
            transport, [RateLimitInterceptor(10, per: .seconds(1), longestWait: .seconds(1000))], clock: clock)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<500 { group.addTask { _ = await NetworkSession(network).status() } }
        }
        let sorted = times.change { $0.sorted() }
        XCTAssertEqual(sorted.count, 500)
        for (index, time) in sorted.enumerated() {
            XCTAssertGreaterThanOrEqual(time.seconds + 0.001, Double(index - 9) / 10)
        }
    }
}

extension Duration {
    var seconds: Double { self / .seconds(1) }
}
