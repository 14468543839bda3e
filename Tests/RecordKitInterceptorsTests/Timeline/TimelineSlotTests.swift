import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

final class TimelineSlotTests: TimedTestCase {
    func testTheWaitForASlotIsApartFromItsAttempt() async throws {
        for way in [HostileBehavior.Way.value, .dataTask] {
            let gate = ResponseGate()
            let server = try LoopbackServer(responses: [.text("four").after(.wait(gate)), .text("four")])
            let book = TimelineBook()
            let spy = EventSpy()
            var network = NetworkConfiguration(server.url)
            network.transport = URLSessionTransport(exchangesPerHost: 1)
            network.observers = [book.observer, spy]
            let session = NetworkSession(network)
            let first = Task { await HostileBehavior.run(Ask(), over: session, way) }
            _ = try await server.request(at: 0)
            let second = Task { await HostileBehavior.run(Ask(), over: session, way) }
            // A built request waits for its slot next. A wait of less than 0.1 ms is not reported.
            await until { spy.count(of: .built) == 2 }
            let start = ContinuousClock.now
            while ContinuousClock.now - start < .milliseconds(20) { await Task.yield() }
            gate.open()
            _ = await (first.value, second.value)

            let waited = try XCTUnwrap(book.timelines.first { $0.events.contains { $0.kind == .slot } })
            XCTAssertEqual(book.timelines.count { $0.events.contains { $0.kind == .slot } }, 1)
            XCTAssertEqual(waited.events.map(\.kind), [.built, .slot, .attempt, .read], "\(way)")
            XCTAssertEqual(waited.events[1].end, waited.events[2].start)
            XCTAssertEqual(waited.events[2].bytes, 4)
            XCTAssertTrue(waited.description.contains(" for a slot; attempt 1: 200, 4 bytes in "), waited.description)
        }
    }

    func testAWaitForASlotThatWasCutShortIsTold() async throws {
        let server = try LoopbackServer(responses: [.never])
        let book = TimelineBook()
        var network = NetworkConfiguration(server.url, transport: URLSessionTransport(exchangesPerHost: 1))
        let manager = NetworkManager<Ask<NetworkResponse>>(network)
        let first = RunningCall(.dataTaskByManager, manager)
        _ = try await server.request(at: 0)
        network.observers = [book.observer]
        let ask = Ask<NetworkResponse>(options: RequestOptions(deadline: .milliseconds(500)))
        for way in [HostileBehavior.Way.value, .dataTask] {
            _ = await HostileBehavior.run(ask, network, way)
            let events = try XCTUnwrap(book.timelines.last).events
            XCTAssertEqual(events.map(\.kind), [.built, .slot, .attempt, .read], "\(way)")
            XCTAssertEqual(events[1].end, events[2].start, "\(way)")
        }
        first.cancel()
        _ = await first.outcome
    }

    /// The timeline would lose what happened before it.
    func testTheWaitForASlotAfterARedirectIsAPartOfItsAttempt() async throws {
        let gate = ResponseGate()
        let other = try LoopbackServer { request in
            request.path == "/busy" ? .text("busy").after(.wait(gate)) : .text("there")
        }
        let server = try LoopbackServer { _ in .redirect(to: "\(other.url)/x") }
        let book = TimelineBook()
        let spy = EventSpy()
        var network = NetworkConfiguration(server.url, transport: URLSessionTransport(exchangesPerHost: 1))
        let busy = Ask<NetworkResponse>(baseURL: other.url.absoluteString, path: "busy")
        let first = RunningCall(.valueByTask, NetworkManager(network), busy)
        _ = try await other.request(at: 0)
        network.observers = [book.observer, spy]
        let second = RunningCall(.valueByTask, NetworkManager(network))
        await until { spy.count(of: .redirect) == 1 }
        // Longer than the shortest wait that is reported.
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .milliseconds(20) { await Task.yield() }
        gate.open()
        _ = await (first.outcome, second.outcome)

        let events = try XCTUnwrap(book.timelines.first).events
        XCTAssertEqual(events.map(\.kind), [.built, .attempt, .redirect, .slot, .read])
        XCTAssertGreaterThanOrEqual(events[1].end, events[3].end)
    }

    /// A second attempt begins during the first, and has to wait for a slot.
    func testTheWaitOfAnotherAttemptIsNoPartOfThisOne() async throws {
        let clock = ManualClock()
        let book = TimelineBook()
        let observers = [book.observer]
        let transport = CannedTransport { call throws(NetworkError) in
            let start = call.clock.now()
            if call.attempt == 2 {
                try await call.sleep(for: .seconds(4))
                let wait = NetworkEvent(.slot, start: start, duration: call.clock.now() - start, attempt: 2)
                for observer in observers { observer.observe(wait, of: call) }
                try await call.sleep(for: .seconds(3))
            } else {
                try await call.sleep(for: .seconds(10))
            }
            return NetworkResponse(statusCode: 200, url: call.url)
        }
        let network = NetworkConfiguration(transport, [Hedge()], clock: clock, observers: observers)
        let call = Task { [network] in await NetworkSession(network).status() }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(4))
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(6))
        _ = await call.value
        let attempts = book.timelines[0].events.filter { $0.kind == .attempt }
        XCTAssertEqual(attempts.map(\.attempt), [1, 2])
        XCTAssertEqual(attempts.map(\.start), [.zero, .seconds(4)])
        XCTAssertEqual(attempts.map(\.duration), [.seconds(10), .seconds(6)])
    }
}

extension NetworkEvent {
    fileprivate var end: Duration { start + duration }
}

/// Sends a call twice at once.
private struct Hedge: NetworkInterceptor {
    func intercept(_ call: NetworkCall, next: @escaping NetworkCall.Next) async throws(NetworkError) -> NetworkResponse
    {
        let other = Task { try? await next(call.nextAttempt()) }
        let response = try await next(call)
        _ = await other.value
        return response
    }
}
