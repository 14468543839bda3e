#if os(Linux)
import Foundation
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
            response.headers.fields.map(\.name),
            ["Set-Cookie", "X-Folded", "set-cookie", "X-Latin", "X-Empty", "Content-Length"])
    }

    func testLinesThatEndWithALineFeedAlone() async throws {
        let server = try LoopbackServer { _ in [.send("HTTP/1.1 200 OK\nX-A: a\nContent-Length: 2\n\nok")] }
        let text = await NetworkConfiguration(server.url).outcome()
        XCTAssertEqual(text, "200 ok")
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
            let text = await NetworkConfiguration(server.url).outcome()
            XCTAssertEqual(text, "bad response", name)
        }
    }

    func testAHeadAboveItsLimit() async throws {
        let line = "X: " + String(repeating: "x", count: 997)
        let heads: [StubResponse] = [
            [.send("HTTP/1.1 200 \r\n" + String(repeating: line + "\r\n", count: 10) + "\r\n"), .close],
            StubResponse((0..<200).map { _ in .head(103, headers: ["Link": "</a>; rel=preload"]) }),
            [
                .send("HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"),
                .send(String(repeating: line + "\r\n", count: 10) + "\r\n"), .close,
            ],
        ]
        for head in heads {
            let server = try LoopbackServer { _ in head }
            let text = await NetworkConfiguration(server.url) { $0.headLimit = 8_000 }.outcome()
            XCTAssertEqual(text, "bad response")
        }
    }

    func testBodiesOfSeveralKinds() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "curl-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "file")
        let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 % 253) })
        try bytes.write(to: file)
        let server = try LoopbackServer { .text("\($0.bodyLength)") }
        let network = NetworkConfiguration(server.url)
        let stream = StreamBody(
            AsyncStream<Data> { continuation in
                for _ in 0..<30 { continuation.yield(Data(count: 1_000)) }
                continuation.finish()
            })
        let contents: [(any NetworkEncodable & Sendable, Int)] = [
            (FileBody(file), bytes.count), (bytes, bytes.count), (stream, 30_000), (Data(), 0),
        ]
        for (content, length) in contents {
            let text = await network.outcome(Fetch(method: .post, content: content))
            XCTAssertEqual(text, "200 \(length)")
        }
        XCTAssertEqual(server.requests.first?.body, bytes)
    }

    func testAFileThatChangesIsAnInvalidRequest() async throws {
        for change in ["shorter", "longer", "gone"] {
            let file = FileManager.default.temporaryDirectory.appending(path: "curl-\(UUID())")
            try Data(count: 1_000).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let server = try LoopbackServer(responses: [.text("x")])
            let body = EncodedBody(.pieces([.file(try EncodedBody.File(file))]))
            switch change {
            case "shorter": try Data(count: 10).write(to: file)
            case "longer": try Data(count: 2_000).write(to: file)
            default: try FileManager.default.removeItem(at: file)
            }
            let call = NetworkCall(url: server.url.appending(path: "x"), method: .put, body: body)
            do {
                _ = try await CurlTransport().exchange(call)
                XCTFail(change)
            } catch NetworkError.invalidRequest(let failure) {
                XCTAssertEqual(failure.member, .body, change)
                XCTAssertTrue(failure.mayHaveReachedServer, change)
                XCTAssertTrue(server.requests.isEmpty, "\(change): a whole request arrived")
            }
        }
    }

    func testTheStatusOfAServerThatDoesNotWaitForTheBody() async throws {
        let server = try LoopbackServer(
            onHead: { _ in .status(413, headers: ["Connection": "close"]) }, handler: { _ in .text("x") })
        let text = await NetworkConfiguration(server.url).outcome(
            Fetch(method: .post, content: Data(count: 200_000)))
        XCTAssertEqual(text, "refused 413")
    }

    func testProgressUpAndDown() async throws {
        let server = try LoopbackServer { _ in .status(200, body: Data(count: 100_000)) }
        let progress = Kept<[NetworkProgress]>([])
        _ = try await NetworkSession(NetworkConfiguration(server.url)).value(
            for: Fetch(method: .post, content: Data(count: 200_000))
        ) { $0.onProgress = progress.add }
        XCTAssertEqual(progress.now.last { $0.phase == .sending }?.bytes, 200_000)
        let received = progress.now.last { $0.phase == .receiving }
        XCTAssertEqual([received?.bytes, received?.total], [100_000, 100_000])
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
            let first = await network.outcome(Fetch(path: "first"))
            XCTAssertEqual(first, "200 ok")
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
            let first = await network.outcome(Fetch(path: "first"))
            XCTAssertEqual(first, "200 ok")
            let second = await network.outcome(Fetch(path: "second"))
            XCTAssertEqual(second, "200 right")
        }
    }
}
#endif
