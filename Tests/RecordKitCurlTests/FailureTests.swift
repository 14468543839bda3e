#if os(Linux)
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
