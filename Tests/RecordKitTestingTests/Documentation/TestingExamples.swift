import Foundation
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// Runs the snippets of the articles of RecordKitTesting.
final class TestingExamples: TimedTestCase {
    private let record = Record(sku: "LP-0042", quantity: 3)

    func testASale() async throws {
        try await withStubs { stub in
            try stub.respond(
                to: RecordService.One.fetch(sku: "LP-0042"),
                with: Record(sku: "LP-0042", title: "Blue", quantity: 3))
            let records = NetworkManager<RecordService.One>(stub.configuration)

            let record = try await records.value(for: .fetch(sku: "LP-0042"))

            XCTAssertEqual(record.quantity, 3)
        }
    }

    func testRequestsThemselves() async throws {
        let stub = StubServer()
        try stub.respond(to: RecordService.One.fetch(sku: "LP-0042"), with: record)
        try stub.respond(to: RecordService.One.fetch(sku: "none"), with: .status(404))

        let network = NetworkSession(stub.configuration)
        let fetched = try await network.value(
            for: RecordService.One.fetch(sku: "LP-0042"))
        XCTAssertEqual(fetched, record)
        let error = await network.failure(of: RecordService.One.fetch(sku: "none"))
        guard case .notFound = error else { return XCTFail("\(String(describing: error))") }
        try stub.verify()
    }

