import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import Synchronization
import TestSupport
import XCTest

/// The circuit breaker.
final class CircuitBreakerTests: TimedTestCase {
    /// A server that responds as the test says.
    private final class Server: NetworkTransport {
        let status = Atomic(200)
        let count = Atomic(0)
        let isSlow = Atomic(false)

        func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
            count.add(1, ordering: .relaxed)
            if isSlow.load(ordering: .relaxed) {
                try? await Task.sleep(for: .seconds(600))
                throw .cancelled
            }
            let status = status.load(ordering: .relaxed)
            if status == 0 {
                throw .connection(.init(kind: .refused, host: call.origin.hostAndPort, mayHaveReachedServer: false))
            }
            return NetworkResponse(statusCode: status, url: call.url)
        }

        func waitForCount(_ number: Int) async {
            while count.load(ordering: .relaxed) < number { await Task.yield() }
        }
    }

    private let clock = ManualClock()
    private let server = Server()

    private func network(
        _ breaker: CircuitBreaker, _ host: String = "store.example", _ interceptors: [any NetworkInterceptor] = []
    ) -> NetworkSession {
        NetworkSession(
            NetworkConfiguration(
                environment: NetworkEnvironment("https://\(host)/"), transport: breaker.transport(server),
                interceptors: interceptors, clock: clock.networkClock))
    }

    /// Sends requests, and returns how many reached the server.
    private func sent(_ count: Int, _ network: NetworkSession, status: Int) async -> Int {
        server.status.store(status, ordering: .relaxed)
        let before = server.count.load(ordering: .relaxed)
        for _ in 0..<count { _ = try? await network.value(for: Ask<Data>()) }
        return server.count.load(ordering: .relaxed) - before
    }

    func testItOpensAndTriesAgain() async throws {
        let network = network(CircuitBreaker(minimum: 4, pause: .seconds(20)))
        var counts = [await sent(2, network, status: 200), await sent(3, network, status: 0)]
        // Two of four failed.
        XCTAssertEqual(counts, [2, 2])
        clock.advance(by: .seconds(19))
        counts = [await sent(2, network, status: 200)]
        XCTAssertEqual(counts, [0])
        clock.advance(by: .seconds(1))
        // The trial fails, then the next one succeeds.
        counts = [await sent(2, network, status: 500)]
        XCTAssertEqual(counts, [1])
        clock.advance(by: .seconds(20))
        counts = [await sent(10, network, status: 200), await sent(1, network, status: 503)]
        XCTAssertEqual(counts, [10, 1])
    }

    func testTheErrorSaysUntilWhenAndIsNotRetried() async throws {
        let breaker = CircuitBreaker(minimum: 1, pause: .seconds(20))
        _ = await sent(1, network(breaker), status: 503)
        let network = network(breaker, "store.example", [RetryInterceptor()])
        do {
            _ = try await network.value(for: Ask<Data>())
            XCTFail("sent")
        } catch {
            XCTAssertFalse(error.mayHaveReachedServer)
            XCTAssertFalse(error.isTransient)
            XCTAssertEqual((error.cause as? CircuitBreaker.Open)?.until, clock.date.addingTimeInterval(20))
            XCTAssertEqual(
                "\(error)",
                "The call to store.example:443 failed: its latest requests failed, so the circuit breaker sends none "
                    + "before Sun, 09 Sep 2001 01:47:00 GMT.")
        }
        XCTAssertEqual(clock.sleeps.count, 0)
    }

    func testOneRequestIsTried() async throws {
        let network = network(CircuitBreaker(minimum: 1, pause: .seconds(20)))
        _ = await sent(1, network, status: 503)
        clock.advance(by: .seconds(20))
        server.isSlow.store(true, ordering: .relaxed)
        let trial = Task { try await network.value(for: Ask<Data>()) }
        await server.waitForCount(2)
        var count = await sent(3, network, status: 200)
        XCTAssertEqual(count, 0)
        // A trial that was cancelled makes room for another one.
        trial.cancel()
        _ = await trial.result
        server.isSlow.store(false, ordering: .relaxed)
        while server.count.load(ordering: .relaxed) < 3 { _ = try? await network.value(for: Ask<Data>()) }
        count = await sent(3, network, status: 200)
        XCTAssertEqual(count, 3)
    }

    func testTimeoutsCountAndCancellationsDoNot() async throws {
        let network = network(CircuitBreaker(share: 0.000_001, minimum: 1))
        server.isSlow.store(true, ordering: .relaxed)
        let cancelled = Task { try await network.value(for: Ask<Data>()) }
        await server.waitForCount(1)
        cancelled.cancel()
        _ = await cancelled.result
        let late = Task { try await network.value(for: Ask<Data>()) }
        await server.waitForCount(2)
        clock.advance(by: .seconds(60))
        _ = await late.result
        server.isSlow.store(false, ordering: .relaxed)
        server.status.store(200, ordering: .relaxed)
        // The exchange ends after its caller has the error.
        for _ in 0..<1_000_000 {
            guard (try? await network.value(for: Ask<Data>())) != nil else { return }
            await Task.yield()
        }
        XCTFail("the timeout wasn't counted")
    }

    func testOriginsWindowsAndOtherStatuses() async throws {
        let breaker = CircuitBreaker(minimum: 4, window: .seconds(10))
        let (one, other) = (network(breaker), network(breaker, "other.example"))
        var counts = [await sent(10, one, status: 404), await sent(4, one, status: 200)]
        XCTAssertEqual(counts, [10, 4])
        clock.advance(by: .seconds(10))
        _ = await sent(3, one, status: 500)
        clock.advance(by: .seconds(10))
        // The failures before are forgotten.
        counts = [await sent(3, one, status: 500), await sent(5, other, status: 200)]
        XCTAssertEqual(counts, [3, 5])
        counts = [await sent(2, one, status: 500), await sent(1, other, status: 200)]
        XCTAssertEqual(counts, [1, 1])
    }
}
