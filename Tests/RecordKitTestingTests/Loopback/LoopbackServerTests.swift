import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class LoopbackServerTests: TimedTestCase {
    func testNoSecretOfARequestIsPrinted() async throws {
        let server = try LoopbackServer(responses: [.status(204)])
        let client = try WireClient(server)
        client.send(
            "POST /ask?api_key=hunter2 HTTP/1.1\r\nHost: h\r\nCookie: hunter2\r\nContent-Length: 7\r\n\r\nhunter2")
        XCTAssertEqual(client.read(until: "\r\n\r\n"), "HTTP/1.1 204 \r\n\r\n")

        let request = try XCTUnwrap(server.requests.first)
        var dumped = ""
        dump(request, to: &dumped)
        for text in [dumped, "\(request)", String(reflecting: request), "\(server.requests)"] {
            XCTAssertTrue(text.contains("redacted"), text)
            XCTAssertFalse(text.contains("hunter2"), text)
        }
    }

    func testARequestIsRecordedAsItWasSent() async throws {
        let server = try LoopbackServer(responses: [.status(204)])
        let sent =
            "PATCH /a%2Fb;c?x=1&y= HTTP/1.1\r\nhost: h\r\nX-Two:  b \r\nx-two: c\r\nContent-Length: 3\r\n\r\na\0z"
        let client = try WireClient(server)
        client.send(sent)
        XCTAssertEqual(client.read(until: "\r\n\r\n"), "HTTP/1.1 204 \r\n\r\n")

        let request = try XCTUnwrap(server.requests.first)
        XCTAssertEqual(request.method, .patch)
        XCTAssertEqual(request.target, "/a%2Fb;c?x=1&y=")
        XCTAssertEqual(request.path, "/a%2Fb;c")
        XCTAssertEqual(request.version, "HTTP/1.1")
        XCTAssertEqual(request.headerLines, ["host: h", "X-Two:  b ", "x-two: c", "Content-Length: 3"])
        XCTAssertEqual(request.headers("X-TWO"), ["b", "c"])
        XCTAssertNil(request.header("Accept"))
        XCTAssertEqual(request.text, "a\0z")
        XCTAssertEqual(request.bodyLength, 3)
        XCTAssertEqual(request.bytes, Data(sent.utf8))
        XCTAssertEqual(request.connection, 0)
    }

    func testAChunkedBodyIsJoinedAndItsBytesAreKept() async throws {
        let server = try LoopbackServer(responses: [.status(200)])
        let sent =
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;name=x\r\nhello\r\nA\r\n"
            + " 0123\r\n789\r\n0\r\nSum: 1\r\n\r\n"
        let client = try WireClient(server)
        client.send(sent)
        let request = try await server.request(at: 0)
        XCTAssertEqual(request.text, "hello 0123\r\n789")
        XCTAssertEqual(request.bytes, Data(sent.utf8))
    }

    func testALargeBodyIsCountedInPlaceOfKept() async throws {
        let server = try LoopbackServer(responses: [.status(201)], bodies: .counted)
        let body = Data((0..<3_000_001).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        var request = URLRequest(url: server.url)
        request.httpMethod = "POST"
        request.httpBody = body
        _ = await URLSession.fresh().exchange(request)
        let received = try await server.request(at: 0)
        XCTAssertEqual(received.bodyLength, body.count)
        XCTAssertTrue(received.body.isEmpty)
        XCTAssertLessThan(received.bytes.count, 1000)
    }

    func testAConnectionIsKeptUntilEitherSideSaysClose() async throws {
        let server = try LoopbackServer { request in
            request.path == "/close" ? .status(200, headers: ["Connection": "close"]) : .text("kept")
        }
        let first = try WireClient(server)
        first.send("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\nGET /3 HTTP/1.1\r\nConnection: close\r\n\r\n")
        XCTAssertEqual(first.readToEnd().text.components(separatedBy: "kept").count, 4)
        let second = try WireClient(server)
        second.send("GET /close HTTP/1.1\r\n\r\nGET /never HTTP/1.1\r\n\r\n")
        XCTAssertEqual(second.readToEnd().text, "HTTP/1.1 200 \r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        let third = try WireClient(server)
        third.send("GET /4 HTTP/1.0\r\n\r\n")
        let (text, error) = third.readToEnd()
        XCTAssertTrue(text.hasSuffix("kept"))
        XCTAssertEqual(error, 0)
        XCTAssertEqual(server.requests.map(\.target), ["/1", "/2", "/3", "/close", "/4"])
        XCTAssertEqual(server.requests.map(\.connection), [0, 0, 0, 1, 2])
    }

    func testTheResponseToHEADHasNoBody() async throws {
        let server = try LoopbackServer(responses: [.text("four"), .text("next")])
        let client = try WireClient(server)
        client.send("HEAD / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nConnection: close\r\n\r\n")
        let parts = client.readToEnd().text.components(separatedBy: "\r\n\r\n")
        XCTAssertEqual(parts.count, 3)
        XCTAssertTrue(parts[0].contains("Content-Length: 4"))
        XCTAssertTrue(parts[1].hasPrefix("HTTP/1.1 200"))
        XCTAssertEqual(parts[2], "next")
    }

    func testExpectContinueGetsAResponseBeforeTheBody() async throws {
        let server = try LoopbackServer(responses: [.text("done")])
        let client = try WireClient(server)
        client.send("PUT / HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n")
        XCTAssertEqual(client.read(until: "\r\n\r\n"), "HTTP/1.1 100 \r\n\r\n")
        client.send("ok")
        XCTAssertTrue(client.read(until: "done").hasPrefix("HTTP/1.1 200 "))
        XCTAssertEqual(server.requests.first?.text, "ok")
    }

    func testAnUploadCanBeRefusedAtItsHead() async throws {
        let server = try LoopbackServer(onHead: { $0.header("Expect") == nil ? nil : .status(417).then(.close) }) { _ in
            .status(200)
        }
        let client = try WireClient(server)
        client.send("PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1000000\r\n\r\n")
        XCTAssertTrue(client.send(String(repeating: "part", count: 200_000)))
        client.finishSending()
        let (text, error) = client.readToEnd()
        XCTAssertEqual(text, "HTTP/1.1 417 \r\nContent-Length: 0\r\n\r\n")
        XCTAssertEqual(error, 0)
        XCTAssertEqual(server.requests.count, 0)
    }

    func testAnInvalidRequestIsRefusedWith400() throws {
        let server = try LoopbackServer(responses: [.status(200)])
        for nonsense in [
            "nonsense\r\n\r\n", "GET / SMTP/1.0\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n0\r\n\r\n",
            "nonsense\r\nGET / HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-4\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
            "POST / HTTP/1.1\r\nContent-Length: -4\r\n\r\n", "GET HTTP/1.1\r\n\r\n",
        ] {
            let client = try WireClient(server)
            client.send(nonsense)
            XCTAssertTrue(client.readToEnd().text.hasPrefix("HTTP/1.1 400 "), nonsense)
        }
        XCTAssertEqual(server.requests.count, 0)
    }

    func testAHandlerThatThrowsIsA500() async throws {
        let server = try LoopbackServer { _ in throw CocoaError(.fileNoSuchFile) }
        let exchange = await URLSession.fresh().exchange(server.url)
        XCTAssertEqual(exchange.status, 500)
        XCTAssertTrue(exchange.text.contains("The handler threw"))
    }
}
