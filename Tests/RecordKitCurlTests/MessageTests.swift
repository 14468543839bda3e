#if os(Linux)
import RecordKit
import RecordKitCurl
import RecordKitTesting
import TestSupport
import XCTest

/// What is sent, and what is read from a response.
final class MessageTests: TimedTestCase {
    func testTheVersionIsSupported() throws {
        let numbers = CurlTransport.version.split(separator: ".").compactMap { Int($0) }
        XCTAssertEqual(numbers.count, 3)
        XCTAssertTrue(numbers[0] > 7 || numbers[1] >= 68, CurlTransport.version)
    }

    func testNothingIsSentThatTheCallDoesNotSay() async throws {
        let server = try LoopbackServer { .text($0.headerLines.joined(separator: "|")) }
        let network = NetworkConfiguration(server.url)
        let host = "Host: 127.0.0.1:\(server.port)"
        let methods: [(HTTPMethod, String?, [String])] = [
            (.get, nil, []), (.delete, nil, []), ("PURGE", nil, []), (.post, nil, ["Content-Length: 0"]),
            (.put, "", ["Content-Length: 0", "Content-Type: text/plain; charset=utf-8"]),
            (.post, "abc", ["Content-Length: 3", "Content-Type: text/plain; charset=utf-8"]),
            (.delete, "abc", ["Content-Length: 3", "Content-Type: text/plain; charset=utf-8"]),
        ]
        for (method, content, lines) in methods {
            _ = await network.outcome(Fetch(method: method, content: content))
            let request = try XCTUnwrap(server.requests.last)
            XCTAssertEqual(request.method, method)
            XCTAssertEqual(request.text, content ?? "")
            let sent = request.headerLines.filter { !$0.hasPrefix("Accept") && !$0.hasPrefix("User-Agent") }
            XCTAssertEqual(Set(sent), Set([host] + lines), "\(method)")
            XCTAssertTrue(request.header("Accept-Encoding")?.contains("gzip") ?? false)
        }
    }

    func testTheURLIsSentAsItIsWithoutItsUser() async throws {
        let server = try LoopbackServer { .text("\($0.target) \($0.header("Authorization") ?? "none")") }
        let url = try URL(of: "http://u:s3cret@127.0.0.1:\(server.port)/a/./b/../c%2Fd?x=%20#f")
        let response = try await CurlTransport().exchange(NetworkCall(url: url))
        XCTAssertEqual(String(decoding: response.body, as: UTF8.self), "/a/./b/../c%2Fd?x=%20 none")
    }

    func testSeveralValuesOfANameAreSent() async throws {
        let server = try LoopbackServer(responses: [.text("x")])
        var headers: HTTPHeaders = ["X-Tag": "1", "X-Blank": " "]
        for (name, value) in [("x-tag", "2"), ("Cookie", "a=1"), ("cookie", "b=2")] { headers.add(name, value) }
        _ = await NetworkConfiguration(server.url).outcome(Fetch(headers: headers))
        XCTAssertEqual(server.requests.first?.headers("X-Tag"), ["1", "2"])
        XCTAssertEqual(server.requests.first?.headers("Cookie"), ["a=1; b=2"])
        XCTAssertEqual(server.requests.first?.headers("X-Blank"), [""])
    }

    func testFieldsStayApartAndKeepTheirOrder() async throws {
        let bytes =
            Data("HTTP/1.1 200 \r\nSet-Cookie: a=1\r\nX-Folded: a\r\n \t b\r\nset-cookie: b=2\r\nX-Latin: ".utf8)
            + Data([0xFC]) + Data("\r\nX-Empty:\r\nContent-Length: 0\r\n\r\n".utf8)
        let server = try LoopbackServer { _ in [.send(bytes)] }
        let response = try await NetworkSession(NetworkConfiguration(server.url)).value(for: Fetch())
        XCTAssertEqual(response.headers.values(for: "Set-Cookie"), ["a=1", "b=2"])
        XCTAssertEqual(response.headers["X-Folded"], "a b")
        XCTAssertEqual(response.headers["X-Latin"], "ü")
        XCTAssertEqual(response.headers["X-Empty"], "")
        XCTAssertEqual(
            response.headers.map(\.name),
            ["Set-Cookie", "X-Folded", "set-cookie", "X-Latin", "X-Empty", "Content-Length"])
    }

