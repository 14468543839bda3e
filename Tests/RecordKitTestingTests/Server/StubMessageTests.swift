import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The messages of a failed test.
final class StubMessageTests: TimedTestCase {
    private let stub = StubServer()
    private let record = Record(sku: "a", quantity: 3)

    /// Returns the error of a call that no stub expects.
    private func message(_ stub: StubServer, _ ask: Ask<Data>) async throws -> String {
        var network = stub.configuration
        network.sensitiveNames = ["pin"]
        let error = await network.failure(of: ask)
        guard case .interceptor(let failure) = error else { return "\(String(describing: error))" }
        XCTAssertEqual(failure.interceptor, "StubServer")
        XCTAssertEqual(error?.isTransient, false)
        let unexpected = try XCTUnwrap(failure.cause as? UnexpectedRequest)
        XCTAssertEqual(failure.description, "StubServer ended the call: \(unexpected.description)")
        return unexpected.description
    }

    func testTheNearestStubIsNamedAndHowItDiffers() async throws {
        let none = try await message(stub, Ask(path: "records/7"))
        XCTAssertEqual(none, "No stub expects GET https://stub.test/records/7. There are no stubs.")

        for method in ["POST", "GET"] { stub.respond(to: "\(method) /shops/**", with: .status(200)) }
        stub.respond(to: "PUT /records/*", with: .status(200))
        let method = try await message(stub, Ask(path: "records/7"))
        XCTAssertEqual(
            method,
            "No stub expects GET https://stub.test/records/7. "
                + "The nearest is PUT /records/*: the method is GET, expected PUT.")
        let path = try await message(stub, Ask(path: "records", method: .put, content: "x"))
        XCTAssertEqual(
            path,
            "No stub expects PUT https://stub.test/records. "
                + "The nearest is PUT /records/*: the path is /records, expected /records/*.")

        stub.respond(
            to: StubPattern(.get, "/records/*?limit=5", headers: ["Accept-Language": "is"]), with: .status(200))
        let query = try await message(
            stub, Ask(path: "records/7", query: ["limit": 6], headers: ["Accept-Language": "de"]))
        XCTAssertEqual(
            query,
            "No stub expects GET https://stub.test/records/7?limit=6. The nearest is GET /records/*?limit=5: "
                + "the query item \"limit\" is \"6\", expected \"5\"; "
                + "the header Accept-Language is \"de\", expected \"is\".")
        let missing = try await message(stub, Ask(path: "records/7", headers: ["Accept-Language": "is"]))
        XCTAssertEqual(
            missing,
            "No stub expects GET https://stub.test/records/7. The nearest is GET /records/*?limit=5: "
                + "the query item \"limit\" is missing, expected \"5\".")
        let origin = try await message(StubServer(expecting: "https://a.test/ask"), Ask(baseURL: "https://b.test:8443"))
        XCTAssertEqual(
            origin,
            "No stub expects GET https://b.test:8443/ask. The nearest is https://a.test/ask: "
                + "the origin is https://b.test:8443, expected https://a.test:443.")
    }

