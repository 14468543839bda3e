import RecordKit
import XCTest

@testable import RecordKitCurl

/// The head of a response, line by line, and its body, part by part.
final class ReceivedResponseTests: XCTestCase {
    private let call = NetworkCall(url: URL(filePath: "/"))

    /// Returns a head after some lines, and whether they are valid.
    private func head(
        _ lines: String, of call: NetworkCall? = nil, limit: Int = 1_000
    ) -> (head: ReceivedHead, isValid: Bool) {
        var head = ReceivedHead(limit: limit)
        var status = 0
        for line in lines.components(separatedBy: "|") {
            if line.hasPrefix("HTTP/") { status = Int(line.split(separator: " ")[1]) ?? 0 }
            switch Data((line + "\r\n").utf8).withUnsafeBytes({ head.receive($0, status: { status }) }) {
            case .more, .interim: break
            case .complete:
                do {
                    _ = try head.complete(status, for: call ?? self.call)
                } catch {
                    return (head, false)
                }
            case .invalid: return (head, false)
            }
        }
        return (head, true)
    }

    func testHeads() {
        let table: [(lines: String, status: Int?, announced: Int?, isRedirect: Bool, isOverHTTP2: Bool)] = [
            ("HTTP/1.1 200 OK|Content-Length: 5", nil, nil, false, false),
            ("HTTP/1.1 200 OK|Content-Length: 5|", 200, 5, false, false),
            ("HTTP/1.1 103 Early Hints|Link: x||HTTP/1.1 404 No: such|", 404, nil, false, false),
            ("HTTP/2 200|content-length: 5|content-encoding: gzip|", 200, nil, false, true),
            ("HTTP/1.1 302 Found|Location: /x|", 302, nil, true, false),
        ]
        for (lines, status, announced, isRedirect, isOverHTTP2) in table {
            let (head, _) = head(lines)
            XCTAssertEqual(head.delivered(.data(Data()))?.statusCode, status, lines)
            XCTAssertEqual(head.isComplete, status != nil, lines)
            XCTAssertEqual(head.announced, announced, lines)
            XCTAssertEqual(head.isRedirect, isRedirect, lines)
            XCTAssertEqual(head.isOverHTTP2, isOverHTTP2, lines)
        }
    }

    func testHeadsThatAreNotValid() {
        let lines = [
            "HTTP/1.1 200 OK|Content-Length: 1|Content-Length: 2|", "HTTP/1.1 200 OK|no colon",
            "HTTP/1.1 200 OK|in valid: 1", "HTTP/1.1 200 OK|X: " + String(repeating: "x", count: 1_000),
            "HTTP/1.1 200 OK||X: " + String(repeating: "x", count: 1_000),
        ]
        for lines in lines {
            XCTAssertFalse(head(lines).isValid, lines)
        }
    }

    func testAWholeResponseOverHTTP2NeedsNoOrderlyEnd() {
        for (version, isWhole) in [("HTTP/1.1", false), ("HTTP/2", true)] {
            var (head, _) = head("\(version) 200 OK|Content-Length: 5|")
            head.tookBody(4)
            XCTAssertFalse(head.hasWholeBody(for: call) || head.isWhole(for: call))
            head.tookBody(1)
            XCTAssertTrue(head.hasWholeBody(for: call))
            XCTAssertEqual(head.isWhole(for: call), isWhole)
        }
        XCTAssertFalse(head("HTTP/2 200|").head.isWhole(for: call), "the length isn't known")
        XCTAssertTrue(head("HTTP/1.1 302 Found|Location: /x|").head.isWhole(for: call))
    }

    func testTrailersFollowTheBody() {
        let response = head("HTTP/1.1 200 OK|A: 1||B: 2| 3|").head.delivered(.data(Data("x".utf8)))
        XCTAssertEqual(response?.headers["A"], "1")
        XCTAssertNil(response?.headers["B"])
        XCTAssertEqual(response?.trailers["B"], "2 3", "a folded line")
        XCTAssertEqual(response?.body, Data("x".utf8))
    }

    // MARK: The body

    private func add(_ count: Int, to body: inout ReceivedBody) -> ReceivedBody.Step {
        Data(count: count).withUnsafeBytes { body.add($0) }
    }

    func testABodyIsCollectedUpToItsLimit() {
        var body = ReceivedBody(sizeLimit: 10, bufferLimit: 1 << 20)
        XCTAssertFalse(body.collect(announced: 11))
        XCTAssertTrue(body.collect(announced: 10))
        XCTAssertEqual(add(6, to: &body), .more)
        XCTAssertEqual(add(5, to: &body), .fail)
        XCTAssertEqual(add(4, to: &body), .more)
        XCTAssertFalse(body.isFull)
        XCTAssertEqual(body.take().count, 10)
        XCTAssertEqual(body.count, 10)
    }

    func testAStreamIsCutIntoChunksAndWaitsForItsReader() {
        let table = [(bufferLimit: 0, chunk: 16 << 10, pause: 0), (1 << 20, 256 << 10, 768 << 10)]
        for (bufferLimit, chunk, pause) in table {
            var body = ReceivedBody(sizeLimit: 1, bufferLimit: bufferLimit)
            body.stream()
            XCTAssertEqual(add(chunk - 1, to: &body), .more)
            XCTAssertEqual(add(1, to: &body), .more)
            XCTAssertEqual(add(3, to: &body), .write(Data(count: chunk)))
            XCTAssertEqual(body.take().count, 3)
            XCTAssertEqual(add(chunk + 1, to: &body), .more, "there was nothing to write")
            body.wrote(unread: pause)
            XCTAssertFalse(body.isFull)
            body.wrote(unread: pause + 1)
            XCTAssertTrue(body.isFull && body.hasUnread)
        }
    }

    /// libcurl delivers a part again after a pause.
    func testADecoderGoesOnWhereItPaused() throws {
        // 200,000 zeros in deflate.
        let packed =
            Data([0xED, 0xC1, 0x31, 1, 0, 0, 0, 0xC2, 0xA0, 0xF5, 0x4F, 0x6D, 6, 0x7F, 0xA0])
            + Data(count: 193) + Data([0x80, 0xD7, 0])
        let decoder = try XCTUnwrap(BodyDecoder(["Content-Encoding": "deflate"]))
        var (count, takings) = (0, [BodyDecoder.Taking]())
        for limit in [1, 1, 1 << 20] {
            var parts = 0
            try packed.withUnsafeBytes { bytes in
                let taking = try decoder.receive(bytes) { part in
                    count += part.count
                    parts += 1
                    return true
                } pauses: {
                    parts == limit
                }
                takings.append(taking)
            }
        }
        XCTAssertEqual(takings, [.pause, .pause, .all])
        XCTAssertEqual(count, 200_000)
        XCTAssertTrue(decoder.isComplete)
        let other = try XCTUnwrap(BodyDecoder(["Content-Encoding": "deflate"]))
        try packed.withUnsafeBytes { bytes in
            XCTAssertEqual(try other.receive(bytes, write: { _ in false }, pauses: { true }), .stop)
        }
    }
}
