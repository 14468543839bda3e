import Foundation
import RecordKit
import RecordKitTesting
import XCTest

final class ConnectionWaitTests: XCTestCase {
    func testACallWaitsForTheNetworkAndThenTakesItsTurn() async {
        let gate = AnswerGate()
        let clock = ManualClock(advancesItself: true)
        let wait = ConnectionWait { (_) async throws(NetworkError) in
            do { try await gate.wait() } catch { throw .cancelled }
        }
        let transport = CannedTransport(.fail(.connection(kind: .notConnected, reached: false)), .answer(200))
        let network = NetworkConfiguration(
            transport, [Retry(base: .seconds(2), connectionWait: wait, random: { 0.5 })], clock: clock)
        async let status = network.status(of: Ask(method: .post))
        gate.open()
        let answered = await status
        XCTAssertEqual(answered, 200)
        XCTAssertEqual(clock.sleeps, [.seconds(1)])
    }

    func testWaitingForTheNetworkCostsNoBudget() async {
        let unconnected = CannedTransport.Turn.fail(.connection(kind: .notConnected, reached: false))
        let retry = Retry(
            budget: RetryBudget(share: 0, reserve: 0),
            connectionWait: ConnectionWait { (_) async throws(NetworkError) in })
        let network = NetworkConfiguration(
            CannedTransport(unconnected, .answer(200)), [retry], clock: ManualClock(advancesItself: true))
        let status = await network.status()
        XCTAssertEqual(status, 200)
    }

    func testTriesArePacedWhateverTheLongestPause() async throws {
        let port = try ClosedPort()
        let clock = ManualClock()
        let wait = ConnectionWait.probing(from: .zero, to: .zero)
        var network = NetworkConfiguration(
            CannedTransport(.fail(.refused)), [Retry(connectionWait: wait)], clock: clock)
        network.environment = NetworkEnvironment("http://127.0.0.1:\(port.number)")
        let configuration = network
        let task = Task { await configuration.outcome(of: Ask()) }
        for _ in 0..<3 {
            let step = await clock.advanceToNextSleeper()
            XCTAssertEqual(step, .milliseconds(1))
        }
        task.cancel()
        _ = await task.value
    }

    func testABrokenConnectionIsNotWaitedFor() async {
        let wait = ConnectionWait { (_) async throws(NetworkError) in throw .cancelled }
        let transport = CannedTransport(.fail(.lost), .answer(503), .answer(200))
        let network = NetworkConfiguration(
            transport, [Retry(connectionWait: wait)], clock: ManualClock(advancesItself: true))
        let status = await network.status()
        XCTAssertEqual(status, 200)
    }

    func testTheDeadlineEndsTheWaiting() async {
        let clock = ManualClock()
        let network = NetworkConfiguration(
            CannedTransport(.fail(.refused)),
            [
                Retry(
                    connectionWait: ConnectionWait { (call) async throws(NetworkError) in
                        try await call.sleep(for: .seconds(1000))
                    })
            ], clock: clock, options: RequestOptions(deadline: .seconds(30)))
        async let outcome = network.outcome(of: Ask())
        await clock.sleepers(2)
        clock.advance(by: .seconds(30))
        guard case .failure(.timedOut(let timeout)) = await outcome else { return XCTFail("no timeout") }
        XCTAssertEqual(timeout.limit, .deadline)
    }

    func testAProbeFindsAPortThatOpens() async throws {
        let port = try ClosedPort()
        let clock = ManualClock()
        let transport = CannedTransport(.fail(.refused), .answer(200))
        var network = NetworkConfiguration(
            transport, [Retry(base: .zero, floor: .zero, connectionWait: .probing(from: .seconds(1), to: .seconds(3)))],
            clock: clock)
        network.environment = NetworkEnvironment("http://127.0.0.1:\(port.number)")
        let configuration = network

        async let status = configuration.status()
        var waits: [Duration] = []
        for _ in 0..<3 { waits.append(await clock.advanceToNextSleeper()) }
        await clock.sleepers(1)
        port.open()
        waits.append(await clock.advanceToNextSleeper())

        let answered = await status
        XCTAssertEqual(answered, 200)
        XCTAssertEqual(waits, [1, 2, 3, 3].map { .seconds($0) })
        XCTAssertEqual(transport.calls.count, 2)
    }

    func testTheLastWhoWaitsEndsTheProbes() async throws {
        let port = try ClosedPort()
        let clock = ManualClock()
        var network = NetworkConfiguration(
            CannedTransport(.fail(.refused)), [Retry(connectionWait: .probing())], clock: clock)
        network.environment = NetworkEnvironment("http://127.0.0.1:\(port.number)")
        let configuration = network
        let tasks = (0..<5).map { _ in Task { await configuration.outcome(of: Ask()) } }
        await clock.sleepers(1)
        for task in tasks { task.cancel() }
        for task in tasks {
            guard case .failure(.cancelled) = await task.value else { return XCTFail("not cancelled") }
        }
        XCTAssertEqual(configuration.inFlight, 0)
    }
}
