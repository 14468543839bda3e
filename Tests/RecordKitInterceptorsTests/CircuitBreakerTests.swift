import RecordKit
@testable import RecordKitInterceptors
import RecordKitStreaming
import RecordKitTesting
import TestSupport
import XCTest

/// The circuit breaker.
final class CircuitBreakerTests: TimedTestCase {
    override var timeLimit: TimeInterval { 20 }

    /// A server that responds as the test says.
    private final class Server: NetworkTransport {
        let status = Kept(200)
        let count = Kept(0)
        let isSlow = Kept(false)

        func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
            count.next()
            if isSlow.now {
                try? await Task.sleep(for: .seconds(600))
                throw .cancelled
            }
            let status = status.now
            if status == 0 {
                throw .connection(.init(kind: .refused, host: call.origin.hostAndPort, mayHaveReachedServer: false))
            }
            return NetworkResponse(statusCode: status, url: call.url)
        }

        func waitForCount(_ number: Int) async { while count.now < number { await Task.yield() } }
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
        server.status.set(status)
        let before = server.count.now
        for _ in 0..<count { _ = try? await network.value(for: Ask<Data>()) }
        return server.count.now - before
    }

    func testItOpensAndTriesAgain() async throws {
        let network = network(CircuitBreaker(minimumCalls: 4, openDuration: .seconds(20)))
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
        let breaker = CircuitBreaker(minimumCalls: 1, openDuration: .seconds(20))
        _ = await sent(1, network(breaker), status: 503)
        let network = network(breaker, "store.example", [RetryInterceptor()])
        let failure = await network.failure(of: Ask<Data>())
        let error = try XCTUnwrap(failure)
        XCTAssertFalse(error.mayHaveReachedServer)
        XCTAssertFalse(error.isTransient)
        XCTAssertEqual((error.cause as? CircuitBreaker.OpenError)?.until, clock.date.addingTimeInterval(20))
        XCTAssertEqual(
            "\(error)",
            "The call to store.example:443 failed: its latest requests failed, so the circuit breaker sends none "
                + "before Sun, 09 Sep 2001 01:47:00 GMT.")
        XCTAssertEqual(clock.sleeps.count, 0)
    }

    func testOneRequestIsTried() async throws {
        let network = network(CircuitBreaker(minimumCalls: 1, openDuration: .seconds(20)))
        _ = await sent(1, network, status: 503)
        clock.advance(by: .seconds(20))
        server.isSlow.set(true)
        let trial = Task { try await network.value(for: Ask<Data>()) }
        await server.waitForCount(2)
        var count = await sent(3, network, status: 200)
        XCTAssertEqual(count, 0)
        // A trial that was cancelled makes room for another one.
        trial.cancel()
        _ = await trial.result
        server.isSlow.set(false)
        while server.count.now < 3 { _ = try? await network.value(for: Ask<Data>()) }
        count = await sent(3, network, status: 200)
        XCTAssertEqual(count, 3)
    }

    func testTimeoutsCountAndCancellationsDoNot() async throws {
        let network = network(CircuitBreaker(failureRatio: 0.000_001, minimumCalls: 1))
        server.isSlow.set(true)
        let cancelled = Task { try await network.value(for: Ask<Data>()) }
        await server.waitForCount(1)
        cancelled.cancel()
        _ = await cancelled.result
        let late = Task { try await network.value(for: Ask<Data>()) }
        await server.waitForCount(2)
        clock.advance(by: .seconds(60))
        _ = await late.result
        server.isSlow.set(false)
        server.status.set(200)
        let isOpen = await isOpen(network)
        XCTAssertTrue(isOpen, "the timeout wasn't counted")
    }

    /// Sends requests until the breaker is open: an exchange ends after its caller has the error.
    private func isOpen(_ network: NetworkSession) async -> Bool {
        for _ in 0..<2000 {
            guard (try? await network.value(for: Ask<Data>())) != nil else { return true }
            await Task.yield()
        }
        return false
    }

    /// A server that hangs until the deadline has failed. One that had little time has not.
    func testDeadlinesCount() async throws {
        for (wait, isFailure) in [(Duration.zero, true), (.seconds(4), true), (.seconds(6), false)] {
            let server = server
            let delay = Delay(clock: clock, time: wait)
            let network = network(CircuitBreaker(failureRatio: 0.000_001, minimumCalls: 1), "store.example", [delay])
            server.isSlow.set(true)
            let before = server.count.now
            let ask = Ask<Data>(options: RequestOptions(deadline: .seconds(10)))
            let late = Task { try await network.value(for: ask) }
            await server.waitForCount(before + 1)
            clock.advance(by: .seconds(10) - wait)
            _ = await late.result
            server.isSlow.set(false)
            server.status.set(200)
            assertEqual(await isOpen(network), isFailure, "\(wait)")
        }
    }

    /// Lets time pass before the exchange, as a rate limit does.
    private struct Delay: NetworkInterceptor {
        let clock: ManualClock
        let time: Duration

        func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
            if call.options.deadline != nil { clock.advance(by: time) }
            return try await next(call)
        }
    }

    /// The head of a response isn't all of it.
    func testBodiesThatBreakOffCount() async throws {
        for (share, minimum) in [(0.5, 10), (1.0, 4)] {
            let server = Breaking()
            let network = NetworkSession(
                CircuitBreaker(failureRatio: share, minimumCalls: minimum).transport(server), clock: clock)
            for _ in 0..<30 {
                do { for try await _ in NetworkManager(network).chunks(for: Ask<Data>()) {} } catch {}
            }
            XCTAssertEqual(server.count.now, minimum)
        }
    }

    /// A server whose bodies break off.
    private final class Breaking: NetworkTransport {
        let count = Kept(0)

        func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
            count.next()
            let (bytes, writer) = NetworkBytes.makeStream(onCancel: {})
            writer.write(Data("a".utf8))
            writer.finish(
                throwing: .connection(.init(kind: .lost, host: call.origin.hostAndPort, mayHaveReachedServer: true)))
            return NetworkResponse(statusCode: 200, content: .stream(bytes), url: call.url)
        }
    }

    /// An exchange that began before the breaker opened doesn't make its pause longer.
    func testLateFailuresAreNotCounted() async throws {
        let gate = ResponseGate()
        let transport = CannedTransport { call throws(NetworkError) in
            if call.headers.contains("Is-Late") {
                do { try await gate.wait() } catch { throw .cancelled }
                return NetworkResponse(statusCode: 500, url: call.url)
            }
            return NetworkResponse(statusCode: call.headers.contains("Fails") ? 500 : 200, url: call.url)
        }
        let network = NetworkSession(
            CircuitBreaker(minimumCalls: 1, openDuration: .seconds(20)).transport(transport), clock: clock)
        let late = Task { try await network.value(for: Ask<Data>(headers: ["Is-Late": "1"])) }
        await until { transport.calls.count == 1 }
        _ = try? await network.value(for: Ask<Data>(headers: ["Fails": "1"]))
        clock.advance(by: .seconds(15))
        gate.open()
        _ = await late.result
        clock.advance(by: .seconds(5))
        _ = try await network.value(for: Ask<Data>())
        XCTAssertEqual(transport.calls.count, 3)
    }

    func testOriginsAreForgotten() async throws {
        let breaker = CircuitBreaker(minimumCalls: 2)
        server.status.set(200)
        for round in 0..<10 {
            for number in 0..<200 {
                _ = try await network(breaker, "\(round)-\(number).example").value(for: Ask<Data>())
            }
            clock.advance(by: .seconds(60))
        }
        XCTAssertLessThan(breaker.originCount, 600)
    }

    func testOriginsWindowsAndOtherStatuses() async throws {
        let breaker = CircuitBreaker(minimumCalls: 4, window: .seconds(10))
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
