#if os(Linux)
import RecordKit
import RecordKitCurl
import TestSupport
import XCTest

/// Trailers over HTTP/2, and bodies that the frames of a server cut short.
final class HTTP2FrameTests: TimedTestCase {
    override func setUpWithError() throws { try CurlTransport.skipUnless("7.76.0") }

    private func network(_ server: ScriptServer) throws -> NetworkConfiguration {
        NetworkConfiguration(try server.url) {
            $0.http2 = .priorKnowledge
            $0.headLimit = 8_000
        }
    }

    func testTrailersAreDropped() async throws {
        let server = try HTTP2Peer.server { peer in
            peer.writeHead([("x-head", "1"), ("trailer", "x-digest")])
            peer.write(.data, 0, Data("hello ".utf8))
            peer.write(.data, 0, Data("world".utf8))
            let trailers = HTTP2Peer.encoded([("x-digest", "7"), ("x-head", "2")])
            peer.write(.headers, HTTP2Peer.end | HTTP2Peer.endOfHeaders, trailers)
            peer.waitForEnd()
        }
        let response = try await NetworkSession(network(server)).value(for: Fetch())
        XCTAssertEqual(String(decoding: response.body, as: UTF8.self), "hello world")
        XCTAssertEqual(response.headers.map { "\($0.name): \($0.value)" }, ["x-head: 1", "trailer: x-digest"])

        var body = Data()
        for try await chunk in try await network(server).stream() { body += chunk }
        XCTAssertEqual(body, Data("hello world".utf8))
    }

    func testTrailersAboveTheLimitOfTheHead() async throws {
        let server = try HTTP2Peer.server { peer in
            peer.writeHead()
            peer.write(.data, 0, Data("hello".utf8))
            let fields = (0..<90).map { ("x-\($0)", String(repeating: "x", count: 100)) }
            peer.write(.headers, HTTP2Peer.end | HTTP2Peer.endOfHeaders, HTTP2Peer.encoded(fields))
            peer.waitForEnd()
        }
        assertEqual(try await network(server).outcome(), "bad response")
    }

    private typealias Cut = @Sendable (HTTP2Peer) -> Void

    /// The ends of a stream or of its connection in the middle of a body.
    private static let ends: [(String, Cut)] = [
        ("err 2", { $0.reset(2) }),
        ("err 8", { $0.reset(8) }),
        // The server closes the connection: with a reason that excludes the stream, without any, within a frame.
        ("lost", { $0.connection.write(HTTP2Peer.frame(.goAway, 0, 0, Data(count: 8))) }),
        (
            "lost",
            {
                $0.connection.write(HTTP2Peer.frame(.goAway, 0, 0, HTTP2Peer.bigEndian($0.stream) + Data(count: 4)))
                $0.close()
            }
        ),
        ("lost", { $0.close() }),
        (
            "lost",
            {
                $0.connection.write(HTTP2Peer.frame(.data, HTTP2Peer.end, $0.stream, Data(count: 6)).prefix(12))
                $0.close()
            }
        ),
    ]

    /// Frames that are not valid (RFC 9113). The client sends GOAWAY.
    private static let violations: [(String, Cut)] = [
        ("RST_STREAM of 3 bytes", { $0.write(.reset, 0, Data(count: 3)) }),
        ("WINDOW_UPDATE of 3 bytes", { $0.write(.windowUpdate, 0, Data(count: 3)) }),
        ("SETTINGS of 5 bytes", { $0.connection.write(HTTP2Peer.frame(.settings, 0, 0, Data(count: 5))) }),
        ("DATA above SETTINGS_MAX_FRAME_SIZE", { $0.write(.data, HTTP2Peer.end, Data(count: 20_000)) }),
        ("more padding than DATA", { $0.write(.data, 8 | HTTP2Peer.end, Data([200, 1, 2])) }),
        ("DATA without a stream", { $0.connection.write(HTTP2Peer.frame(.data, HTTP2Peer.end, 0, Data(count: 6))) }),
        ("DATA of an idle stream", { $0.connection.write(HTTP2Peer.frame(.data, HTTP2Peer.end, 99, Data(count: 6))) }),
        ("CONTINUATION without HEADERS", { $0.write(.continuation, HTTP2Peer.endOfHeaders, Data([0x88])) }),
        (
            "a field that is not HPACK",
            { $0.write(.headers, HTTP2Peer.end | HTTP2Peer.endOfHeaders, Data(repeating: 0xFF, count: 6)) }
        ),
        ("no frame", { $0.connection.write("HTTP/1.1 200 OK\r\n\r\n") }),
        ("a body shorter than its length", { $0.write(.data, HTTP2Peer.end, Data(count: 1)) }),
        ("a body longer than its length", { $0.write(.data, HTTP2Peer.end, Data(count: 100)) }),
    ]

    func testABodyThatEndsEarlyIsLost() async throws {
        for (index, (reason, cut)) in Self.ends.enumerated() {
            for head in [[], [("content-length", "11")]] {
                try await check("\(index) \(head)", head, cut) { error in
                    XCTAssertTrue(error.hasPrefix("lost: ") && error.contains(reason), "\(index) \(head): \(error)")
                }
            }
        }
    }

    /// A body of unknown length would be complete for libcurl 7.88, when the server closes the connection.
    func testABodyWithAFrameThatIsNotValidIsLost() async throws {
        for (name, cut) in Self.violations {
            try await check(name, [("content-length", "11")], cut) { error in
                XCTAssertTrue(error.hasPrefix("lost: "), "\(name): \(error)")
            }
        }
    }

    /// Sends responses that are cut, and whole ones on the next connections. Checks the errors of the first.
    private func check(
        _ name: String, _ head: [(String, String)], _ cut: @escaping Cut, _ isRight: (String) -> Void
    ) async throws {
        let count = Kept(0)
        let server = try HTTP2Peer.server { peer in
            peer.writeHead(head)
            peer.write(.data, 0, Data("hello".utf8))
            count.change { $0 += 1 }
            if count.now == 2 {
                peer.write(.data, HTTP2Peer.end, Data(" world".utf8))
            } else {
                cut(peer)
            }
            peer.waitForEnd()
        }
        let network = try network(server)
        let error = await failure { () async throws(NetworkError) in
            _ = try await NetworkSession(network).value(for: Fetch())
        }
        isRight(error)
        let next = await network.outcome()
        XCTAssertEqual(next, "200 hello world", name)

        let other = try self.network(server)
        let streamed = await failure { () async throws(NetworkError) in
            let response = try await NetworkSession(other).value(for: Fetch()) { $0.delivery = .streamed }
            guard let stream = response.stream else { return }
            var chunks = stream.makeAsyncIterator()
            while try await chunks.next() != nil {}
        }
        isRight(streamed)
    }
}
#endif
