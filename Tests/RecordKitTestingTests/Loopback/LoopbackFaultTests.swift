import Foundation
import RecordKitTesting
import TestSupport
import XCTest

final class LoopbackFaultTests: TimedTestCase {
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
        let (answer, error) = try answer(to: "GET / HTTP/1.1\r\n\r\n", from: .chunked(["a", "", "b"]))
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
        let chunked = try answer(to: "GET / HTTP/1.1\r\n\r\n", from: .chunked(["abc", "def"]).cut(after: 12)).text
        XCTAssertTrue(chunked.hasSuffix("\r\n\r\n3\r\nabc\r\n3\r\nd"), chunked)
    }

    func testADripOfNothingIsOneByte() throws {
        let answer = try answer(
            to: "GET / HTTP/1.1\r\n\r\n", from: .text("abc").dripped(by: 0, every: .zero)
        ).text
        XCTAssertTrue(answer.hasSuffix("\r\n\r\nabc"), answer)
    }

    func testACutOfLessThanNothingLeavesNothing() throws {
        let answer = try answer(to: "GET / HTTP/1.1\r\n\r\n", from: .text("abc").cut(after: -1)).text
        XCTAssertTrue(answer.hasSuffix("Content-Length: 3\r\n\r\n"), answer)
    }
}
