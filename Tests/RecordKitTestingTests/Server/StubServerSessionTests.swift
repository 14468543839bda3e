import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Stubs for managers and for sessions.
final class StubServerSessionTests: TimedTestCase {
    func testSessionsAndDataTasksShareTheStubs() async throws {
        let stub = StubServer()
        stub.respond(
            to: StubPattern(.post, "/records", headers: ["X-A": "1"]) { $0.text == "body" }, with: .text("session"))
        try stub.respond(to: RecordService.One.fetch(sku: "a"), with: Record(sku: "a"))
        var request = URLRequest(url: try XCTUnwrap(URL(string: "https://elsewhere.test/records")))
        request.httpMethod = "POST"
        request.httpBody = Data("body".utf8)
        request.setValue("1", forHTTPHeaderField: "X-A")
        let (data, _) = try await URLSession(configuration: stub.sessionConfiguration).data(for: request)
        XCTAssertEqual(String(decoding: data, as: UTF8.self), "session")

        XCTAssertNotNil(stub.traits.dataTasks)
        XCTAssertIdentical(stub.traits.dataTasks as? URLSessionTransport, stub.traits.dataTasks as? URLSessionTransport)
        let manager = NetworkManager<RecordService.One>(stub.configuration)
        let (results, continuation) = AsyncStream.makeStream(of: RecordService.One.ResultType.self)
        XCTAssertNotNil(manager.dataTask(for: .fetch(sku: "a")) { continuation.yield($0) })
        let result = await results.first { _ in true }
        XCTAssertEqual(try result?.get(), Record(sku: "a"))
        try stub.verify()
    }

    func testRedirectsAreFollowedToOtherStubs() async throws {
        try await withStubs { stub in
            stub.respond(to: "POST /ask", with: .status(303, headers: ["Location": "/there?x=1"]))
            stub.respond(to: "GET /there?x=1", with: .text("arrived"))
            let answer = try await NetworkSession(stub.configuration).value(
                for: Ask<NetworkResponse>(method: .post, content: "x"))
            XCTAssertEqual(answer.body, Data("arrived".utf8))
            XCTAssertEqual(answer.url.absoluteString, "https://stub.test/there?x=1")
        }
    }

    func testResponsesWithoutABodyHaveNone() async throws {
        let stub = StubServer()
        for status in [204, 304] { stub.respond(to: "/\(status)", with: .json("{}", status: status)) }
        let session = URLSession(configuration: stub.sessionConfiguration)
        for status in [204, 304] {
            let url = try XCTUnwrap(URL(string: "https://stub.test/\(status)"))
            let called = try await stub.exchange(NetworkCall(url: url))
            XCTAssertEqual(called.body, Data())
            XCTAssertNil(called.headers["Content-Length"])
            assertEqual(try await session.data(from: url).0, Data())
        }
    }

    func testAResponseToHEADIsNotLostWithTheBodyThatItHasNot() async throws {
        let stub = StubServer(clock: ManualClock(advancesItself: true).networkClock)
        stub.respond(to: "HEAD /ask", with: .text("four").cut(after: 2).slow(every: .seconds(1_000)))
        var request = URLRequest(url: try XCTUnwrap(URL(string: "https://stub.test/ask")))
        request.httpMethod = "HEAD"
        let response = try await URLSession(configuration: stub.sessionConfiguration).data(for: request).1
        XCTAssertEqual((response as? HTTPURLResponse)?.statusCode, 200)
    }

    func testATaskOfASessionIsTimedOut() async throws {
        let clock = ManualClock()
        let stub = StubServer(clock: clock.networkClock)
        stub.respond(
            to:
                "/ask", with: .never, .text("late").delayed(by: .seconds(8)), .text("ab").slow(every: .seconds(8)),
            .text("abc").slow(every: .seconds(3)))
        var request = URLRequest(url: try XCTUnwrap(URL(string: "https://stub.test/ask")))
        request.timeoutInterval = 7
        let timed = request
        let session = URLSession(configuration: stub.sessionConfiguration)
        for expected in [Duration.seconds(7), .seconds(7), .seconds(7), .seconds(9)] {
            async let answer = session.data(for: timed)
            assertEqual(await clock.advanceToNextSleeper(), expected)
            do {
                let text = String(decoding: try await answer.0, as: UTF8.self)
                XCTAssertEqual(expected == .seconds(9) ? "abc" : "an error", text)
            } catch {
                XCTAssertEqual((error as? URLError)?.code, .timedOut)
                XCTAssertEqual(expected, .seconds(7))
            }
        }
    }

    func testHeadersOfOneNameArriveAsURLSessionJoinsThem() async throws {
        let stub = StubServer()
        stub.respond(to: "/ask", with: .status(200, headers: ["Link": "<a>", "X-A": " 1\t", "link": "<b>"]))
        let response = try await NetworkSession(stub.configuration).value(for: Ask<NetworkResponse>())
        XCTAssertEqual(response.headers.values(for: "Link"), ["<a>, <b>"])
        XCTAssertEqual(response.headers["X-A"], "1")
        XCTAssertEqual(response.headers.map(\.name), ["Link", "X-A", "Content-Length"])
    }
}
