import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

final class CassetteTests: TimedTestCase {
    private let clock = ManualClock()
    private let environment = NetworkEnvironment("https://store.example/v1")

    private func network(_ transport: some NetworkTransport) -> NetworkConfiguration {
        NetworkConfiguration(environment: environment, transport: transport, clock: clock.networkClock)
    }

    func testRealTrafficIsRecordedAndReplayed() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "sub/shop.har")
        let server = try LoopbackServer { request in
            switch request.path {
            case "/records/a": .json(#"{"sku": "a", "title": "é", "quantity": 1}"#)
            case "/records": .status(201, headers: ["Content-Type": "application/json"], body: request.body)
            case "/old": .redirect(to: "/picture")
            case "/picture": .status(200, headers: ["Content-Type": "image/png"], body: Data([0, 159, 146, 150]))
            default: .status(404)
            }
        }
        let environment = NetworkEnvironment(server.url.absoluteString)
        func run(_ mode: Cassette.Mode) async throws -> [String] {
            let cassette = try Cassette(file, mode)
            let network = NetworkSession(NetworkConfiguration(environment: environment, transport: cassette))
            var seen: [String] = []
            seen.append("\(try await network.value(for: RecordService.One.fetch(sku: "a")))")
            seen.append("\(try await network.value(for: RecordService.One.create(Record(sku: "b"))))")
            let picture = try await network.value(for: Ask<NetworkResponse>(path: "old"))
            seen.append("\(Array(picture.body)) \(picture.url.path)")
            let missing = await network.failure(of: RecordService.Nothing.delete(sku: "c"))
            seen.append("\(try XCTUnwrap(missing))")
            try cassette.verify()
            return seen
        }

        let recorded = try await run(.record(through: URLSessionTransport()))
        let count = server.requests.count
        let replayed = try await run(.replay)

        XCTAssertEqual(recorded[1], "\(Record(sku: "b"))")
        XCTAssertEqual(recorded[2], "[0, 159, 146, 150] /picture")
        XCTAssertEqual(replayed, recorded)
        XCTAssertEqual(server.requests.count, count)
    }

    func testTheFileIsReadableAndTheSameEachTime() async throws {
        let folder = try TemporaryFolder()
        let stub = StubServer()
        stub.respond(to: "/**", with: .json(#"{"sku": "a/b"}"#).delayed(by: .milliseconds(12)))
        let clock = ManualClock(advancesItself: true)
        let cassette = try Cassette(folder.url.appending(path: "one.har"), .record(through: stub))
        let url = try XCTUnwrap(URL(string: "https://store.example/records?page=1"))
        _ = try await cassette.exchange(
            NetworkCall(
                url: url, method: .post, headers: ["Authorization": "Bearer x", "Content-Type": "application/json"],
                body: EncodedBody(Data("{}".utf8), contentType: "application/json"), clock: clock.networkClock))
        let recorded = try XCTUnwrap(Bundle.module.resourceURL).appending(path: "Fixtures/recorded.har")
        // The layout of an empty list depends on the encoder.
        func lines(_ text: String) -> [Substring] { text.split(separator: "\n") }
        XCTAssertEqual(lines(try folder.text(of: "one.har")), lines(try String(contentsOf: recorded, encoding: .utf8)))
    }

    func testAnArchiveHasTheMembersThatTheStandardRequires() async throws {
        let folder = try TemporaryFolder()
        let stub = StubServer(environment: environment)
        stub.respond(to: "/**", with: .json("{}"))
        let cassette = try Cassette(folder.url.appending(path: "one.har"), .record(through: stub))
        _ = try await NetworkSession(network(cassette)).value(for: Ask<Data>(path: "a", method: .post, content: "x"))
        let data = Data(try folder.text(of: "one.har").utf8)
        func members(_ value: Any?) -> [String: Any] { value as? [String: Any] ?? [:] }
        let log = members(members(try JSONSerialization.jsonObject(with: data))["log"])
        let entry = members((log["entries"] as? [Any])?.first)
        let (request, response) = (members(entry["request"]), members(entry["response"]))
        for (value, names) in [
            (log, ["version", "creator", "entries"]), (members(log["creator"]), ["name", "version"]),
            (entry, ["startedDateTime", "time", "request", "response", "cache", "timings"]),
            (members(entry["timings"]), ["send", "wait", "receive"]),
            (
                request,
                ["method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"]
            ),
            (members(request["postData"]), ["mimeType", "text"]),
            (
                response,
                [
                    "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL",
                    "headersSize",
                    "bodySize",
                ]
            ),
            (members(response["content"]), ["size", "mimeType"]),
        ] { XCTAssertEqual(names.filter { value[$0] == nil }, [], "\(value)") }
    }

    func testStrictReplayGivesEachResponseOnceAndInOrder() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "one.har")
        let stub = StubServer(environment: environment)
        stub.respond(to: "/v1/a", with: .text("first"), .text("second"))
        stub.respond(to: "/v1/b", with: .text("b"))
        let recorder = network(try Cassette(file, .record(through: stub)))
        for path in ["a", "b", "a"] { _ = try await NetworkSession(recorder).value(for: Ask<Data>(path: "\(path)")) }

        let cassette = try Cassette(file, .replay)
        let player = network(cassette)
        var answers: [String] = []
        for _ in 0..<2 { answers.append(try await NetworkSession(player).value(for: Ask<String>(path: "a"))) }
        XCTAssertEqual(answers, ["first", "second"])
        XCTAssertThrowsError(try cassette.verify()) { error in
            XCTAssertEqual(
                "\(error)",
                "These requests of the recording one.har were not sent:\nGET https://store.example/v1/b (entry 2)")
        }
        let spent = await player.failure(of: Ask<Data>(path: "a"))
        XCTAssertEqual(
            spent?.description,
            "Cassette ended the call: The recording one.har has no GET https://store.example/v1/a. "
                + "It was sent more often than it was recorded.")
        let other = await player.failure(of: Ask<Data>(path: "b", query: ["page": 2]))
        XCTAssertEqual(
            (other?.cause as? UnexpectedRequest)?.description,
            "The recording one.har has no GET https://store.example/v1/b?page=2. The nearest is "
                + "GET https://store.example/v1/b (entry 2): the query item \"page\" is \"2\", not expected.")
    }

    func testAnEmptyRecordingSaysSo() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "one.har")
        _ = try Cassette(file, .record(through: StubServer()))
        let error = await network(try Cassette(file, .replay)).failure(of: Ask<Data>())
        XCTAssertEqual(
            (error?.cause as? UnexpectedRequest)?.description,
            "The recording one.har has no GET https://store.example/v1/ask. The recording is empty.")
    }

    func testAStreamIsRecordedWhole() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "one.har")
        let stub = StubServer()
        stub.respond(to: "/**", with: .text("abcdef").slow(bytes: 2, every: .seconds(1)))
        let url = try XCTUnwrap(URL(string: "https://store.example/a"))
        let clock = ManualClock(advancesItself: true)
        let up = AsyncStream { continuation in
            continuation.yield(Data("up".utf8))
            continuation.finish()
        }
        let call = NetworkCall(
            url: url, method: .post, body: EncodedBody(.pieces([.stream(StreamBody(up))]), contentType: "text/plain"),
            delivery: .streamed, clock: clock.networkClock)
        assertEqual(try await Cassette(file, .record(through: stub)).exchange(call).body, Data("abcdef".utf8))
        XCTAssertEqual(stub.requests.first?.text, "up")
        XCTAssertTrue(try folder.text(of: "one.har").contains(#""text" : "up""#))
    }
}
