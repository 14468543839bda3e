import RecordKit
import RecordKitStreaming
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

final class TimelineTests: TimedTestCase {
    /// Takes three milliseconds to read its response.
    private struct Slow: NetworkRequest {
        typealias ValueType = Data
        typealias ErrorType = NetworkError
        let clock: ManualClock
        var path: RequestPath { "slow" }
        var query: RequestQuery { ["token": "s3cret", "page": 1] }

        func handleResponse(_ response: NetworkResponse) -> Result<Data, NetworkError> {
            clock.advance(by: .milliseconds(3))
            return accept(response) { $0.body }
        }
    }

    private func slowTransport(_ clock: ManualClock) -> CannedTransport {
        CannedTransport { call throws(NetworkError) in
            clock.advance(by: .milliseconds(call.attempt == 1 ? 120 : 80))
            return call.attempt == 1
                ? NetworkResponse(statusCode: 503, headers: ["Retry-After": "2"], url: call.url)
                : NetworkResponse(statusCode: 200, body: Data(count: 14_000), url: call.url)
        }
    }

    func testACallHasATimeline() async throws {
        let clock = ManualClock(advancesItself: true)
        let book = TimelineBook()
        var network = NetworkConfiguration(slowTransport(clock), [RetryInterceptor()], clock: clock)
        network.observers = [book.observer]
        _ = try await NetworkSession(network).value(for: Slow(clock: clock))

        let timeline = try XCTUnwrap(book.timelines.first)
        XCTAssertEqual(book.timelines.count, 1)
        XCTAssertEqual(
            timeline.description,
            "TimelineTests.Slow, GET https://store.example/slow?token=redacted&page=1, 2.2 s: built in 0.0 ms; "
                + "attempt 1: 503, 0 bytes in 120 ms; waited 2.0 s (Retry-After); "
                + "attempt 2: 200, 14000 bytes in 80 ms; read in 3.0 ms")
        XCTAssertEqual(timeline.date, Date(timeIntervalSince1970: 1_000_000_000))
        XCTAssertEqual(timeline.duration, .milliseconds(2203))
        XCTAssertEqual(timeline.events.map(\.kind), [.built, .attempt, .wait, .attempt, .read])
        XCTAssertEqual(timeline.events.map(\.start), [0, 0, 120, 2120, 2200].map { .milliseconds($0) })
    }

