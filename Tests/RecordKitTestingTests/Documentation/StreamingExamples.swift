import Foundation
import RecordKit
import RecordKitStreaming
import RecordKitTesting
import TestSupport
import XCTest

// The snippets of the article on streaming.

enum StreamingExamples {
    struct ServerLog: NetworkRequest {
        typealias ValueType = String

        var path: RequestPath { "log" }
    }

    struct Recording: NetworkRequest {
        typealias ValueType = Data

        var path: RequestPath { "recording" }
    }

    struct StockFeed: NetworkRequest {
        typealias ValueType = Void

        var path: RequestPath { "stock/feed" }
    }

    struct ChatCompletion: NetworkRequest {
        typealias ValueType = Void

        let prompt: String

        var path: RequestPath { "v1/chat/completions" }
        var method: HTTPMethod { .post }
        var options: RequestOptions { RequestOptions(timeout: .seconds(300)) }

        var body: (any NetworkEncodable)? {
            [
                "model": "small", "stream": true,
                "messages": [["role": "user", "content": prompt]],
            ] as [String: Any]
        }
    }

    struct ChatChunk: Decodable {
        var choices: [Choice]

        struct Choice: Decodable { var delta: Delta }
        struct Delta: Decodable { var content: String? }
    }

    struct Sale: Decodable {}

    struct Player {
        var data = Data()

        mutating func append(_ chunk: Data) { data += chunk }
    }

    static func log(_ network: NetworkSession) async throws {
        for try await line in network.lines(for: ServerLog()) { print(line) }
    }

    static func sales(_ network: NetworkSession, apply: (Sale) -> Void) async throws {
        let decoder = JSONDecoder()
        for try await event in network.events(for: StockFeed()) {
            guard event.type == "sold" else { continue }
            do {
                apply(try event.value(as: Sale.self, using: decoder))
            } catch {
                print("The event \(event.id) is not a sale.")
            }
        }
    }

    static func play(_ network: NetworkSession) async throws -> Data {
        var player = Player()
        let chunks = network.chunks(for: Recording())
        print(try await chunks.response.headers["Content-Type"] ?? "unknown type")
        for try await chunk in chunks { player.append(chunk) }

        return player.data
    }

    static func complete(_ prompt: String, _ network: NetworkSession, show: (String) -> Void) async throws {
        for try await event in network.events(for: ChatCompletion(prompt: prompt)) {
            if event.data == "[DONE]" { break }
            let chunk = try event.value(as: ChatChunk.self)
            if let text = chunk.choices.first?.delta.content { show(text) }
        }
    }

    static func follow(
        _ network: NetworkSession, apply: (Sale) -> Void, refresh: () -> Void
    ) async throws {
        for try await event in network.events(for: StockFeed()) {
            switch event.type {
            case "sold":
                try apply(event.value(as: Sale.self))
            case "restocked": refresh()
            default: break
            }
        }
    }

    static func resume(
        after lastID: String, _ network: NetworkSession
    ) -> (NetworkSequence<ServerSentEvent, NetworkError>, [ReconnectPolicy]) {
        let tenTimes = ReconnectPolicy { $0.attempt <= 10 ? $0.wait : nil }
        let halfAnHour = ReconnectPolicy {
            $0.outage < .seconds(1800) ? $0.wait : nil
        }
        let fixed = ReconnectPolicy {
            $0.error?.isTransient == false ? nil : .seconds(5)
        }
        let events = network.events(for: StockFeed(), reconnect: tenTimes) { call in
            call.headers["Last-Event-ID"] = lastID
        }

        return (events, [halfAnHour, fixed])
    }
}

/// Runs the snippets of the article on streaming.
final class StreamingExampleTests: TimedTestCase {
    private typealias StockFeed = StreamingExamples.StockFeed

    func testAChatCompletionIsShownAsItArrives() async throws {
        let gate = ResponseGate()
        let stub = StubServer()
        stub.respond(
            to: "POST /v1/chat/completions",
            with: .events([
                .event(#"{"choices": [{"delta": {"role": "assistant"}}]}"#),
                .event(#"{"choices": [{"delta": {"content": "Blue"}}]}"#), .wait(gate),
                .event(#"{"choices": [{"delta": {"content": " Train"}}]}"#), .event("[DONE]"), .hold,
            ]))
        let network = NetworkSession(stub.configuration)
        var shown: [String] = []
        try await StreamingExamples.complete("Name a record.", network) { text in
            shown.append(text)
            gate.open()
        }
        XCTAssertEqual(shown, ["Blue", " Train"])
        XCTAssertEqual(stub.requests.count, 1)
        await until { network.inFlight == 0 }
        let body = try XCTUnwrap(JSONSerialization.jsonObject(with: stub.requests[0].body) as? [String: Any])
        XCTAssertEqual(body["stream"] as? Bool, true)
    }

    func testAFeedIsFollowedUntilItEnds() async throws {
        let stub = StubServer(clock: ManualClock(advancesItself: true).networkClock)
        stub.respond(
            to: "/stock/feed",
            with: .events([.event("{}", type: "sold", id: "1"), .event("", type: "other"), .reset]),
            .events([.event("", type: "restocked")]), .status(204))
        var (sales, refreshes) = (0, 0)
        try await StreamingExamples.follow(NetworkSession(stub.configuration)) { _ in
            sales += 1
        } refresh: {
            refreshes += 1
        }
        XCTAssertEqual([sales, refreshes], [1, 1])
        XCTAssertEqual(stub.requests.map { $0.headers["Last-Event-ID"] }, [nil, "1", "1"])

        let (events, _) = StreamingExamples.resume(after: "7", NetworkSession(stub.configuration))
        _ = try await events.response
        XCTAssertEqual(stub.requests.last?.headers["Last-Event-ID"], "7")
    }

    func testBytesAndLines() async throws {
        let stub = StubServer()
        stub.respond(to: "/recording", with: .stream([.chunk("ab"), .chunk("cd")], contentType: "audio/flac"))
        stub.respond(to: "/log", with: .text("one\ntwo"))
        let data = try await StreamingExamples.play(NetworkSession(stub.configuration))
        XCTAssertEqual(data, Data("abcd".utf8))
        try await StreamingExamples.log(NetworkSession(stub.configuration))
        try stub.verify()
    }

    func testAStreamIsTested() async throws {
        let gate = ResponseGate()
        let stub = StubServer()
        stub.respond(
            to: "/stock/feed",
            with: .events([.event("{}", type: "sold", id: "1"), .wait(gate), .reset]),
            .status(204))
        let network = NetworkSession(stub.configuration)
        let feed = network.events(for: StockFeed())
        let first = try await feed.first()
        XCTAssertEqual(first?.id, "1")

        feed.cancel()
    }

    func testAScriptedStream() async throws {
        let stub = StubServer(clock: ManualClock(advancesItself: true).networkClock)
        let gate = ResponseGate()
        stub.respond(
            to: "/log",
            with: .stream([.chunk("one\n"), .wait(gate), .chunk("two\n"), .reset]))
        stub.respond(
            to: "/feed",
            with: .events([
                .event("one", id: "1"), .delay(.seconds(5)), .event("two"),
            ]))

        let lines = NetworkSession(stub.configuration).lines(for: StreamingExamples.ServerLog())
        let one = try await lines.first()
        XCTAssertEqual(one, "one")
        gate.open()
        let two = try await lines.first()
        XCTAssertEqual(two, "two")
        let events = try await NetworkSession(stub.configuration).events(
            for: Ask<Data>(path: "feed"), reconnect: .never
        ).collect()
        XCTAssertEqual(events.map(\.data), ["one", "two"])
    }
}
