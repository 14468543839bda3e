import RecordKitTesting
import TestSupport
import XCTest

import RecordKit
import RecordKitInterceptors

final class SharedAttemptTests: TimedTestCase {
    private let gate = ResponseGate()
    private let clock = ManualClock()
    private let spy = EventSpy()

    /// Responds with a name when the gate is open, like a session with one user's cookies.
    private func transport(_ gate: ResponseGate, _ name: String = "shared") -> CannedTransport {
        CannedTransport { call throws(NetworkError) in
            do { try await gate.wait() } catch { throw .cancelled }
            return NetworkResponse(statusCode: 200, body: Data(name.utf8), url: call.url)
        }
    }

    private typealias Outcome = Task<Result<NetworkResponse, NetworkError>, Never>

    /// Returns the results of two calls, the second of which joined the attempt of the first.
    private func begin(
        _ first: Ask<Data> = Ask(), _ second: Ask<Data> = Ask(), in network: NetworkSession,
        _ transport: CannedTransport
    ) async -> (first: Outcome, second: Outcome) {
        let first = Outcome { await network.outcome(of: first) }
        await until { !transport.calls.isEmpty }
        let second = Outcome { await network.outcome(of: second) }
        await until { spy.count(of: .joined) >= 1 }
        return (first, second)
    }

    func testACallerWhoLeavesLeavesTheOthersAlone() async throws {
        let transport = transport(gate)
        let network = NetworkSession(transport, [SingleFlightInterceptor()], clock: clock, observers: [spy])
        let (first, second) = await begin(in: network, transport)
        first.cancel()
        guard case .failure(.cancelled) = await first.value else { return XCTFail("not cancelled") }
        gate.open()
        assertEqual(try await second.value.get().body, Data("shared".utf8))
        XCTAssertEqual(transport.calls.count, 1)
    }

    func testTheLastOneOutEndsTheAttempt() async throws {
        let (isSent, hasEnded) = (ResponseGate(), ResponseGate())
        let transport = CannedTransport { _ throws(NetworkError) in
            isSent.open()
            do { try await ResponseGate().wait() } catch { hasEnded.open() }
            throw .cancelled
        }
        let network = NetworkSession(transport, [SingleFlightInterceptor()], clock: clock, observers: [spy])
        let calls = (0..<3).map { _ in Task { await network.outcome(of: Ask()) } }
        await until { isSent.isOpen }
        await until { spy.count(of: .joined) >= 2 }
        for call in calls { call.cancel() }
        for call in calls {
            guard case .failure(.cancelled) = await call.value else { return XCTFail("not cancelled") }
        }
        await until { hasEnded.isOpen }
    }

    func testEachCallerHasItsOwnDeadline() async throws {
        let transport = transport(gate)
        let network = NetworkSession(transport, [SingleFlightInterceptor()], clock: clock, observers: [spy])
        let (hurried, patient) = await begin(
            Ask(options: RequestOptions(deadline: .seconds(1))), in: network, transport)
        clock.advance(by: .seconds(1))
        guard case .failure(.timedOut(let timeout)) = await hurried.value else { return XCTFail("no timeout") }
        XCTAssertEqual(timeout.limit, .deadline)
        gate.open()
        assertEqual(try await patient.value.get().statusCode, 200)
        XCTAssertEqual(transport.calls.count, 1)
    }

    /// For example the slower of two that are sent at once.
    func testATaskThatAnInterceptorCancelsLeavesTheOthersAlone() async throws {
        let transport = transport(gate)
        let impatient = Impatient()
        let network = NetworkSession(transport, [impatient, SingleFlightInterceptor()], clock: clock, observers: [spy])
        let (first, second) = await begin(Ask(), Ask(headers: ["X-Patient": "yes"]), in: network, transport)
        impatient.isOver.open()
        guard case .failure(.cancelled) = await first.value else { return XCTFail("not cancelled") }
        gate.open()
        assertEqual(try await second.value.get().statusCode, 200)
        XCTAssertEqual(transport.calls.count, 1)
    }

    // MARK: An interceptor that several sessions share

    func testACallDoesNotGetTheResponseOfAnotherTransport() async throws {
        let gate = ResponseGate()
        let transports = ["a", "b"].map { transport(gate, $0) }
        let flight = SingleFlightInterceptor()
        let networks = transports.map { NetworkConfiguration($0, [flight], clock: clock, observers: [spy]) }
        let calls = networks.map { network in Task { await NetworkSession(network).outcome(of: Ask()) } }
        await until { spy.count(of: .joined) + transports.map(\.calls.count).reduce(0, +) >= 2 }
        gate.open()
        var bodies: [Data] = []
        for call in calls { bodies.append(try await call.value.get().body) }
        XCTAssertEqual(bodies, [Data("a".utf8), Data("b".utf8)])
    }

    func testManagersOfASessionShare() async throws {
        let transport = transport(gate)
        let network = NetworkSession(transport, [SingleFlightInterceptor()], clock: clock, observers: [spy])
        let managers = [NetworkManager<Ask<Data>>(network), NetworkManager<Ask<Data>>(network)]
        let calls = managers.map { manager in Task { await manager.result(for: Ask()) } }
        await until { spy.count(of: .joined) >= 1 }
        gate.open()
        for call in calls { _ = await call.value }
        XCTAssertEqual(transport.calls.count, 1)
    }
}

/// Sends a call in a task of its own, which is cancelled at the end. A patient call is sent directly.
private struct Impatient: NetworkInterceptor {
    let isOver = ResponseGate()

    func intercept(_ call: NetworkCall, next: @escaping NetworkCall.Next) async throws(NetworkError)
        -> NetworkResponse
    {
        var call = call
        if call.headers.contains("X-Patient") {
            call.headers["X-Patient"] = nil
            return try await next(call)
        }
        let task = Task { [call] in
            do throws(NetworkError) {
                return Result<NetworkResponse, NetworkError>.success(try await next(call))
            } catch {
                return .failure(error)
            }
        }
        try? await isOver.wait()
        task.cancel()
        return try await task.value.get()
    }
}
