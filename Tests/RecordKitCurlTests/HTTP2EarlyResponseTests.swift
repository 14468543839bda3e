#if os(Linux)
import RecordKit
import RecordKitCurl
import TestSupport
import XCTest

/// Servers that respond before they have the whole request, and reset its stream with `NO_ERROR` (RFC 9113 section
/// 8.1).
final class HTTP2EarlyResponseTests: TimedTestCase {
    override func setUpWithError() throws { try CurlTransport.skipUnless("7.80.0") }

    private func front(_ server: ScriptServer) throws -> TLSFront {
        try TLSFront(server, Certificates.shared.get(), protocols: ["h2", "http/1.1"])
    }

    /// Returns a session with connections of its own.
    private func session(_ front: TLSFront) throws -> NetworkSession {
        let authority = try Certificates.shared.get().authority
        return NetworkSession(NetworkConfiguration(try front.url) { $0.tls.authorities = authority })
    }

    /// A body that doesn't fit into the window of its stream, so that its end is never sent.
    private static let large = Data(count: 300_000)

    func testAWholeResponseIsDelivered() async throws {
        let responses: [(HTTPMethod, outcome: String, @Sendable (HTTP2Peer) -> Void)] = [
            (.post, "204 ", { $0.writeHead(status: 204) }),
            (.put, "200 ", { $0.writeHead(status: 200, [("content-length", "0")]) }),
            (.post, "204 ", { $0.writeHead(status: 204, [("content-encoding", "gzip")]) }),
            (.post, "refused 401", { $0.writeHead(status: 401, [("content-length", "0")]) }),
            (.post, "304 ", { $0.writeHead(status: 304, [("content-length", "7")]) }),
            (
                .post, "200 hello",
                {
                    $0.writeHead([("content-length", "5")]); $0.write(.data, HTTP2Peer.end, Data("hello".utf8))
                }
            ),
            // Without a length, the end of the body isn't known.
            (
                .post, "lost",
                {
                    $0.writeHead(); $0.write(.data, 0, Data("hel".utf8))
                }
            ),
            (
                .post, "lost",
                {
                    $0.writeHead([("content-length", "5")]); $0.write(.data, 0, Data("hel".utf8))
                }
            ),
        ]
        for (index, (method, expected, respond)) in responses.enumerated() {
            let server = try HTTP2Peer.server { peer in
                respond(peer)
                peer.ping()
                peer.reset(0)
                peer.waitForEnd()
            }
            let front = try front(server)
            let fetch = Fetch(method: method, content: Self.large)
            let outcome = try await session(front).outcome(fetch).replacing("refused 304", with: "304 ")
            XCTAssertEqual(outcome, expected, "\(index)")
            var streamed = "200 "
            let other = try session(front)
            do throws(NetworkError) {
                let response = try await other.value(for: fetch) { $0.delivery = .streamed }
                streamed = "\(response.statusCode) "
                var chunks = response.stream?.makeAsyncIterator()
                while let chunk = try await chunks?.next() { streamed += String(decoding: chunk, as: UTF8.self) }
            } catch {
                streamed = error.response.map { $0.statusCode == 304 ? "304 " : "refused \($0.statusCode)" } ?? "lost"
            }
            XCTAssertEqual(streamed, expected, "\(index), streamed")
        }
    }

    func testARedirectIsFollowed() async throws {
        let count = Kept(0)
        let server = try HTTP2Peer.server { peer in
            peer.writeHead(status: 303, [("location", "/other")])
            peer.ping()
            peer.reset(0)
            peer.serve { peer, _ in
                count.change { $0 += 1 }
                peer.writeHead(status: 204)
            }
        }
        let front = try front(server)
        assertEqual(try await session(front).outcome(Fetch(method: .post, content: Self.large)), "204 ")
        // A GET whose response libcurl drops is sent once more.
        XCTAssertTrue([1, 2].contains(count.now), "\(count.now)")
    }

    /// libcurl 7.88.1 drops a head that comes in one TLS record with the reset.
    func testAResponseThatLibcurlDrops() async throws {
        let requests = Kept(0)
        let server = try ScriptServer { connection in
            requests.change { $0 += 1 }
            guard let peer = HTTP2Peer(connection) else {
                // The preface was looked for in the head of a request over HTTP/1.1.
                connection.write("HTTP/1.1 204 \r\nConnection: close\r\n\r\n")
                while !connection.read().isEmpty {}
                return
            }
            let head = HTTP2Peer.encoded([(":status", "204")])
            connection.write(
                HTTP2Peer.frame(.headers, HTTP2Peer.end | HTTP2Peer.endOfHeaders, peer.stream, head)
                    + HTTP2Peer.frame(.reset, 0, peer.stream, Data(count: 4)))
            peer.waitForEnd()
        }
        let front = try front(server)
        // A request that may be repeated is repeated over HTTP/1.1.
        assertEqual(try await session(front).outcome(Fetch(method: .put, content: Self.large)), "204 ")
        requests.set(0)
        let error = try await session(front).failure(of: Fetch(method: .post, content: Self.large))
        if case .connection(let failure) = error {
            XCTAssertTrue(failure.mayHaveReachedServer)
            let cause = failure.cause.map { "\($0)" } ?? "none"
            XCTAssertTrue(cause.contains("dropped the response"), cause)
        } else {
            XCTAssertNil(error)
        }
        XCTAssertEqual(requests.now, 1)
    }

    /// A server that has a small request whole doesn't reset its stream.
    func testASmallRequestIsWrittenAtOnce() async throws {
        let (whole, count) = (Kept(0), 200)
        let server = try HTTP2Peer.server { peer in
            if peer.unreadCount > 1_000 { whole.change { $0 += 1 } }
            peer.serve { peer, _ in peer.writeHead(status: 204) }
        }
        let network = NetworkConfiguration(try server.url) { $0.http2 = .priorKnowledge }
        for _ in 0..<count {
            assertEqual(await network.outcome(Fetch(method: .post, content: Data(count: 1_000))), "204 ")
        }
        XCTAssertEqual(whole.now, count)
    }
}
#endif
