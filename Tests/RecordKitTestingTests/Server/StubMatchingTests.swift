import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// What a request must contain, and which stub is nearest if it doesn't.
final class StubMatchingTests: TimedTestCase {
    private let stub = StubServer()

    private func unexpected(_ ask: Ask<Data>, by stub: StubServer) async -> UnexpectedRequest? {
        await stub.configuration.failure(of: ask)?.cause as? UnexpectedRequest
    }

    func testAVeryRequestIsThatOneAlone() async throws {
        let pairs: [(Ask<Data>, Ask<Data>, StubDifference.Part)] = [
            (Ask(baseURL: "https://a.test"), Ask(baseURL: "https://b.test"), .origin),
            (Ask(query: ["a": [1, 2]]), Ask(query: ["a": [2, 1]]), .queryItem("a")),
            // Two ways to write é.
            (Ask(query: ["a": "\u{E9}"]), Ask(query: ["a": "e\u{301}"]), .queryItem("a")),
            (
                Ask(method: .post, content: FormBody(["a": "\u{E9}"])),
                Ask(method: .post, content: FormBody(["a": "e\u{301}"])), .body(place: "a")
            ),
            (
                Ask(method: .post, content: ["a": ["\u{E9}"]]), Ask(method: .post, content: ["a": ["e\u{301}"]]),
                .body(place: "a[0]")
            ),
            (Ask(headers: ["If-None-Match": "*"]), Ask(headers: ["If-None-Match": "\"1\""]), .header("If-None-Match")),
        ]
        for (expected, asked, part) in pairs {
            let stub = StubServer()
            try stub.respond(to: expected, with: .status(204))
            assertEqual(await unexpected(asked, by: stub)?.differences.map(\.part), [part])
            _ = try await NetworkSession(stub.configuration).value(for: expected)
        }
    }

    func testAHeaderWithSeveralValuesIsToldOnce() async throws {
        var ask = Ask<Data>(headers: ["X-A": "1"])
        ask.headers.add("x-a", "2")
        try stub.respond(to: ask, with: .status(204))
        assertEqual(await unexpected(Ask(), by: stub)?.differences.count, 1)
    }

    func testAPathMayHoldAnAddress() async throws {
        stub.respond(to: "GET /proxy/https://images.example/a", with: .text("proxied"))
        let url = try XCTUnwrap(URL(string: "https://stub.test/proxy/https://images.example/a"))
        assertEqual(try await stub.exchange(NetworkCall(url: url)).body, Data("proxied".utf8))
    }

    func testAPatternMayHaveItsQueryApart() async throws {
        stub.respond(to: StubPattern(.get, "/ask?a=1", query: ["b": 2]), with: .text("both"))
        let text = try await NetworkSession(stub.configuration).value(for: Ask<String>(query: ["a": 1, "b": 2]))
        XCTAssertEqual(text, "both")
        for query: RequestQuery in [["a": 1], ["b": 2]] {
            assertEqual(await unexpected(Ask(query: query), by: stub)?.differences.count, 1)
        }
    }

    func testAConditionIsNotAskedOfAnotherRequest() async throws {
        let asked = Kept<[String]>([])
        stub.respond(
            to:
                StubPattern(nil, "/ask") {
                    asked.add("\($0)")
                    return false
                }, with: .status(204))
        assertEqual(await unexpected(Ask(path: "b"), by: stub)?.differences.map(\.part), [.path])
        XCTAssertEqual(asked.now, [])
        assertEqual(await unexpected(Ask(), by: stub)?.differences.map(\.part), [.body(place: "")])
    }

    func testTheNearestHasTheFewestOtherSegments() async throws {
        for path in ["/a/*/c", "/a/x/y", "/a"] { stub.respond(to: "GET \(path)", with: .status(204)) }
        assertEqual(await unexpected(Ask(path: "a/b/d"), by: stub)?.nearest, "GET /a/*/c")
        XCTAssertEqual(stub.requests.map(\.url.path), ["/a/b/d"])
    }

    func testABodyThatIsNotThereIsNotSent() async throws {
        let stub = StubServer()
        stub.respond(to: "/ask", with: .status(204))
        let folder = try TemporaryFolder()
        try folder.write("x", to: "body")
        let file = folder.url.appending(path: "body")
        let call = NetworkCall(
            url: try XCTUnwrap(URL(string: "https://stub.test/ask")), method: .post,
            body: try FileBody(file).encoded(using: JSONEncoder()))
        try FileManager.default.removeItem(at: file)
        let error = await networkError { try await stub.exchange(call) }
        guard case .invalidRequest = error else { return XCTFail("\(String(describing: error))") }
        XCTAssertEqual(stub.requests.count, 0)
    }

    func testACancelledCallGetsNoResponse() async throws {
        let stub = StubServer()
        stub.respond(to: "/ask") { _ in
            withUnsafeCurrentTask { $0?.cancel() }
            return .text("late")
        }
        let call = NetworkCall(url: try XCTUnwrap(URL(string: "https://stub.test/ask")))
        let first = await networkError { try await stub.exchange(call) }
        guard case .cancelled = first else { return XCTFail("\(String(describing: first))") }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await networkError { try await stub.exchange(call) }
        }
        guard case .cancelled = await task.value else { return XCTFail("not cancelled") }
        XCTAssertEqual(stub.requests.count, 1)
    }
}
