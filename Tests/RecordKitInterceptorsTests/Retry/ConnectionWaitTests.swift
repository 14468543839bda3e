import RecordKitTesting
import TestSupport
import XCTest

import RecordKit
@testable import RecordKitInterceptors

final class ConnectionWaitTests: TimedTestCase {
    private let clock = ManualClock()

    func testACallWaitsForTheNetworkAndThenTakesItsTurn() async {
        let gate = ResponseGate()
        let clock = ManualClock(advancesItself: true)
        let wait = ConnectionWait { (_) async throws(NetworkError) in
            do { try await gate.wait() } catch { throw .cancelled }
        }
        let transport = CannedTransport(.fail(.connection(kind: .notConnected, reached: false)), .answer(200))
        let network = NetworkConfiguration(
            transport, [RetryInterceptor(backoff: Backoff(base: .seconds(2), random: { 0.5 }), connectionWait: wait)],
            clock: clock)
        async let status = NetworkSession(network).status(of: Ask(method: .post))
        gate.open()
        assertEqual(await status, 200)
        XCTAssertEqual(clock.sleeps, [.seconds(1)])
    }

    func testWaitingForTheNetworkCostsNoBudget() async {
        let unconnected = CannedTransport.Turn.fail(.connection(kind: .notConnected, reached: false))
        let retry = RetryInterceptor(
            budget: RetryBudget(ratio: 0, reserve: 0),
            connectionWait: ConnectionWait { (_) async throws(NetworkError) in })
        let network = NetworkConfiguration(
            CannedTransport(unconnected, .answer(200)), [retry], clock: ManualClock(advancesItself: true))
        assertEqual(await NetworkSession(network).status(), 200)
    }

    func testTriesArePacedWhateverTheLongestPause() async throws {
        let port = try ClosedPort()
        let wait = ConnectionWait.probing(from: .zero, to: .zero)
        var network = NetworkConfiguration(
            CannedTransport(.fail(.refused)), [RetryInterceptor(connectionWait: wait)], clock: clock)
        network.environment = NetworkEnvironment("http://127.0.0.1:\(port.number)")
        let configuration = network
        let task = Task { await NetworkSession(configuration).outcome(of: Ask()) }
        for _ in 0..<3 { assertEqual(await clock.advanceToNextSleeper(), .milliseconds(1)) }
        task.cancel()
        _ = await task.value
    }

    func testABrokenConnectionIsNotWaitedFor() async {
        let wait = ConnectionWait { (_) async throws(NetworkError) in throw .cancelled }
        let transport = CannedTransport(.fail(.lost), .answer(503), .answer(200))
        let network = NetworkConfiguration(
            transport, [RetryInterceptor(connectionWait: wait)], clock: ManualClock(advancesItself: true))
        assertEqual(await NetworkSession(network).status(), 200)
    }

    func testACallThatIsTooLateAfterTheWaitEndsWithItsLastError() async {
        let clock = ManualClock()
        let wait = ConnectionWait { (_) async throws(NetworkError) in clock.advance(by: .seconds(25)) }
        let transport = CannedTransport(.fail(.refused), .answer(200))
        let network = NetworkConfiguration(
            transport, [RetryInterceptor(backoff: Backoff(shortestWait: .seconds(5)), connectionWait: wait)],
            clock: clock,
            options: RequestOptions(deadline: .seconds(30)))
        guard case .failure(.connection(let failure)) = await NetworkSession(network).outcome(of: Ask()) else {
            return XCTFail("no error")
        }
        XCTAssertEqual(failure.kind, .refused)
        XCTAssertEqual(clock.now, .seconds(25))
    }

