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

    /// A body of unknown length that goes on ends at the limit, not with the server's patience.
    func testTheSizeLimitAppliesWhileTheBodyIsCollected() async throws {
        for limit in [1_000, 100_000] {
            let server = try ScriptServer { connection in
                _ = connection.read()
                connection.write("HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n")
                for count in [limit, 1] {
                    connection.write(String(count, radix: 16) + "\r\n" + String(repeating: "x", count: count) + "\r\n")
                }
                while !connection.read().isEmpty {}
            }
            let network = NetworkConfiguration(try server.url)
            let options = RequestOptions(timeout: .seconds(5), sizeLimit: limit)
            let outcome = await network.outcome(Fetch(options: options))
            XCTAssertEqual(outcome, "too large: \(limit)")
        }
    }

    /// An interceptor that passes the transport another URL doesn't read files of this machine with it.
    func testOtherSchemesAreNotSent() async throws {
        struct Elsewhere: NetworkInterceptor {
            let url: URL
            let transport: CurlTransport

            func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
                var call = call
                call.url = url
                return try await transport.exchange(call)
            }
        }
        for url in ["file:///etc/passwd", "ftp://127.0.0.1:9/x", "dict://127.0.0.1:9/x"] {
            let network = NetworkConfiguration(
                environment: NetworkEnvironment("http://store.example"),
                interceptors: [Elsewhere(url: try URL(of: url), transport: CurlTransport())])
            let error = await failure(network)
            guard case .badResponse(let failure) = error else { return XCTFail("\(url): \(String(describing: error))") }
            let cause = failure.cause as? CurlTransport.Failure
            XCTAssertEqual(cause?.code, 1, "\(url): not CURLE_UNSUPPORTED_PROTOCOL, but \(String(describing: cause))")
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
