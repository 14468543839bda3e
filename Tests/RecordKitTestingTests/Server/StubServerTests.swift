import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class StubServerTests: TimedTestCase {
    private let stub = StubServer()
    private let record = Record(sku: "LP/42", quantity: 3)

    func testARequestValueGetsItsValue() async throws {
        let search = QueryExamples.Search.list(title: "Blue & more", formats: ["LP", "EP"])
        try await withStubs { stub in
            try stub.respond(to: RecordService.One.fetch(sku: "LP/42"), with: record)
            try stub.respond(to: search, with: [record, record])
            try stub.respond(to: RecordService.One.create(record), with: record, status: 201)
            let network = NetworkSession(stub.configuration)

            let fetched = try await network.value(for: RecordService.One.fetch(sku: "LP/42"))
            let listed = try await network.value(for: search)
            let created = try await network.value(for: RecordService.One.create(record))

            XCTAssertEqual(fetched, record)
            XCTAssertEqual(listed, [record, record])
            XCTAssertEqual(created, record)
        }
    }

    func testPatterns() async throws {
        stub.respond(to: "/records/**", with: .text("below"))
        stub.respond(to: "GET /records/*", with: .text("one"))
        stub.respond(to: "/records/*/tracks/*.mp3", with: .text("track"))
        stub.respond(to: "GET /records/*?limit=5", with: .text("limited"))
        stub.respond(to: StubPattern(.get, "/records/*", headers: ["X-Till": "7*"]), with: .text("till"))
        stub.respond(to: "https://other.test/records/*", with: .text("other"))
        stub.respond(
            to:
                StubPattern(.post, "/records") { try $0.value(as: Record.self).quantity > 2 }, with: .text("many"))
        let network = NetworkSession(stub.configuration)
        func text(_ ask: Ask<String>) async throws -> String { try await network.value(for: ask) }

        let answers = [
            try await text(Ask(path: "records/LP%2F42")), try await text(Ask(path: "records/a", method: .delete)),
            try await text(Ask(path: "records/a/b/c")), try await text(Ask(path: "records/a/tracks/1.mp3")),
            try await text(Ask(path: "records/a", query: ["page": 1, "limit": 5])),
            try await text(Ask(path: "records/a", headers: ["x-till": "71"])),
            try await text(Ask(baseURL: "https://other.test", path: "records/a")),
            try await text(Ask(path: "records", method: .post, content: record)),
            try await text(Ask(path: "records", method: .post, content: Record(sku: "b"))),
        ]

        XCTAssertEqual(answers, ["one", "below", "below", "track", "limited", "till", "other", "many", "below"])
        try stub.verify()
    }

    func testWildcards() async throws {
        func fits(_ pattern: StubPattern, _ path: String) async throws -> Bool {
            let stub = StubServer()
            stub.respond(to: pattern, with: .status(200))
            let url = try XCTUnwrap(URL(string: "https://a.test\(path)"))
            return (try? await stub.exchange(NetworkCall(url: url))) != nil
        }
        for (pattern, path, expected) in [
            ("/a/**", "/a", true), ("/a/**", "/a/b/c", true), ("/**/z", "/a/b/z", true), ("/**/z", "/z", true),
            ("/**/z", "/a/b", false), ("/a/*", "/a", false), ("/a/*", "/a/b/c", false), ("/a/b*d", "/a/bcd", true),
            ("/a/b*d", "/a/bd", true), ("/a/b*d", "/a/b", false), ("/a/*x*y", "/a/1x2y", true),
            ("/a/*x*y", "/a/1y2x", false), ("/a", "/A", false), ("/é", "/%C3%A9", true), ("/a b", "/a%20b", true),
            ("/a?q=*z", "/a?q=xyz", true), ("/a?q=1", "/a?q=2&q=1", true), ("/a?q=a+b", "/a?q=a%20b", true),
            ("/a", "/a/", false), ("/a/", "/a", false), ("/a/", "/a/", true), ("/a", "//a", false),
            ("/a/b", "/a//b", false), ("/a/*", "/a/", false), ("/a/**", "/a/", true), ("/", "", true),
            ("/**", "", true), ("a", "/a", true), ("https://a.test", "/", true), ("https://[a.test/a", "/a", false),
            ("/a/b*b", "/a/b", false), ("/a/*x*x*", "/a/1x2", false), ("/a?q=1&q=2", "/a?q=1", false),
            ("HTTPS://A.Test/a", "/a", true),
        ] as [(StubPattern, String, Bool)] {
            assertEqual(try await fits(pattern, path), expected, "\(pattern) \(path)")
        }
    }

    func testTheLatestOfSeveralStubsResponds() async throws {
        stub.respond(to: "/ask", with: .text("set up"))
        stub.respond(to: "/ask", with: .text("this test"))
        assertEqual(try await NetworkSession(stub.configuration).value(for: Ask<String>()), "this test")
        XCTAssertNoThrow(try stub.verify())
    }

    func testResponsesOfEveryKind() async throws {
        stub.respond(
            to:
                "/ask",
            with: .json("[1]"), try .json(encoding: record, status: 201),
            try .file("Fixtures/record.json", in: .module),
            .text("é"), .data(Data([0, 255]), contentType: "image/png"), .status(204),
            .status(200, headers: ["X-A": "1"]))
        stub.respond(to: "POST /ask") { request in .text("\(request.text)!") }
        let network = NetworkSession(stub.configuration)
        var seen: [String] = []
        for _ in 0..<7 {
            let answer = try await network.value(for: Ask<NetworkResponse>())
            let text = String(validating: answer.body, as: UTF8.self)?.trimmingCharacters(in: .newlines) ?? "bytes"
            seen.append("\(answer.statusCode) \(answer.mediaType?.essence ?? "-") \(text)")
        }
        let echo = try await network.value(for: Ask<String>(method: .post, content: "hi"))

        XCTAssertEqual(
            seen,
            [
                "200 application/json [1]",
                #"201 application/json {"quantity":3,"sku":"LP\/42","title":"Blue"}"#,
                #"200 application/json {"sku": "LP-0042", "title": "Kind of Blue", "quantity": 3}"#,
                "200 text/plain é", "200 image/png bytes", "204 - ", "200 - ",
            ])
        XCTAssertEqual(echo, "hi!")
    }

    func testReceivedRequestsCanBeInspected() async throws {
        stub.respond(to: "/records/**", with: .json("{}"))
        let network = NetworkSession(stub.configuration)
        _ = try await network.value(for: Ask<Data>(path: "records/a", query: ["q": "a b"]))
        _ = try await network.value(for: Ask<Data>(path: "records/b", method: .put, content: record))
        _ = try await network.value(
            for: Ask<Data>(path: "records/c", method: .post, content: FormBody(["a": "1 2", "b": ["x", "y"]])))

        XCTAssertEqual(
            stub.requests.map(\.description),
            [
                "GET https://stub.test/records/a?q=a%20b", "PUT https://stub.test/records/b",
                "POST https://stub.test/records/c",
            ])
        XCTAssertEqual(stub.requests[0].query, [RequestQuery.Item(name: "q", value: "a b")])
        XCTAssertEqual(try stub.requests[1].value(as: Record.self), record)
        XCTAssertEqual(stub.requests[1].request is Ask<Data>, true)
        XCTAssertEqual(stub.requests[2].form.map { "\($0.name)=\($0.value)" }, ["a=1 2", "b=x", "b=y"])
        XCTAssertEqual(stub.requests(matching: "PUT /records/*").count, 1)
    }

    func testAnotherEnvironmentIsMatchedWhole() async throws {
        let environment = NetworkEnvironment("https://api.store.example:8443/v1")
        try await withStubs(environment: environment) { stub in
            try stub.respond(to: RecordService.One.fetch(sku: "a"), with: Record(sku: "a"))
            let configuration = NetworkSession(NetworkConfiguration(environment: environment, transport: stub))
            _ = try await configuration.value(for: RecordService.One.fetch(sku: "a"))
            XCTAssertEqual(stub.requests.first?.url.absoluteString, "https://api.store.example:8443/v1/records/a")
        }
    }

    // MARK: Verification

    func testStubsThatWereNotAskedAreNamed() async throws {
        let stub = StubServer()
        stub.respond(to: "GET /never", with: .status(200))
        try stub.respond(to: RecordService.One.fetch(sku: "a"), with: .status(503), .status(503), .json("{}"))
        let network = NetworkSession(stub.configuration)
        _ = try? await network.value(for: RecordService.One.fetch(sku: "a"))
        _ = await network.failure(of: Ask<Data>())

        XCTAssertThrowsError(try stub.verify()) { error in
            XCTAssertEqual(
                "\(error)",
                """
                The stub GET /never received no request.
                The stub RecordService.One.fetch (GET /records/a) sent 1 of its 3 responses.
                No stub expects GET https://stub.test/ask. The nearest is GET /never: \
                the path is /ask, expected /never.
                """)
        }
    }

    func testWithStubsTellsOfARequestThatTheTestSwallowed() async throws {
        struct Own: Error {}
        let error = await failure {
            try await withStubs { stub in
                _ = await stub.configuration.failure(of: Ask<Data>())
                throw Own()
            }
        }
        XCTAssertEqual(
            "\(try XCTUnwrap(error))",
            """
            No stub expects GET https://stub.test/ask. There are no stubs.
            The test threw: Own()
            """)
        let unused = await failure { try await withStubs { $0.respond(to: "/a", with: .status(200)) } }
        XCTAssertEqual("\(try XCTUnwrap(unused))", "The stub /a received no request.")
        let own = await failure { try await withStubs { _ in throw Own() } }
        XCTAssertTrue(own is Own)
        let reported = await failure {
            try await withStubs(report: { _ in }) { stub in
                _ = await stub.configuration.failure(of: Ask<Data>())
                throw Own()
            }
        }
        XCTAssertTrue(reported is Own)
    }

    func testAReporterIsToldInsteadOfAThrow() async throws {
        let notes = Kept<[String]>([])
        try await withStubs(report: notes.add) { _ in }
        XCTAssertEqual(notes.now, [])
        try await withStubs(report: notes.add) { stub in
            stub.respond(to: "/a", with: .status(200))
            _ = await stub.configuration.failure(of: Ask<Data>())
            XCTAssertEqual(notes.now.count, 1)
        }
        XCTAssertEqual(
            notes.now,
            [
                "No stub expects GET https://stub.test/ask. The nearest is /a: the path is /ask, expected /a.",
                "The stub /a received no request.",
            ])
    }

    // MARK: Requests

    func testNothingThatIsPrintedHoldsASecret() async throws {
        stub.respond(to: "/ask", with: .status(204))
        let ask = Ask<Data>(
            method: .post, query: ["api_key": "hunter2"], headers: ["Authorization": "hunter2"],
            content: ["password": "hunter2"])
        _ = try await NetworkSession(stub.configuration).value(for: ask)

        let request = try XCTUnwrap(stub.requests.first)
        var dumped = ""
        dump(request, to: &dumped)
        for text in [dumped, "\(request)", String(reflecting: request), "\(stub.requests)"] {
            XCTAssertTrue(text.contains("redacted"), text)
            XCTAssertFalse(text.contains("hunter2"), text)
        }
        XCTAssertTrue(dumped.contains("22 bytes"), dumped)
    }

    func testASessionGetsEveryValueOfANameInWhateverCase() async throws {
        var headers: HTTPHeaders = ["X-Many": "1"]
        headers.add("x-many", "2")
        stub.respond(to: "/ask", with: .status(204, headers: headers))
        let url = try XCTUnwrap(URL(string: "https://stub.test/ask"))
        let (_, response) = try await URLSession(configuration: stub.sessionConfiguration).data(from: url)
        XCTAssertEqual((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Many"), "1, 2")
    }

    func testARequestBeforeTheFirstNeverComes() async throws {
        let (stub, server) = (StubServer(), try LoopbackServer(responses: []))
        let errors = [
            await failure { () async throws(WaitingError) in _ = try await stub.request(at: -1, within: .zero) },
            await failure { () async throws(WaitingError) in _ = try await server.request(at: -1, within: .zero) },
        ]
        XCTAssertEqual(
            errors.map { $0?.description },
            Array(
                repeating: "Timed out after 0.0 seconds while waiting for request -1. No request was received.",
                count: 2))
    }
}