    func testLinesThatEndWithALineFeedAlone() async throws {
        let server = try LoopbackServer { _ in [.send("HTTP/1.1 200 OK\nX-A: a\nContent-Length: 2\n\nok")] }
        assertEqual(await NetworkConfiguration(server.url).outcome(), "200 ok")
    }

    func testHeadsThatAreNotValid() async throws {
        let long = String(repeating: "x", count: 400_000)
        let heads = [
            "a first field that begins with a space": "HTTP/1.1 200 OK\r\n X: y\r\nContent-Length: 0\r\n\r\n",
            "a first field that begins with a tab": "HTTP/1.1 200 OK\r\n\tX: y\r\nContent-Length: 0\r\n\r\n",
            "an endless status line": "HTTP/1.1 200 " + long, "an endless field": "HTTP/1.1 200 OK\r\nX: " + long,
            "a carriage return in a name": "HTTP/1.1 200 OK\r\nX\rY: a\r\nContent-Length: 0\r\n\r\n",
            "a carriage return after a name": "HTTP/1.1 200 OK\r\nX\r: a\r\nContent-Length: 0\r\n\r\n",
            "a null in a name": "HTTP/1.1 200 OK\r\nX\0Y: a\r\nContent-Length: 0\r\n\r\n",
            "no colon": "HTTP/1.1 200 OK\r\nXY\r\nContent-Length: 0\r\n\r\n",
        ]
        for (name, head) in heads {
            let server = try LoopbackServer { _ in [.send(head)] }
            assertEqual(await NetworkConfiguration(server.url).outcome(), "bad response", name)
        }
    }

    func testTheStatusOfAServerThatDoesNotWaitForTheBody() async throws {
        let server = try LoopbackServer(
            onHead: { _ in .status(413, headers: ["Connection": "close"]) }, handler: { _ in .text("x") })
        let text = await NetworkConfiguration(server.url).outcome(Fetch(method: .post, content: Data(count: 200_000)))
        XCTAssertEqual(text, "refused 413")
    }

    /// libcurl sends a request again on a new connection if a kept one breaks before the response.
    func testOnlyAnIdempotentRequestIsSentAgain() async throws {
        let cases: [(HTTPMethod, String?, Int)] = [
            (.post, nil, 1), (.patch, nil, 1), (.post, "", 1), (.post, "abc", 1), (.get, nil, 2), (.put, "abc", 2),
            (.delete, nil, 2),
        ]
        for (method, content, count) in cases {
            let server = try LoopbackServer { $0.path == "/first" || $0.connection > 0 ? .text("ok") : .close }
            let network = NetworkConfiguration(server.url)
            assertEqual(await network.outcome(Fetch(path: "first")), "200 ok")
            let second = await network.outcome(Fetch(path: "second", method: method, content: content))
            // Before 7.80, the request is sent once, too, but on a new connection.
            let isLost = count == 1 && CurlTransport.isAtLeast("7.80.0")
            XCTAssertEqual(second, isLost ? "lost" : "200 ok", "\(method) \(content ?? "nothing")")
            XCTAssertEqual(server.requests.count { $0.path == "/second" }, count, "\(method) \(content ?? "nothing")")
        }
    }

    /// A server that sends more than one response to a request. The rest must not be the response to the next one.
    func testBytesAfterAResponseAreNotTheNextResponse() async throws {
        let server = try LoopbackServer { request in
            request.path == "/first"
                ? [.send("HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 \r\nContent-Length: 4\r\n\r\nevil")]
                : .text("right")
        }
        let network = NetworkConfiguration(server.url)
        for _ in 0..<5 {
            assertEqual(await network.outcome(Fetch(path: "first")), "200 ok")
            assertEqual(await network.outcome(Fetch(path: "second")), "200 right")
        }
    }
}
#endif