    func testAProbeTriesTheHostAndPortOfTheCall() async {
        for (base, expected) in [
            ("http://a.example", "a.example:80"), ("https://a.example", "a.example:443"),
            ("http://a.example:8080", "a.example:8080"),
        ] {
            let tried = Kept<[String]>([])
            let wait = ConnectionWait.probing(from: .seconds(1), to: .seconds(1)) { host, port in
                tried.add("\(host):\(port)")
                return true
            }
            let network = NetworkConfiguration(
                CannedTransport(.fail(.refused), .answer(200)), [RetryInterceptor(connectionWait: wait)],
                clock: ManualClock(advancesItself: true))
            assertEqual(await NetworkSession(network).status(of: Ask(baseURL: base)), 200)
            XCTAssertEqual(tried.now, [expected])
        }
    }

    func testEachHostIsTriedByItself() async {
        let wait = ConnectionWait.probing(from: .seconds(9), to: .seconds(3)) { host, _ in host == "up.example" }
        let transport = CannedTransport { call throws(NetworkError) in
            if call.attempt == 1 { throw .refused }
            return NetworkResponse(statusCode: 200, url: call.url)
        }
        let network = NetworkConfiguration(
            transport, [RetryInterceptor(backoff: Backoff(base: .zero, shortestWait: .zero), connectionWait: wait)],
            clock: clock)
        let waiting = Task { await NetworkSession(network).status(of: Ask(baseURL: "https://down.example")) }
        assertEqual(await clock.advanceToNextSleeper(), .seconds(3), "no pause is longer than the longest")
        assertEqual(await NetworkSession(network).status(of: Ask(baseURL: "https://up.example")), 200)
        waiting.cancel()
        _ = await waiting.value
    }

    func testAProbeFindsAPortThatOpens() async throws {
        let port = try ClosedPort()
        let transport = CannedTransport(.fail(.refused), .answer(200))
        var network = NetworkConfiguration(
            transport,
            [
                RetryInterceptor(
                    backoff: Backoff(base: .zero, shortestWait: .zero),
                    connectionWait: .probing(from: .seconds(1), to: .seconds(3)))
            ],
            clock: clock)
        network.environment = NetworkEnvironment("http://127.0.0.1:\(port.number)")
        let configuration = network

        async let status = NetworkSession(configuration).status()
        var waits: [Duration] = []
        for _ in 0..<3 { waits.append(await clock.advanceToNextSleeper()) }
        await clock.waitForSleepers(1)
        port.open()
        waits.append(await clock.advanceToNextSleeper())

        assertEqual(await status, 200)
        XCTAssertEqual(waits, [1, 2, 3, 3].map { .seconds($0) })
        XCTAssertEqual(transport.calls.count, 2)
    }

    func testAWaitOutsideOfACall() async throws {
        let port = try ClosedPort()
        let clock = ManualClock()
        let url = try XCTUnwrap(URL(string: "http://127.0.0.1:\(port.number)/records"))
        let waiting = Task { try await ConnectionWait.probing().wait(for: url, clock: clock.networkClock) }
        await clock.waitForSleepers(1)
        port.open()
        assertEqual(await clock.advanceToNextSleeper(), .milliseconds(250))
        try await waiting.value
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await networkError { try await ConnectionWait.probing().wait(for: url) }
        }
        guard case .cancelled? = await cancelled.value else { return XCTFail("not cancelled") }
    }

    func testTheLastWhoWaitsEndsTheProbes() async throws {
        let port = try ClosedPort()
        var network = NetworkConfiguration(
            CannedTransport(.fail(.refused)), [RetryInterceptor(connectionWait: .probing())], clock: clock)
        network.environment = NetworkEnvironment("http://127.0.0.1:\(port.number)")
        let session = NetworkSession(network)
        let tasks = (0..<5).map { _ in Task { await session.outcome(of: Ask()) } }
        await clock.waitForSleepers(1)
        for task in tasks { task.cancel() }
        for task in tasks {
            guard case .failure(.cancelled) = await task.value else { return XCTFail("not cancelled") }
        }
        XCTAssertEqual(session.inFlight, 0)
    }
}
