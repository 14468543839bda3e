import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

final class CancellationTests: TimedTestCase {
    func testACallWithADeadlineThatIsCancelledIsNotLate() async throws {
        let server = try LoopbackServer(responses: [.never])
        let configuration = NetworkSession(
            NetworkConfiguration(server.url, options: RequestOptions(deadline: .seconds(3600))))
        let task = Task { try await configuration.value(for: Ask<Data>()) }
        _ = try await server.request(at: 0)

        configuration.cancelAll()

        guard case .failure(NetworkError.cancelled) = await task.result else { return XCTFail("not cancelled") }
    }

    func testCancelAllEndsTheCallsOfThisManagerAlone() async throws {
        let server = try LoopbackServer(responses: [.never])
        let configuration = NetworkSession(NetworkConfiguration(server.url))
        let (one, other) = (NetworkManager<Ask<Data>>(configuration), NetworkManager<Ask<Data>>(configuration))
        let first = Task { try await one.value(for: Ask()) }
        let second = Task { try await other.value(for: Ask()) }
        _ = Task { try await configuration.value(for: Ask<Data>()) }
        _ = try await server.request(at: 2)
        XCTAssertEqual(configuration.inFlight, 3)

        let copy = one
        XCTAssertEqual(copy.inFlight, 1)
        copy.cancelAll()

        guard case .failure(NetworkError.cancelled) = await first.result else { return XCTFail("not cancelled") }
        XCTAssertEqual(other.inFlight, 1)
        XCTAssertEqual(configuration.inFlight, 2)
        configuration.cancelAll()
        guard case .failure(NetworkError.cancelled) = await second.result else { return XCTFail("not cancelled") }
        XCTAssertEqual(configuration.inFlight, 0)
    }

    func testCancelAllEndsACallThatWaitsInAnInterceptor() async throws {
        struct Sleeper: NetworkInterceptor {
            let isAsleep: ResponseGate

            func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
                isAsleep.open()
                try await call.sleep(for: .seconds(3600))
                return try await next(call)
            }
        }
        // Repeats, because a task that has slept only for an instant must be found as well.
        for _ in 0..<100 {
            let isAsleep = ResponseGate()
            var configuration = StubServer().configuration
            configuration.interceptors = [Sleeper(isAsleep: isAsleep)]
            let network = NetworkSession(configuration)
            let task = Task { try await network.value(for: Ask<Data>()) }
            try await isAsleep.wait()

            network.cancelAll()

            guard case .failure(NetworkError.cancelled) = await task.result else { return XCTFail("not cancelled") }
        }
    }

    /// The deadline ends every kind of wait. An interceptor that waits in its own way only sees that it is cancelled.
    func testTheDeadlineEndsACallThatWaits() async throws {
        struct Sleeper: NetworkInterceptor {
            let sleep: @Sendable (NetworkCall) async throws(NetworkError) -> Void

            func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
                try await sleep(call)
                return try await next(call)
            }
        }
        let sleepers = [
            Sleeper { call throws(NetworkError) in try await call.sleep(for: .seconds(3600)) },
            Sleeper { _ throws(NetworkError) in
                do { try await Task.sleep(for: .seconds(3600)) } catch { throw .cancelled }
            },
        ]
        for sleeper in sleepers {
            var configuration = StubServer().configuration
            configuration.interceptors = [sleeper]
            let network = configuration
            let request = Ask<Data>(options: RequestOptions(deadline: .milliseconds(50)))

            let error = await NetworkSession(network).failure(of: request)

            guard case .timedOut(let timeout) = error else { return XCTFail("\(String(describing: error))") }
            XCTAssertEqual(timeout.limit, .deadline)
            XCTAssertEqual(timeout.after, .milliseconds(50))
        }
    }
}