    func testPatterns() async throws {
        let stub = StubServer()
        stub.respond(
            to: "GET /records/*",
            with: .json(#"{"sku": "a", "title": "Blue", "quantity": 1}"#))
        stub.respond(to: "/records?format=LP", with: .json("[]"))
        stub.respond(
            to: "GET https://images.example/**",
            with: try .file("Fixtures/cover.png", in: .module))
        stub.respond(
            to: StubPattern(.post, "/records", headers: ["Idempotency-Key": "*"]) {
                request in
                try request.value(as: Record.self).quantity > 0
            }, with: .status(201))

        let network = NetworkSession(stub.configuration)
        _ = try await network.value(for: RecordService.One.fetch(sku: "a"))
        _ = try await network.value(for: Ask<Data>(path: "records", query: ["format": "LP"]))
        let cover = try await network.value(
            for: Ask<NetworkResponse>(baseURL: "https://images.example", path: "a/cover"))
        XCTAssertEqual(cover.mediaType?.essence, "image/png")
        _ = try await network.value(
            for: Ask<Data>(path: "records", method: .post, headers: ["Idempotency-Key": "1"], content: record))
        try stub.verify()
    }

    func testAnswers() async throws {
        let stub = StubServer()
        stub.respond(
            to: "/health", with: .text("starting", status: 503), .text("fine"))
        stub.respond(
            to: "/records",
            with: .json("[]").adding(["Link": "</records?page=2>; rel=\"next\""]))
        stub.respond(to: "POST /echo") { request in
            .data(
                request.body,
                contentType: request.headers["Content-Type"] ?? "text/plain")
        }

        let network = NetworkSession(stub.configuration)
        _ = await network.failure(of: Ask<String>(path: "health"))
        let health = try await network.value(for: Ask<String>(path: "health"))
        XCTAssertEqual(health, "fine")
        let page = try await network.value(for: Ask<NetworkResponse>(path: "records"))
        XCTAssertEqual(page.headers["Link"], "</records?page=2>; rel=\"next\"")
        let echo = try await network.value(for: Ask<String>(path: "echo", method: .post, content: "hi"))
        XCTAssertEqual(echo, "hi")
        try stub.verify()
    }

    func testTheRequestsThatAStubReceived() async throws {
        let stub = StubServer()
        stub.respond(to: "POST /records") { .data($0.body, contentType: "application/json") }
        _ = try await NetworkSession(stub.configuration).value(for: RecordService.One.create(record))

        XCTAssertEqual(
            stub.requests.map(\.description), ["POST https://stub.test/records"])
        XCTAssertEqual(stub.requests(matching: "POST /records").count, 1)
        XCTAssertEqual(try stub.requests[0].value(as: Record.self), record)
    }

    func testAReporter() async throws {
        let strict = StubServer(report: { XCTFail($0) })
        strict.respond(to: "/ask", with: .text("x"))
        _ = try await NetworkSession(strict.configuration).value(for: Ask<String>())
        try strict.verify()
    }

    func testFaults() async throws {
        let stub = StubServer(clock: ManualClock(advancesItself: true).networkClock)
        stub.respond(to: "/slow", with: .json("[]").delayed(by: .seconds(30)))
        stub.respond(
            to: "/dripping", with: .text("abcdef").dripped(by: 2, every: .seconds(1)))
        stub.respond(to: "/down", with: .refused)
        stub.respond(to: "/lost", with: .json(#"{"sku": "LP-0042"}"#).cut(after: 8))
        stub.respond(
            to: "/truncated", with: .json(#"{"sku": "LP-0042"}"#).truncated())
        stub.respond(to: "/garbled", with: .json(#"{"sku": "LP-0042"}"#).garbled())
        stub.respond(to: "/offline", with: .failure(.notConnectedToInternet))
        stub.respond(to: "/busy", with: .status(503), .status(503), .json("[]"))
        stub.respond(
            to: "/signed-out",
            with: .status(401, headers: ["WWW-Authenticate": "Bearer"]), .json("[]"))
        stub.respond(to: "/skewed", with: .json("[]").skewed(by: .seconds(-3600)))
        stub.respond(to: "/never", with: .never)

        let network = stub.configuration
        var failed: [String] = []
        for path in [
            "slow", "dripping", "down", "lost", "truncated", "garbled", "offline", "busy", "signed-out", "skewed",
            "never",
        ] where await network.failure(of: Ask<Data>(path: "\(path)")) != nil {
            failed.append(path)
        }
        XCTAssertEqual(failed, ["down", "lost", "offline", "busy", "signed-out", "never"])
    }

    func testTime() async throws {
        let clock = ManualClock()
        let stub = StubServer(clock: clock.networkClock)
        stub.respond(
            to: "/records/*",
            with: try .json(encoding: record).delayed(by: .seconds(30)))
        let network = NetworkSession(stub.configuration)
        async let delayed = network.value(
            for: RecordService.One.fetch(sku: "LP-0042"))
        await clock.advanceToNextSleeper()
        let late = try await delayed
        XCTAssertEqual(late, record)

        stub.respond(to: "/records/*", with: .never)
        async let nothing = try? network.value(
            for: RecordService.One.fetch(sku: "LP-0042"))
        await clock.waitForSleepers(1)
        XCTAssertEqual(clock.timerCount, 1)
        clock.advance(by: .seconds(60))
        let timedOut = await nothing
        XCTAssertNil(timedOut)
    }

    func testAMock() async throws {
        let configuration = NetworkConfiguration(
            environment: NetworkEnvironment("https://store.example"),
            transport: MockFolder("Fixtures/Mocks", in: .module))
        let mocked = NetworkSession(configuration)
        let record = try await mocked.value(
            for: RecordService.One.fetch(sku: "LP-0042"))

        XCTAssertEqual(record.title, "Kind of Blue")
    }

    func testACassette() async throws {
        let server = try LoopbackServer(responses: [.json(#"{"sku": "LP-0042", "title": "Blue", "quantity": 3}"#)])
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "sale.har")
        var configuration = NetworkConfiguration(environment: NetworkEnvironment(server.url.absoluteString))
        do {
            let cassette = try Cassette(file, .record(through: URLSessionTransport()))
            configuration.transport = cassette
            _ = try await NetworkSession(configuration).value(for: RecordService.One.fetch(sku: "LP-0042"))
        }
        do {
            let cassette = try Cassette(file, .replay())
            configuration.transport = cassette
            let network = NetworkSession(configuration)
            let record = try await network.value(
                for: RecordService.One.fetch(sku: "LP-0042"))
            try cassette.verify()

            XCTAssertEqual(record.quantity, 3)
        }
        do {
            let cassette = try Cassette(file, .replay(.loose))
            configuration.transport = cassette
            _ = try await NetworkSession(configuration).value(for: RecordService.One.fetch(sku: "LP-0042"))
        }
        do {
            let cassette = try Cassette(
                file, .record(through: URLSessionTransport()),
                sensitiveNames: ["till", "pin"])
            configuration.transport = cassette
            _ = try await NetworkSession(configuration).value(for: RecordService.One.fetch(sku: "LP-0042"))
        }
        XCTAssertEqual(server.requests.count, 2)
    }

    func testAServer() async throws {
        let server = try LoopbackServer { request in
            request.path == "/records/a"
                ? .json(#"{"sku": "a", "title": "Blue", "quantity": 1}"#)
                : .status(404)
        }
        let environment = NetworkEnvironment(server.url)
        let network = NetworkSession(environment: environment)
        let record = try await network.value(for: RecordService.One.fetch(sku: "a"))
        XCTAssertEqual(record.title, "Blue")
        XCTAssertEqual(server.requests.map(\.target), ["/records/a"])
    }

    func testAServerOfFaults() async throws {
        let server = try LoopbackServer(responses: [
            .text("abcdef").cut(after: 3),
            .chunked(["one", "two"]),
            [.head(200), .body("no length"), .close],
            .reset,
        ])

        let environment = NetworkEnvironment(server.url)
        let network = NetworkSession(environment: environment)
        var answers: [String?] = []
        for _ in 0..<4 { answers.append(try? await network.value(for: Ask<String>())) }
        XCTAssertEqual(answers, [nil, "onetwo", "no length", nil])
    }
}
