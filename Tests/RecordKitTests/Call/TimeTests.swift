import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class TimeTests: TimedTestCase {
    /// Very short and very long durations, and some that no clock can represent.
    func testAnyPositiveDurationIsTaken() async throws {
        let server = try LoopbackServer(responses: [.text("x")])
        let extremes: [Duration] = [
            .seconds(1) / 3 * 100, .seconds(86_400 * 365 * 100), .seconds(Int64.max), Duration(attoseconds: .max),
        ]
        for time in extremes {
            for options in [RequestOptions(timeout: time), RequestOptions(deadline: time)] {
                for way in HostileBehavior.Way.allCases {
                    let configuration = NetworkConfiguration(server.url, options: options)
                    assertEqual(await way.outcome(configuration), "200 x", "\(way), \(options)")
                }
            }
        }
    }

    func testAnAttosecondIsOverAtOnceAndSaysSo() async throws {
        let server = try LoopbackServer(responses: [.never])
        let tiny = Duration(attoseconds: 1)
        for way in HostileBehavior.Way.allCases {
            let timeout = NetworkConfiguration(server.url, options: RequestOptions(timeout: tiny))
            let attempt = await way.outcome(timeout)
            XCTAssertEqual(attempt, "timed out: attempt", "\(way)")
            let deadline = NetworkConfiguration(server.url, options: RequestOptions(deadline: tiny))
            assertEqual(await way.outcome(deadline), "timed out: deadline", "\(way)")
        }
    }

    /// Three attempts in one slot take longer than the timeout of one attempt.
    func testWaitingForASlotDoesNotEatTheTimeout() async throws {
        let server = try LoopbackServer(responses: [.text("x").after(.delay(.milliseconds(1200))), .text("x")])
        let configuration = NetworkConfiguration(server.url, transport: URLSessionTransport(exchangesPerHost: 1))
        let manager = NetworkManager<Ask<NetworkResponse>>(configuration)
        let first = RunningCall(.valueByTask, manager)
        _ = try await server.request(at: 0)
        let request = Ask<NetworkResponse>(options: RequestOptions(timeout: .seconds(1)))
        let calls = [first] + [.valueByTask, .dataTaskByHandle].map { RunningCall($0, manager, request) }
        for call in calls { assertEqual(await call.text, "200 x") }
    }

    func testADeadlineThatPassesInTheQueueWasNeverSent() async throws {
        let server = try LoopbackServer(responses: [.never])
        let configuration = NetworkConfiguration(server.url, transport: URLSessionTransport(exchangesPerHost: 1))
        let manager = NetworkManager<Ask<NetworkResponse>>(configuration)
        let first = RunningCall(.dataTaskByHandle, manager)
        _ = try await server.request(at: 0)

        let request = Ask<NetworkResponse>(options: RequestOptions(deadline: .milliseconds(50)))
        for way in [RunningCall.Way.valueByTask, .dataTaskByHandle] {
            guard case .failure(.timedOut(let timeout)) = await RunningCall(way, manager, request).outcome else {
                return XCTFail("\(way)")
            }
            XCTAssertEqual(timeout.limit, .deadline)
            XCTAssertEqual(timeout.after, .milliseconds(50))
            XCTAssertFalse(timeout.mayHaveReachedServer, "\(way)")
        }
        XCTAssertEqual(server.requests.count, 1)
        first.cancel()
        _ = await first.outcome
    }

    func testADataTaskThatWasStartedAheadOfItsTurnMayHaveBeenSent() async throws {
        let server = try LoopbackServer(responses: [.never])
        let configuration = NetworkConfiguration(server.url, transport: URLSessionTransport(exchangesPerHost: 1))
        let manager = NetworkManager<Ask<NetworkResponse>>(configuration)
        let first = RunningCall(.dataTaskByHandle, manager)
        _ = try await server.request(at: 0)

        let request = Ask<NetworkResponse>(options: RequestOptions(deadline: .milliseconds(500)))
        let result = await withCheckedContinuation { continuation in
            manager.dataTask(for: request) { continuation.resume(returning: $0) }?.resume()
        }
        guard case .failure(.timedOut(let timeout)) = result else { return XCTFail("\(result)") }
        XCTAssertTrue(timeout.mayHaveReachedServer)
        first.cancel()
        _ = await first.outcome
    }

    /// Returns a configuration with one slot for each host, and its slots.
    private func oneAtATime(_ url: URL, _ clock: ManualClock) -> (NetworkConfiguration, HostSlots) {
        let transport = URLSessionTransport(exchangesPerHost: 1)
        let configuration = NetworkConfiguration(url, transport: transport, clock: clock)
        return (configuration, transport.traits.slots ?? HostSlots(limit: 1))
    }

    func testADeadlineThatPassesInTheQueueAfterAnAttemptMayHaveReachedTheServer() async throws {
        struct Twice: NetworkInterceptor {
            let between: @Sendable () async -> Void

            func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
                _ = try await next(call)
                await between()
                return try await next(call)
            }
        }
        let server = try LoopbackServer { $0.path == "/ask" ? .text("x") : .never }
        let clock = ManualClock()
        var (configuration, slots) = oneAtATime(server.url, clock)
        let others = NetworkManager<Ask<NetworkResponse>>(configuration)
        configuration.interceptors = [
            Twice {
                _ = RunningCall(.dataTaskByManager, others, Ask(path: "other"))
                _ = try? await server.request(at: 1)
            }
        ]
        configuration.options.deadline = .seconds(5)
        let call = RunningCall(.valueByTask, NetworkManager(configuration))
        await until { slots.count(URLOrigin(server.url)).waiting == 1 }
        clock.advance(by: .seconds(5))

        guard case .failure(.timedOut(let timeout)) = await call.outcome else { return XCTFail("no timeout") }
        XCTAssertEqual(timeout.limit, .deadline)
        XCTAssertTrue(timeout.mayHaveReachedServer)
        XCTAssertEqual(server.requests.map(\.path), ["/ask", "/other"])
        others.cancelAll()
    }

    func testADeadlineThatPassesInTheQueueAfterARedirectMayHaveReachedTheServer() async throws {
        let busy = try LoopbackServer(responses: [.never])
        let server = try LoopbackServer { _ in .redirect(to: "\(busy.url)/x") }
        let clock = ManualClock()
        let (configuration, slots) = oneAtATime(server.url, clock)
        let manager = NetworkManager<Ask<NetworkResponse>>(configuration)
        let first = RunningCall(.dataTaskByManager, manager, Ask(baseURL: busy.url.absoluteString))
        _ = try await busy.request(at: 0)
        let options = RequestOptions(deadline: .seconds(5))
        let call = RunningCall(.valueByTask, manager, Ask(options: options))
        await until { slots.count(URLOrigin(busy.url)).waiting == 1 }
        clock.advance(by: .seconds(5))

        guard case .failure(.timedOut(let timeout)) = await call.outcome else { return XCTFail("no timeout") }
        XCTAssertEqual(timeout.limit, .deadline)
        XCTAssertTrue(timeout.mayHaveReachedServer)
        first.cancel()
    }

    func testTheTimeoutHoldsForAllStopsOfARedirectTogether() async throws {
        let server = try LoopbackServer { request in
            .redirect(to: request.path + "x").after(.delay(.milliseconds(150)))
        }
        let options = RequestOptions(timeout: .milliseconds(500))
        for way in HostileBehavior.Way.allCases {
            let configuration = NetworkConfiguration(server.url, options: options)
            assertEqual(await way.outcome(configuration), "timed out: attempt", "\(way)")
        }
    }

    /// Prints the figures. The bound is wide, for busy machines.
    func testAClockOfSwiftIsOne() async throws {
        let clock = NetworkClock(SuspendingClock(), date: { Date(timeIntervalSince1970: 7) })
        let transport = CannedTransport { call throws(NetworkError) in
            try await call.sleep(for: .seconds(3_600))
            return NetworkResponse(statusCode: 200, url: call.url)
        }
        let network = NetworkConfiguration(environment: "https://store.example", transport: transport, clock: clock)
        let ask = Ask<Data>(options: RequestOptions(timeout: .milliseconds(1)))
        guard case .timedOut = await network.failure(of: ask) else { return XCTFail("not timed out") }
        XCTAssertEqual(clock.date(), Date(timeIntervalSince1970: 7))
    }

    func testTimeIsKeptExactly() async throws {
        let server = try LoopbackServer(responses: [.never])
        for options in [RequestOptions(timeout: .milliseconds(250)), RequestOptions(deadline: .milliseconds(250))] {
            for way in [HostileBehavior.Way.value, .dataTask] {
                var latest = Duration.zero
                for _ in 0..<5 {
                    let configuration = NetworkConfiguration(server.url, options: options)
                    let start = ContinuousClock.now
                    let text = await way.outcome(configuration)
                    let late = ContinuousClock.now - start - .milliseconds(250)
                    XCTAssertTrue(text.hasPrefix("timed out"), text)
                    XCTAssertGreaterThanOrEqual(late, .zero)
                    latest = max(latest, late)
                }
                XCTAssertLessThan(latest, .seconds(5))
                print("\(options.timeout == nil ? "deadline" : "timeout") as a \(way): at most \(latest) late")
            }
        }
    }
}
