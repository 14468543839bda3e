#if os(Linux)
import RecordKit
import RecordKitCurl
import RecordKitTesting
import TestSupport
import XCTest

/// Fields after a body (RFC 9110 section 6.5).
final class TrailerTests: TimedTestCase {
    private let trailers: HTTPHeaders = ["X-Sum": "abc", "Till-Key": "s3cret"]

    func testTheTrailersOfAResponse() async throws {
        let trailers = trailers
        let server = try LoopbackServer { _ in StubResponse([.chunk("one"), .chunk("two")]).adding(trailers: trailers) }
        var network = NetworkConfiguration(server.url)
        network.sensitiveNames = ["till-key"]
        let whole = try await NetworkSession(network).value(for: Fetch())
        XCTAssertEqual(whole.body, Data("onetwo".utf8))
        XCTAssertEqual(whole.trailers, trailers)
        XCTAssertNil(whole.headers["X-Sum"])
        var dumped = ""
        dump(whole, to: &dumped)
        XCTAssertTrue(dumped.contains("abc"), dumped)
        XCTAssertFalse(dumped.contains("s3cret"), dumped)

        let streamed = try await NetworkSession(network).value(for: Fetch()) { $0.delivery = .streamed }
        let stream = try XCTUnwrap(streamed.stream)
        XCTAssertEqual(stream.trailers, [:])
        for try await _ in stream {}
        XCTAssertEqual(stream.trailers, trailers)
        XCTAssertEqual(streamed.trailers, trailers)
        XCTAssertTrue(streamed.trailers.isSensitive("Till-Key"))
    }

    func testATrailerIsNoHeaderFieldAndCountsTowardsTheLimit() async throws {
        let server = try LoopbackServer { request in
            let trailers: HTTPHeaders =
                request.path == "/long" ? ["X": String(repeating: "x", count: 5_000)] : ["Set-Cookie": "a=1"]
            return StubResponse([.chunk("x")]).adding(trailers: trailers)
        }
        let network = NetworkConfiguration(server.url) { $0.headLimit = 2_000 }
        let short = try await NetworkSession(network).value(for: Fetch())
        XCTAssertNil(short.headers["Set-Cookie"])
        XCTAssertEqual(short.trailers["Set-Cookie"], "a=1")
        assertEqual(await network.outcome(Fetch(path: "long")), "bad response")
    }

    func testTheTrailersOfARequest() async throws {
        let server = try LoopbackServer { .text($0.text) }
        let body = StreamBody(
            [Data("one".utf8), Data("two".utf8)].stream, trailers: { ["X-Sum": "abc", "X-More": "d"] })
        let text = await NetworkConfiguration(server.url).outcome(
            Fetch(method: .post, headers: ["Trailer": "X-Sum"], content: body))
        XCTAssertEqual(text, "200 onetwo")
        XCTAssertEqual(server.requests.first?.trailerLines, ["X-Sum: abc", "X-More: d"])
        XCTAssertEqual(server.requests.first?.header("Trailer"), "X-Sum")
    }

    func testTrailersThatAreNotValidEndTheCall() async throws {
        for trailers: HTTPHeaders in [["X": "a\r\nb"], ["Content-Length": "3"], ["a b": "c"]] {
            let server = try LoopbackServer { .text($0.text) }
            let body = StreamBody([Data("one".utf8)].stream, trailers: { trailers })
            let text = await NetworkConfiguration(server.url).outcome(Fetch(method: .post, content: body))
            XCTAssertTrue(text.hasPrefix("invalid headers: "), text)
            XCTAssertTrue(server.requests.isEmpty)
        }
    }

    func testURLSessionRefusesTrailers() async throws {
        let server = try LoopbackServer { .text($0.text) }
        var network = NetworkConfiguration(server.url)
        network.transport = URLSessionTransport()
        let body = StreamBody([Data("one".utf8)].stream, trailers: { ["X": "a"] })
        let text = await network.outcome(Fetch(method: .post, content: body))
        XCTAssertTrue(text.hasPrefix("invalid body: it has trailers, which this transport cannot send"), text)
        XCTAssertEqual(server.connectionCount, 0)
    }
}

extension [Data] {
    /// The chunks as an asynchronous sequence.
    var stream: AsyncStream<Data> {
        AsyncStream { continuation in
            for chunk in self { continuation.yield(chunk) }
            continuation.finish()
        }
    }
}
#endif
