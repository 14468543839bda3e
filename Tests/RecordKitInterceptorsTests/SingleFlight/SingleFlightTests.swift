import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

final class SingleFlightTests: TimedTestCase {
    private let gate = ResponseGate()
    private let clock = ManualClock()

    /// Responds with the number of the attempt, when the gate is open.
    private func transport(_ gate: ResponseGate) -> CannedTransport {
        let count = Kept(0)
        return CannedTransport { call throws(NetworkError) in
            let number = count.next() + 1
            do { try await gate.wait() } catch { throw .cancelled }
            return NetworkResponse(statusCode: 200, body: Data("\(number)".utf8), url: call.url)
        }
    }

    /// Returns the results of simultaneous calls. The gate opens when each was sent or has joined another.
    private func outcomes(
        of asks: [Ask<Data>], _ transport: CannedTransport, _ gate: ResponseGate
    ) async -> [Result<NetworkResponse, NetworkError>] {
        let spy = EventSpy()
        let network = NetworkSession(transport, [SingleFlightInterceptor()], clock: clock, observers: [spy])
        let tasks = asks.map { ask in Task { await network.outcome(of: ask) } }
        await until { spy.count(of: .joined) + transport.calls.count >= asks.count }
        gate.open()
        var outcomes: [Result<NetworkResponse, NetworkError>] = []
        for task in tasks { outcomes.append(await task.value) }
        return outcomes
    }

    func testEqualCallsShareOneAttempt() async throws {
        let transport = transport(gate)
        let outcomes = await outcomes(of: Array(repeating: Ask(), count: 100), transport, gate)
        XCTAssertEqual(try outcomes.map { try $0.get().body }, Array(repeating: Data("1".utf8), count: 100))
        XCTAssertEqual(transport.calls.count, 1)
    }

    func testNothingIsKept() async throws {
        gate.open()
        let network = NetworkSession(NetworkConfiguration(transport(gate), [SingleFlightInterceptor()], clock: clock))
        for number in 1...3 {
            assertEqual(try await network.outcome(of: Ask()).get().body, Data("\(number)".utf8))
        }
    }

    func testCallsThatDifferInWhatMattersDoNot() async {
        let asks: [Ask<Data>] = [
            Ask(), Ask(path: "other"), Ask(method: .head), Ask(method: .put), Ask(method: .put),
            Ask(headers: ["Authorization": "Bearer a"]), Ask(headers: ["Authorization": "Bearer b"]),
            Ask(headers: ["Accept-Language": "is"]), Ask(options: RequestOptions(sizeLimit: 5)),
            Ask(baseURL: "http://store.example"),
        ]
        let transport = transport(gate)
        _ = await outcomes(of: asks, transport, gate)
        XCTAssertEqual(transport.calls.count, asks.count)
    }

    func testStreamedCallsAreNotShared() async {
        let (gate, spy) = (ResponseGate(), EventSpy())
        let transport = transport(gate)
        let network = NetworkSession(
            transport, [Changing { $0.delivery = .streamed }, SingleFlightInterceptor()], clock: clock,
            observers: [spy]
        )
        let tasks = (0..<2).map { _ in Task { await network.outcome(of: Ask()) } }
        await until { spy.count(of: .joined) + transport.calls.count >= 2 }
        gate.open()
        for task in tasks { _ = await task.value }
        XCTAssertEqual(transport.calls.count, 2)
    }

    func testIgnoredHeadersDoNotCount() async {
        let asks: [Ask<Data>] = [
            Ask(headers: ["x-request-id": "1"]), Ask(headers: ["X-Request-ID": "2", "traceparent": "3"]), Ask(),
        ]
        let transport = transport(gate)
        _ = await outcomes(of: asks, transport, gate)
        XCTAssertEqual(transport.calls.count, 1)
    }

    func testAFailureIsShared() async {
        let gate = ResponseGate()
        let transport = CannedTransport { _ throws(NetworkError) in
            do { try await gate.wait() } catch { throw .cancelled }
            throw .lost
        }
        for outcome in await outcomes(of: [Ask(), Ask(), Ask()], transport, gate) {
            guard case .failure(.connection) = outcome else { return XCTFail("\(outcome)") }
        }
        XCTAssertEqual(transport.calls.count, 1)
    }

    func testACallAfterAChangeDoesNotGetAResponseFromBeforeIt() async throws {
        for (method, count) in [(HTTPMethod.put, 3), ("PURGE", 3), (.head, 2), ("QUERY", 2)] {
            let gate = ResponseGate()
            let transport = CannedTransport { call throws(NetworkError) in
                if call.method == .get { do { try await gate.wait() } catch { throw .cancelled } }
                return NetworkResponse(statusCode: 200, url: call.url)
            }
            let spy = EventSpy()
            let network = NetworkSession(transport, [SingleFlightInterceptor()], clock: clock, observers: [spy])
            let before = Task { await network.status() }
            await until { !transport.calls.isEmpty }
            _ = await network.status(of: Ask(method: method))
            let after = Task { await network.status() }
            await until { spy.count(of: .joined) + transport.calls.count >= 3 }
            gate.open()
            _ = await (before.value, after.value)
            XCTAssertEqual(transport.calls.count, count, "\(method)")
        }
    }

    func testCallsWithOtherSensitiveNamesAreNotShared() async {
        let transport = transport(gate)
        let spy = EventSpy()
        let network = NetworkSession(transport, [SingleFlightInterceptor()], clock: clock, observers: [spy])
        let tasks = [[], ["pin"]].map { names in
            Task {
                await network.result(for: Ask<Data>(query: ["pin": 1234])) { $0.headers.markSensitive(names) }
            }
        }
        await until { spy.count(of: .joined) + transport.calls.count >= 2 }
        gate.open()
        for task in tasks { _ = await task.value }
        XCTAssertEqual(transport.calls.count, 2)
    }

    func testBehindAuthorizationResponsesAreNotSharedBetweenUsers() async {
        let transport = transport(gate)
        let flight = SingleFlightInterceptor()
        let networks = ["a", "b"].map { user in
            NetworkSession(
                transport, [AuthorizationInterceptor(.bearer(user), for: "https://store.example"), flight],
                clock: clock)
        }
        let tasks = networks.map { network in Task { await network.outcome(of: Ask()) } }
        await until { transport.calls.count >= 2 }
        gate.open()
        for task in tasks { _ = await task.value }
        XCTAssertEqual(Set(transport.calls.map { $0.headers["Authorization"] }), ["Bearer a", "Bearer b"])
    }
}
