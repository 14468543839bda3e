#if os(Linux)
import Foundation
import RecordKit
import RecordKitCurl
import RecordKitTesting
import TestSupport
import XCTest

/// What the errors of libcurl say.
final class FailureTests: TimedTestCase {
    private func failure(_ network: NetworkConfiguration, _ fetch: Fetch = Fetch()) async -> NetworkError? {
        do throws(NetworkError) {
            _ = try await NetworkSession(network).value(for: fetch)
            return nil
        } catch {
            return error
        }
    }

    /// A proxy that is asked for a connection, and refuses. Another attempt would be refused, too.
    func testAProxyThatRefuses() async throws {
        for status in [403, 407, 502] {
            let proxy = try ScriptServer { connection in
                _ = connection.read()
                connection.write("HTTP/1.1 \(status) x\r\nContent-Length: 0\r\n\r\n")
            }
            let url = try proxy.url
            let network = NetworkConfiguration(try URL(of: "https://store.example")) { $0.proxy = .server(.init(url)) }
            let outcome = await failure(network, Fetch(method: .post, content: "x"))
            let error = try XCTUnwrap(outcome)
            guard case .connection(let failure) = error else { return XCTFail("\(error)") }
            XCTAssertEqual(failure.kind, .proxyRefused(status: status))
            XCTAssertFalse(error.isTransient)
            XCTAssertFalse(error.mayHaveReachedServer)
            XCTAssertTrue(
                "\(error)".contains("The proxy refused to connect to store.example:443, with the status \(status)"))
        }
    }

    func testHTTPSToAPortOfHTTP() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        for transport in [CurlTransport(), URLSessionTransport()] as [any NetworkTransport] {
            let network = NetworkConfiguration(
                environment: NetworkEnvironment("https://127.0.0.1:\(server.port)"), transport: transport)
            let error = await failure(network)
            let text = "\(error.map { "\($0)" } ?? "no error")"
            XCTAssertTrue(text.contains("wrong version number") && text.hasSuffix("The server may expect http."), text)
            XCTAssertFalse(text.contains("Failure error"), text)
        }
    }

    func testARedirectToAnInvalidHostIsNotTheFaultOfTheBaseURL() async throws {
        let server = try LoopbackServer { _ in .redirect(to: "http://a$b.invalid/x?token=s3cret") }
        for transport in [CurlTransport(), URLSessionTransport()] as [any NetworkTransport] {
            let network = NetworkConfiguration(
                environment: NetworkEnvironment(server.url.absoluteString), transport: transport)
            let error = await failure(network)
            guard case .redirectRefused(let refusal) = error else { return XCTFail("\(String(describing: error))") }
            XCTAssertEqual(refusal.reason, .badLocation)
            XCTAssertEqual(refusal.response.statusCode, 302)
            XCTAssertEqual(refusal.location, "http://a$b.invalid/x")
        }
    }
}
#endif
