import Foundation
import RecordKitTesting
import XCTest

final class LoopbackFaultTests: XCTestCase {
    /// All that a client gets that sends this and then nothing more.
    private func answer(to text: String, from answer: LoopbackAnswer = .status(200)) throws -> (
        text: String, error: Int32
    ) {
        let server = try LoopbackServer(answers: [answer])
        return try withExtendedLifetime(server) {
            let client = try WireClient(server)
            client.send(text)
            client.finishSending()
            return client.readToEnd()
        }
    }

    func testARefusalArrivesThoughTheClientIsStillSending() throws {
        let megabytes = String(repeating: "a", count: 3 << 20)
        for text in ["GET / HTTP/1.1\r\nX: \(megabytes)", "nonsense\r\n\(megabytes)"] {
            let (answer, error) = try answer(to: text)
            XCTAssertTrue(answer.hasPrefix("HTTP/1.1 400 "), answer)
            XCTAssertEqual(error, 0)
        }
    }

    func testARefusalHasItsBodyAfterAHead() throws {
        let answer = try answer(to: "HEAD / HTTP/1.1\r\n\r\nnonsense\r\n").text
        XCTAssertTrue(answer.hasSuffix("This is no HTTP request: 'nonsense' is no request line.\n"), answer)
    }

    func testAnEmptyChunkDoesNotEndTheBody() throws {
        let answer = try answer(to: "GET / HTTP/1.1\r\n\r\n", from: .chunked(["a", "", "b"])).text
        XCTAssertTrue(answer.hasSuffix("\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n"), answer)
    }

    func testACutOfLessThanNothingLeavesNothing() throws {
        let answer = try answer(to: "GET / HTTP/1.1\r\n\r\n", from: .text("abc").cut(after: -1)).text
        XCTAssertTrue(answer.hasSuffix("Content-Length: 3\r\n\r\n"), answer)
    }
}
