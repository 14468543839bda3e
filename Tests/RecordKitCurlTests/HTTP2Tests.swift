#if os(Linux)
import RecordKit
import RecordKitCurl
import TestSupport
import XCTest

final class HTTP2Tests: TimedTestCase {
    private func secure(_ server: NginxServer, _ change: (inout CurlTransport.Options) -> Void = { _ in }) throws
        -> NetworkConfiguration
    {
        let authority = try Certificates.shared.get().authority
        return NetworkConfiguration(try URL(of: "https://localhost:\(server.securePort)")) {
            $0.tls.authorities = authority
            change(&$0)
        }
    }

    func testExchangesOverTLSShareAConnection() async throws {
        try CurlTransport.skipUnless("7.76.0")
        let server = try NginxServer(Certificates.shared.get())
        let network = try secure(server)
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<40 { group.addTask { await network.outcome() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        XCTAssertEqual(texts.count, 1, "\(texts)")
        XCTAssertTrue(texts.first?.hasPrefix("200 HTTP/2.0 ") ?? false, "\(texts)")
    }

    func testHTTP1WhereHTTP2IsNotWanted() async throws {
        let server = try NginxServer(Certificates.shared.get())
        let text = try await secure(server) { $0.http2 = .never }.outcome()
        XCTAssertTrue(text.hasPrefix("200 HTTP/1.1 "), text)
    }

    func testAVersionThatDoesNotTellTheEndOfABodyUsesHTTP1() async throws {
        if CurlTransport.isAtLeast("7.76.0") { throw XCTSkip("libcurl \(CurlTransport.version) tells it") }
        let server = try NginxServer(Certificates.shared.get())
        let text = try await secure(server).outcome()
        XCTAssertTrue(text.hasPrefix("200 HTTP/1.1 "), text)
        let prior = try await secure(server) { $0.http2 = .priorKnowledge }.outcome()
        XCTAssertTrue(prior.hasPrefix("invalid transport: libcurl 7."), prior)
    }

    func testPriorKnowledge() async throws {
        try CurlTransport.skipUnless("7.76.0")
        let server = try NginxServer(Certificates.shared.get())
        let url = try URL(of: "http://127.0.0.1:\(server.plainPort)")
        let network = NetworkConfiguration(url) { $0.http2 = .priorKnowledge }
        let text = await network.outcome()
        XCTAssertTrue(text.hasPrefix("200 HTTP/2.0 "), text)
        let upload = await network.outcome(Fetch(path: "upload", method: .post, content: Data(count: 500_000)))
        XCTAssertEqual(upload, "200 ok")
        let refused = await network.outcome(Fetch(path: "status"))
        XCTAssertEqual(refused, "refused 404")
        // A server that doesn't support it.
        let other = await NetworkConfiguration(
            try ScriptServer { $0.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }.url
        ) { $0.http2 = .priorKnowledge }.outcome()
        XCTAssertTrue(["lost", "bad response", "unknown", "refused unsent"].contains(other), other)
    }

    /// A cancelled exchange ends its own stream. The others on the connection go on.
    func testStreamsAndCancelsOnOneConnection() async throws {
        try CurlTransport.skipUnless("7.76.0")
        let server = try NginxServer(Certificates.shared.get())
        let network = try secure(server)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    guard let stream = try? await network.stream(Fetch(path: "large")) else {
                        return XCTFail("no stream")
                    }
                    var count = 0
                    var reader = stream.makeAsyncIterator()
                    while let chunk = try? await reader.next() {
                        count += chunk.count
                        if number % 3 == 0 { return stream.cancel() }
                    }
                    XCTAssertEqual(count, 300_000)
                }
            }
        }
        let text = await network.outcome()
        XCTAssertTrue(text.hasPrefix("200 HTTP/2.0 "), text)
    }

    /// nginx closes a connection after a number of requests, with GOAWAY (RFC 9113 section 6.8).
    func testAConnectionThatItsServerClosesIsReplaced() async throws {
        try CurlTransport.skipUnless("7.76.0")
        let server = try NginxServer(Certificates.shared.get())
        let network = try secure(server)
        let texts = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var texts: [String] = []
                    for _ in 0..<100 { texts.append(await network.outcome()) }
                    return texts
                }
            }
            return await group.reduce(into: [String: Int]()) { for text in $1 { $0[text, default: 0] += 1 } }
        }
        XCTAssertGreaterThan(texts.count, 4)
        for text in texts.keys { XCTAssertTrue(text.hasPrefix("200 HTTP/2.0 "), "\(texts)") }
    }

    func testTheTimesOfAConnection() async throws {
        try CurlTransport.skipUnless("7.76.0")
        let server = try NginxServer(Certificates.shared.get())
        var network = try secure(server)
        let spy = EventSpy()
        network.observers = [spy]
        _ = await network.outcome()
        let first = spy.events
        let kinds = first.map(\.kind)
        for kind in [NetworkEvent.Kind.nameResolved, .connected, .secured, .firstByte] {
            XCTAssertTrue(kinds.contains(kind), "\(kind) \(kinds)")
        }
        XCTAssertEqual(first.first { $0.kind == .firstByte }?.detail, "first byte, HTTP/2, new connection")
        let attempt = try XCTUnwrap(first.first { $0.kind == .attempt })
        for event in first where [.connected, .secured, .firstByte].contains(event.kind) {
            XCTAssertGreaterThanOrEqual(event.start, attempt.start)
            XCTAssertLessThanOrEqual(event.start + event.duration, attempt.start + attempt.duration)
        }
        _ = await network.outcome()
        let second = spy.events.dropFirst(first.count)
        XCTAssertEqual(second.first { $0.kind == .firstByte }?.detail, "first byte, HTTP/2, kept connection")
        XCTAssertFalse(second.contains { $0.kind == .connected })
    }
}
#endif