    func testBodiesSayWhereTheyDiffer() async throws {
        try stub.respond(to: RecordService.One.create(record), with: record)
        let json = try await message(stub, Ask(path: "records", method: .post, content: Record(sku: "a", quantity: 4)))
        let name = "RecordService.One.create (POST /records)"
        XCTAssertEqual(
            json,
            "No stub expects POST https://stub.test/records. The nearest is \(name): "
                + "quantity in the body is 4, expected 3.")
        let none = try await message(stub, Ask(path: "records", method: .post))
        XCTAssertEqual(
            none,
            "No stub expects POST https://stub.test/records. The nearest is \(name): "
                + "the body is missing, expected 39 bytes.")

        let list = StubServer()
        try list.respond(
            to:
                Ask<Data>(method: .post, content: ["a": [Record(sku: "x"), Record(sku: "y")]]), with: .status(204))
        let shorter = try await message(list, Ask(method: .post, content: ["a": [Record(sku: "x")]]))
        XCTAssertEqual(
            shorter,
            "No stub expects POST https://stub.test/ask. The nearest is Ask (POST /ask): "
                + #"a[1] in the body is missing, expected {"quantity":1,"sku":"y","title":"Blue"}."#)
        let flags = StubServer()
        try flags.respond(to: Ask<Data>(method: .post, content: ["on": true]), with: .status(204))
        let number = try await message(flags, Ask(method: .post, content: ["on": 1]))
        XCTAssertEqual(
            number,
            "No stub expects POST https://stub.test/ask. The nearest is Ask (POST /ask): "
                + "on in the body is 1, expected true.")

        let predicate = StubServer(expecting: StubPattern(.post, "/ask") { try $0.value(as: Record.self).quantity > 2 })
        let condition = try await message(predicate, Ask(method: .post, content: Record(sku: "b")))
        XCTAssertEqual(
            condition,
            "No stub expects POST https://stub.test/ask. The nearest is POST /ask: "
                + "the body is another, expected one that meets the stub's condition.")
        let unfit = try await message(predicate, Ask(method: .post, content: "{"))
        XCTAssertTrue(
            unfit.hasPrefix(
                "No stub expects POST https://stub.test/ask. The nearest is POST /ask: the body is unfit ("), unfit)
    }

    func testNoMessageHoldsASecret() async throws {
        let login = Ask<Data>(
            path: "login", method: .post, query: ["pin": "1111", "sig": "first"], headers: ["X-Api-Key": "first"],
            content: ["password": "first", "user": "a"])
        try stub.respond(to: login, with: .status(204))
        var other = login
        other.query = ["pin": "2222", "sig": "hunter2"]
        other.headers = ["X-Api-Key": "hunter2"]
        let head = try await message(stub, other)
        XCTAssertEqual(
            head,
            "No stub expects POST https://stub.test/login?pin=redacted&sig=redacted. "
                + "The nearest is Ask (POST /login): the query item \"pin\" is redacted, expected another value; "
                + "the query item \"sig\" is redacted, expected another value; "
                + "the header X-Api-Key is redacted, expected another value.")
        other = login
        other.content = ["password": "hunter2", "user": "a"]
        let body = try await message(stub, other)
        XCTAssertEqual(
            body,
            "No stub expects POST https://stub.test/login?pin=redacted&sig=redacted. "
                + "The nearest is Ask (POST /login): "
                + "password in the body is redacted, expected another value.")
    }

    func testASessionGetsTheErrorAsItIs() async throws {
        let stub = StubServer(expecting: "GET /a")
        let url = try XCTUnwrap(URL(string: "https://x.test/b"))
        let error = await failure { try await URLSession(configuration: stub.sessionConfiguration).data(from: url) }
        XCTAssertEqual(
            (error as? UnexpectedRequest)?.description,
            "No stub expects GET https://x.test/b. The nearest is GET /a: the path is /b, expected /a.")
    }

    func testAResponseThatTheRequestCannotReadIsRefusedAtOnce() throws {
        struct Wrapping: NetworkRequest {
            typealias ValueType = Record
            typealias ErrorType = InventoryError

            let path: RequestPath = "wrapped"

            func handleResponse(_ response: NetworkResponse) -> Result<Record, InventoryError> {
                accept(response) { try $0.value(as: [String: Record].self)["data"] ?? Record(sku: "") }
            }
        }
        XCTAssertThrowsError(try StubServer().respond(to: Wrapping(), with: Record(sku: "a"))) { error in
            let text = "\(error)"
            XCTAssertTrue(text.contains("cannot read its own value as it was encoded: network("), text)
            XCTAssertTrue(text.hasSuffix("Pass the body that its server sends, such as .json(…)."), text)
        }
    }

    func testFilesThatAreNotThereAreNamed() throws {
        XCTAssertThrowsError(try StubResponse.file("Fixtures/none.json", in: .module)) { error in
            guard case .missingFile("none.json", let folder) = error as? StubError else { return XCTFail("\(error)") }
            XCTAssertEqual("\(error)", "There is no file none.json in \(folder). Add it, or pass another name.")
            XCTAssertTrue(folder.hasSuffix("/Fixtures"), folder)
        }
        XCTAssertEqual(StubError.unreadableFile("/a", reason: "why").description, "The file /a cannot be read: why")
    }

    // MARK: Sensitive values

    func testNoDifferenceQuotesASensitiveValue() async throws {
        func ask(_ secret: String) -> [Ask<Data>] {
            let address = "https://a.test/?pin=\(secret)&page=2"
            return [
                Ask(headers: ["Referer": address]), Ask(headers: ["Pin": secret]), Ask(query: ["pin": secret]),
                Ask(method: .post, content: ["pin": secret]),
                Ask(method: .post, content: FormBody(["pin": secret])),
            ]
        }
        for (expected, asked) in zip(ask("first"), ask("hunter2")) {
            let stub = StubServer()
            try stub.respond(to: expected, with: .status(204))
            var network = stub.configuration
            network.sensitiveNames = ["pin"]
            let error = await network.failure(of: asked)
            let difference = try XCTUnwrap((error?.cause as? UnexpectedRequest)?.differences.first)
            XCTAssertEqual(difference.received, "redacted")
            XCTAssertEqual(difference.expected, "another value")
        }
    }

    func testSensitiveNamesOfTheAppAreNotPrinted() async throws {
        stub.respond(to: "/ask", with: .status(204, headers: ["Pin": "hunter2"]))
        var network = stub.configuration
        network.sensitiveNames = ["pin"]
        let response = try await NetworkSession(network).value(for: Ask<NetworkResponse>(query: ["pin": "hunter2"]))
        var dumped = ""
        dump(stub.requests, to: &dumped)
        for text in [dumped, String(reflecting: response), "\(response.headers)"] {
            XCTAssertFalse(text.contains("hunter2"), text)
        }
    }
}

extension StubServer {
    /// Returns the message with one stub.
    fileprivate convenience init(expecting pattern: StubPattern) {
        self.init()
        respond(to: pattern, with: .status(200))
    }
}
