import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class LoopbackResponseTests: TimedTestCase {
    /// Returns everything that a client receives for a request, up to the end of the connection.
    private func wire(_ answer: StubResponse) throws -> (text: String, error: Int32) {
        let server = try LoopbackServer(responses: [answer])
        let client = try WireClient(server)
        client.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
        return client.readToEnd()
    }

    func testTheUsualResponses() throws {
        XCTAssertEqual(
            try wire(.text("é")).text,
            "HTTP/1.1 200 \r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 2\r\n\r\né")
        XCTAssertEqual(
            try wire(.json(encoding: ["b": 1, "a": 2], status: 201)).text,
            "HTTP/1.1 201 \r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{\"a\":2,\"b\":1}")
        XCTAssertEqual(
            try wire(.redirect(to: "/there", status: 307)).text,
            "HTTP/1.1 307 \r\nLocation: /there\r\nContent-Length: 0\r\n\r\n")
        XCTAssertEqual(
            try wire([.chunk("abc"), .chunk("0123456789abcdef")]).text,
            "HTTP/1.1 200 \r\nContent-Type: text/plain; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n")
        for status in [103, 204, 304] {
            XCTAssertEqual(try wire(.status(status)).text, "HTTP/1.1 \(status) \r\n\r\n")
        }
        XCTAssertEqual(
            try wire(.status(200, headers: ["transfer-encoding": "chunked"], body: Data("0\r\n\r\n".utf8))).text,
            "HTTP/1.1 200 \r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n")
        XCTAssertEqual(
            try wire(.status(200, headers: ["content-length": "9"], body: Data("no".utf8))).text,
            "HTTP/1.1 200 \r\ncontent-length: 9\r\n\r\nno")
        XCTAssertTrue(
            try wire(.text("x").after(.head(103, headers: ["Link": "</a>"]))).text
                .hasPrefix("HTTP/1.1 103 \r\nLink: </a>\r\n\r\nHTTP/1.1 200 \r\n"))
    }

    func testTheEndsOfAConnection() throws {
        XCTAssertEqual(try wire(.close).text, "")
        XCTAssertEqual(try wire(.close).error, 0)
        XCTAssertEqual(try wire(.reset).error, POSIXErrorCode.ECONNRESET.rawValue)
        XCTAssertTrue(try wire(.text("abcdef").cut(after: 3)).text.hasSuffix("Content-Length: 6\r\n\r\nabc"))
        XCTAssertEqual(try wire([.send("garbage"), .close]).text, "garbage")
        XCTAssertEqual(try wire([.head(200), .body("to the end"), .close]).text, "HTTP/1.1 200 \r\n\r\nto the end")
    }

    func testADelayIsNeverShort() async throws {
        let server = try LoopbackServer(responses: [.status(200).after(.delay(.milliseconds(30)))])
        let begin = ContinuousClock.now
        assertEqual(await URLSession.fresh().exchange(server.url).status, 200)
        XCTAssertGreaterThanOrEqual(ContinuousClock.now - begin, .milliseconds(30))
    }

    // MARK: Faults

    /// Returns everything that a client receives after it sent a string.
    private func answer(to text: String, from answer: StubResponse = .status(200)) throws -> (
        text: String, error: Int32
    ) {
        let server = try LoopbackServer(responses: [answer])
        return try withExtendedLifetime(server) {
            let client = try WireClient(server)
            client.send(text)
            client.finishSending()
            return client.readToEnd()
        }
    }

    func testARefusalArrivesThoughTheClientIsStillSending() throws {
        let megabytes = String(repeating: "a", count: 3 << 20)
        let lines = String(repeating: "X: \(String(repeating: "a", count: 1000))\r\n", count: 1100)
        for text in [
            "GET / HTTP/1.1\r\nX: \(megabytes)", "GET / HTTP/1.1\r\n\(lines)", "nonsense\r\n\(megabytes)",
        ] {
            let (answer, error) = try answer(to: text)
            XCTAssertTrue(answer.hasPrefix("HTTP/1.1 400 "), answer)
            XCTAssertEqual(error, 0)
        }
    }

    func testARefusalHasItsBodyAfterAHead() throws {
        let answer = try answer(to: "HEAD / HTTP/1.1\r\n\r\nnonsense\r\n").text
        XCTAssertTrue(answer.hasSuffix("This isn't an HTTP request: 'nonsense' isn't a request line.\n"), answer)
    }

    func testAnEmptyChunkDoesNotEndTheBody() throws {
        let (answer, error) = try answer(to: "GET / HTTP/1.1\r\n\r\n", from: [.chunk("a"), .chunk(""), .chunk("b")])
        XCTAssertTrue(answer.hasSuffix("\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n"), answer)
        XCTAssertEqual(error, 0)
    }

    func testAClientThatSendsNothingMoreGetsAllOfALongResponse() throws {
        let body = String(repeating: "a", count: 16 << 20)
        let (answer, error) = try answer(to: "GET / HTTP/1.1\r\n\r\n", from: .text(body))
        XCTAssertTrue(answer.hasSuffix("\r\n\r\n" + body), "It is \(answer.utf8.count) bytes.")
        XCTAssertEqual(error, 0)
    }

    func testACutEndsTheResponseInAnyChunk() throws {
        let pieces: StubResponse = [.head(200), .body("ab"), .body("cd"), .hold, .body("ef")]
        for (count, body) in [(1, "a"), (2, "ab"), (3, "abc"), (4, "abcd")] {
            let server = try LoopbackServer(responses: [pieces.cut(after: count)])
            let client = try WireClient(server)
            client.send("GET / HTTP/1.1\r\n\r\n")
            let (text, error) = client.readToEnd()
            XCTAssertEqual(text, "HTTP/1.1 200 \r\n\r\n\(body)")
            XCTAssertEqual(error, 0)
        }
        let chunked = try answer(
            to: "GET / HTTP/1.1\r\n\r\n", from: StubResponse([.chunk("abc"), .chunk("def")]).cut(after: 12)
        ).text
        XCTAssertTrue(chunked.hasSuffix("\r\n\r\n3\r\nabc\r\n3\r\nd"), chunked)
    }
}
