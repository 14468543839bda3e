import RecordKitTesting
import TestSupport
import XCTest

/// Several requests on one connection, and several connections.
final class LoopbackConnectionTests: TimedTestCase {
    func testTheTokensOfConnectionCount() throws {
        let server = try LoopbackServer(responses: [.text("kept")])
        let old = try WireClient(server)
        for _ in 0..<2 {
            old.send("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
            XCTAssertTrue(old.read(until: "kept").hasPrefix("HTTP/1.1 200"))
        }
        let new = try WireClient(server)
        new.send("GET / HTTP/1.1\r\nConnection: TE, close\r\n\r\n")
        XCTAssertEqual(new.readToEnd().error, 0)
    }

    func testLinesBeforeARequestAreSkipped() throws {
        let server = try LoopbackServer(responses: [.text("fine")])
        let client = try WireClient(server)
        client.send("\r\n\n\r\nGET / HTTP/1.1\n\n")
        XCTAssertTrue(client.read(until: "fine").hasPrefix("HTTP/1.1 200"))
    }

    func testAClientThatSpeaksTLSIsToldAtOnce() throws {
        let server = try LoopbackServer(responses: [.text("fine")])
        let client = try WireClient(server)
        client.send("\u{16}\u{3}\u{1}\0\u{5}\u{1}\0\0")
        XCTAssertTrue(client.readToEnd().text.hasSuffix("it begins like TLS, and this server only supports http.\n"))
        XCTAssertEqual(server.requests.count, 0)
    }

    func testNothingIsExpectedOfARequestWithoutABody() throws {
        let server = try LoopbackServer(responses: [.text("done")])
        let client = try WireClient(server)
        client.send("GET / HTTP/1.1\r\nExpect: 100-continue\r\n\r\n")
        XCTAssertTrue(client.read(until: "done").hasPrefix("HTTP/1.1 200 "))
    }

    func testEachRequestGetsOneResponseAtItsHeadOrAtItsEnd() throws {
        let server = try LoopbackServer(onHead: { $0.path == "/large" ? .text("refused", status: 413) : nil }) { _ in
            .text("taken")
        }
        let client = try WireClient(server)
        for path in ["large", "small", "large", "small"] {
            client.send("PUT /\(path) HTTP/1.1\r\nContent-Length: 2\r\n\r\n")
            if path == "large" { XCTAssertTrue(client.read(until: "refused").hasPrefix("HTTP/1.1 413")) }
            client.send("ab")
            if path == "small" { XCTAssertTrue(client.read(until: "taken").hasPrefix("HTTP/1.1 200")) }
        }
        XCTAssertEqual(server.requests.map(\.text), ["ab", "ab", "ab", "ab"])
    }

    func testAConnectionIsNotClosedWhileABodyIsSent() async throws {
        let server = try LoopbackServer(onHead: { _ in .text("refused", status: 413) }) { _ in .status(200) }
        let client = try WireClient(server)
        client.send("PUT / HTTP/1.1\r\nConnection: close\r\nContent-Length: 2\r\n\r\n")
        XCTAssertTrue(client.read(until: "refused").hasPrefix("HTTP/1.1 413"))
        client.send("ab")
        XCTAssertEqual(client.readToEnd().error, 0)
        assertEqual(try await server.request(at: 0, within: .seconds(10)).text, "ab")
    }

    func testEachHeadMayBeAsLongAsAnother() throws {
        let server = try LoopbackServer(responses: [.text("fine")])
        let client = try WireClient(server)
        let long = String(repeating: "a", count: 600_000)
        for _ in 0..<2 {
            client.send("GET / HTTP/1.1\r\nX: \(long)\r\n\r\n")
            XCTAssertTrue(client.read(until: "fine").hasPrefix("HTTP/1.1 200"))
        }
    }

    func testALongDelayHoldsUpNoShortOne() async throws {
        let server = try LoopbackServer {
            .text("late").after(.delay($0.path == "/long" ? .seconds(60) : .milliseconds(20)))
        }
        let (short, long) = (try WireClient(server), try WireClient(server))
        short.send("GET /short HTTP/1.1\r\n\r\n")
        XCTAssertTrue(short.read(until: "late").hasSuffix("late"))
        long.send("GET /long HTTP/1.1\r\n\r\n")
        _ = try await server.request(at: 1)
        short.send("GET /short HTTP/1.1\r\n\r\n")
        XCTAssertTrue(short.read(until: "late").hasSuffix("late"))
    }

    func testWaitingAtAStoppedServerEndsAtOnce() async throws {
        let server = try LoopbackServer(responses: [])
        server.stop()
        let error = await failure { () async throws(WaitingError) in try await server.request(at: 0, within: .zero) }
        XCTAssertEqual(error, .stopped(waitingFor: "request 0"))
    }
}
