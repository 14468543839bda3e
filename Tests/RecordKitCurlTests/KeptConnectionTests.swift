#if os(Linux)
import Foundation
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
            let first = await network.outcome()
            XCTAssertEqual(first, "200 right")
            hasRead.signal()
            try await isSent.wait()
            for method in [HTTPMethod.post, .get] {
                let next = await network.outcome(Fetch(method: method, content: method == .post ? "x" : nil))
                XCTAssertEqual(next, "200 right", "\(method), after \(rest)")
            }
        }
    }

    func testAConnectionWithoutSuchBytesIsUsedAgain() async throws {
        let server = try LoopbackServer { .text("\($0.connection)") }
        let network = NetworkConfiguration(server.url)
        for _ in 0..<5 {
            let text = await network.outcome()
            XCTAssertEqual(text, "200 0")
        }
    }
}
#endif
