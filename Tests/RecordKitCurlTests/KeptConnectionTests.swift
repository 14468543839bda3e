#if os(Linux)
import RecordKit
import RecordKitCurl
import RecordKitTesting
import TestSupport
import XCTest

/// What a server sends on a connection that no request is waiting on.
final class KeptConnectionTests: TimedTestCase {
    /// The bytes arrive after the response was read, so libcurl doesn't see them with it.
    func testBytesOnAKeptConnectionAreNotTheNextResponse() async throws {
        try CurlTransport.skipUnless("7.80.0")
        for rest in ["HTTP/1.1 200 \r\nContent-Length: 4\r\n\r\nevil", "x"] {
            let (hasRead, isSent) = (DispatchSemaphore(value: 0), ResponseGate())
            let server = try ScriptServer { connection in
                while !connection.read().isEmpty {
                    connection.write("HTTP/1.1 200 \r\nContent-Length: 5\r\n\r\nright")
                    if isSent.isOpen { continue }
                    hasRead.wait()
                    connection.write(rest)
                    isSent.open()
                }
            }
            let network = NetworkConfiguration(try server.url)
            assertEqual(await network.outcome(), "200 right")
            hasRead.signal()
            try await isSent.wait()
            for method in [HTTPMethod.post, .get] {
                let next = await network.outcome(Fetch(method: method, content: method == .post ? "x" : nil))
                XCTAssertEqual(next, "200 right", "\(method), after \(rest)")
            }
        }
    }

    /// The end of a body and another response stand in one TLS record, so that only OpenSSL has the rest.
    func testBytesInTheRecordOfTheLastResponseAreNotTheNextResponse() async throws {
        try CurlTransport.skipUnless("7.80.0")
        let certificates = try Certificates.shared.get()
        for version in [CurlTransport.TLS.Version.tls12, .tls13] {
            let (connections, hasHead) = (Kept(0), Kept(DispatchSemaphore(value: 0)))
            let server = try ScriptServer { connection in
                let isFirst = connections.change {
                    $0 += 1; return $0 == 1
                }
                while !connection.read().isEmpty {
                    guard isFirst else {
                        connection.write("HTTP/1.1 200 \r\nContent-Length: 5\r\n\r\nright")
                        continue
                    }
                    connection.write("HTTP/1.1 200 \r\nContent-Length: 5\r\n\r\nri")
                    hasHead.now.wait()
                    connection.write("ghtHTTP/1.1 200 \r\nContent-Length: 4\r\n\r\nevil")
                }
            }
            let front = try TLSFront(server, certificates, maximumVersion: version)
            let network = NetworkConfiguration(try front.url) { $0.tls.authorities = certificates.authority }
            let first = try await NetworkSession(network).value(for: Fetch()) { $0.delivery = .streamed }
            hasHead.now.signal()
            var text = ""
            for try await chunk in try XCTUnwrap(first.stream) { text += String(decoding: chunk, as: UTF8.self) }
            XCTAssertEqual(text, "right")
            for method in [HTTPMethod.post, .get] {
                assertEqual(await network.outcome(Fetch(method: method)), "200 right", "\(method) \(version)")
            }
            XCTAssertEqual(connections.now, 2, "\(version)")
        }
    }

    func testAConnectionWithoutSuchBytesIsUsedAgain() async throws {
        let server = try LoopbackServer { .text("\($0.connection)") }
        let network = NetworkConfiguration(server.url)
        for _ in 0..<5 { assertEqual(await network.outcome(), "200 0") }
    }

    func testASecureConnectionWithoutSuchBytesIsUsedAgain() async throws {
        let certificates = try Certificates.shared.get()
        let connections = Kept(0)
        let server = try ScriptServer { connection in
            connections.change { $0 += 1 }
            while !connection.read().isEmpty { connection.write("HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok") }
        }
        let front = try TLSFront(server, certificates)
        let network = NetworkConfiguration(try front.url) { $0.tls.authorities = certificates.authority }
        for _ in 0..<5 { assertEqual(await network.outcome(), "200 ok") }
        XCTAssertEqual(connections.now, 1)
    }
}
#endif