    func testItIsCodable() async throws {
        let timeline = CallTimeline(
            name: "Shop.One.fetch", method: "GET", url: "https://h/", date: Date(timeIntervalSinceReferenceDate: 5.25),
            duration: .milliseconds(2500),
            events: [
                NetworkEvent(
                    .attempt, start: .milliseconds(250), duration: .seconds(2), attempt: 1, statusCode: 200, bytes: 7)
            ])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(timeline)
        XCTAssertEqual(
            String(decoding: data, as: UTF8.self),
            #"{"date":"2001-01-01T00:00:05.250Z","duration":2.5,"events":[{"attempt":1,"#
                + #""bytes":7,"duration":2,"kind":"attempt","start":0.25,"#
                + #""statusCode":200}],"method":"GET","name":"Shop.One.fetch","url":"https://h/"}"#)
        XCTAssertEqual(try JSONDecoder().decode(CallTimeline.self, from: data), timeline)
        let text = String(decoding: data, as: UTF8.self)
        for (date, seconds) in [("5.25", 5.25), ("\"2001-01-01T00:00:05Z\"", 5)] {
            let stored = Data(text.replacing("\"2001-01-01T00:00:05.250Z\"", with: date).utf8)
            let read = try JSONDecoder().decode(CallTimeline.self, from: stored)
            XCTAssertEqual(read.date, Date(timeIntervalSinceReferenceDate: seconds), date)
        }
        for time in ["1e300", "-1e13", "\"x\""] {
            let broken = String(decoding: data, as: UTF8.self).replacing("2.5", with: time)
            XCTAssertThrowsError(try JSONDecoder().decode(CallTimeline.self, from: Data(broken.utf8)))
        }
    }

    func testAFailureEndsATimelineToo() async {
        let clock = ManualClock()
        for (error, text) in [
            (NetworkError.lost, "connection lost"), (.cancelled, "cancelled"),
            (.tooLarge(NetworkError.TooLarge(limit: 1, host: "h")), "too large"),
        ] {
            let book = TimelineBook()
            var network = NetworkConfiguration(CannedTransport(.fail(error)), [], clock: clock)
            network.observers = [book.observer]
            _ = await NetworkSession(network).outcome(of: Ask())
            XCTAssertEqual(book.timelines.map { $0.events.map(\.kind) }, [[.built, .attempt, .read]])
            XCTAssertEqual(book.timelines.first?.events[1].detail, text)
        }
    }

    func testACallThatWasCancelledBeforeItBeganHasATimeline() async {
        let book = TimelineBook()
        let network = NetworkConfiguration(CannedTransport(), [], clock: ManualClock(), observers: [book.observer])
        let configuration = network
        await withTaskGroup(of: Void.self) { group in
            group.cancelAll()
            group.addTask { _ = await NetworkSession(configuration).outcome(of: Ask()) }
        }
        XCTAssertEqual(book.timelines.map { $0.events.map(\.kind) }, [[.built, .read]])
    }

    func testAStreamHasATimelineHoweverItEnds() async throws {
        let stub = StubServer()
        stub.respond(to: "/ask", with: [.text("one\ntwo\nthree\n")])
        let book = TimelineBook()
        var network = stub.configuration
        network.observers = [book.observer]
        let ends: [(NetworkSequence<String, NetworkError>) async throws -> Void] = [
            { _ = try await $0.collect() },
            { _ = try await $0.first() },
            { lines in for try await _ in lines { break } },
            { lines in
                _ = try await lines.response
                lines.cancel()
            },
        ]
        for (number, end) in ends.enumerated() {
            try await end(NetworkManager(network).lines(for: Ask<Data>()))
            // The caller may go on before the stream's end is told.
            await until { book.timelines.count == number + 1 }
            XCTAssertEqual(book.timelines.last?.events.map(\.kind), [.built, .attempt, .read])
            XCTAssertEqual(book.timelines.last?.events.last?.detail, number == 0 ? nil : "NetworkError.cancelled")
        }
    }

    func testTheTimelineOfAStreamNamesTheErrorOfItsParser() async throws {
        let stub = StubServer()
        stub.respond(to: "/ask", with: [.text("a long line")])
        let book = TimelineBook()
        var network = stub.configuration
        network.observers = [book.observer]
        _ = try? await NetworkManager(network).lines(for: Ask<Data>(options: RequestOptions(sizeLimit: 2))).collect()
        XCTAssertEqual(book.timelines.map { $0.events.last?.detail }, ["NetworkError.tooLarge"])
    }

    func testADataTaskThatIsRefusedHasNoOpenTimeline() async throws {
        let spy = EventSpy()
        let network = NetworkConfiguration(CannedTransport(), [], clock: ManualClock(), observers: [spy])
        let result = await NetworkManager<Ask<Data>>(network).dataTaskResult(for: Ask(), begins: false)
        XCTAssertThrowsError(try result.get())
        XCTAssertEqual(spy.count(of: .built), 0)
    }

    func testACallAndADataTaskTellOfTheirRedirects() async throws {
        let server = try LoopbackServer { $0.path == "/ask" ? .redirect(to: "/there") : .text("x") }
        for way in [HostileBehavior.Way.value, .dataTask] {
            let book = TimelineBook()
            let text = await way.outcome(NetworkConfiguration(server.url, observers: [book.observer]))
            XCTAssertEqual(text, "200 x", "\(way)")
            let events = try XCTUnwrap(book.timelines.first).events
            XCTAssertEqual(events.map(\.kind), [.built, .attempt, .redirect, .read], "\(way)")
            XCTAssertEqual(events.map(\.statusCode), [nil, 200, 302, nil], "\(way)")
        }
    }

    func testInterceptorsTellTheirPart() async throws {
        struct Nap: NetworkInterceptor {
            func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
                let start = call.clock.now()
                try await call.sleep(for: .seconds(1))
                call.report(NetworkEvent.Kind(rawValue: "nap"), since: start)
                return try await next(call)
            }
        }
        let clock = ManualClock(advancesItself: true)
        let book = TimelineBook()
        let tokens = TokenSource(store: MemoryTokenStore(TokenSet("old"))) { _ in TokenSet("new") }
        let transport = CannedTransport { call throws(NetworkError) in
            NetworkResponse(statusCode: call.headers["Authorization"] == "Bearer new" ? 200 : 401, url: call.url)
        }
        var network = NetworkConfiguration(
            transport,
            [
                Nap(), AuthorizationInterceptor(tokens, for: "https://store.example"),
                RateLimitInterceptor(1, per: .seconds(5)),
            ],
            clock: clock)
        network.observers = [book.observer]
        _ = await NetworkSession(network).status()
        let text = book.timelines.first?.description ?? ""
        let events = [
            "built in 0.0 ms", "nap in 1.0 s", "token refresh in 0.0 ms", "attempt 1: 401, 0 bytes in 0.0 ms",
            "token refresh in 0.0 ms", "waited 5.0 s (rate limit)", "attempt 2: 200, 0 bytes in 0.0 ms",
            "read in 0.0 ms",
        ]
        XCTAssertTrue(text.hasSuffix(events.joined(separator: "; ")), text)
    }

    func testARefreshThatFailsSaysSo() async throws {
        struct Refused: Error {}
        let book = TimelineBook()
        let clock = ManualClock(advancesItself: true)
        let tokens = TokenSource { _ in throw Refused() }
        let transport = CannedTransport { call throws(NetworkError) in NetworkResponse(statusCode: 200, url: call.url) }
        var network = NetworkConfiguration(
            transport, [AuthorizationInterceptor(tokens, for: "https://store.example")], clock: clock)
        network.observers = [book.observer]
        _ = await NetworkSession(network).status()
        let text = book.timelines.first?.description ?? ""
        let events = "built in 0.0 ms; token refresh in 0.0 ms (failed); read in 0.0 ms (NetworkError.interceptor)"
        XCTAssertTrue(text.hasSuffix(events), text)
    }
}
