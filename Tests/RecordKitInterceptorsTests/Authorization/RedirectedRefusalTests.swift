import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

/// A 401 after a redirect.
final class RedirectedRefusalTests: TimedTestCase {
    private func mustNotRefresh(_ credential: @escaping @Sendable (AccessToken) -> Credential) -> TokenSource {
        TokenSource(store: MemoryCredentialStore(AccessToken("s3cret")), credential: credential) { _ in
            XCTFail("refreshed")
            throw CancellationError()
        }
    }

    func testARefusalWithinTheOriginRefreshesTheToken() async throws {
        let server = try LoopbackServer { request in
            if request.path == "/ask" { return .redirect(to: "/there") }
            return request.header("Authorization") == "Bearer new" ? .text("there") : .status(401)
        }
        let tokens = TokenSource(store: MemoryCredentialStore(AccessToken("old"))) { _ in AccessToken("new") }
        let network = NetworkConfiguration(
            server.url, interceptors: [AuthorizationInterceptor(tokens, for: .origin(server.url.absoluteString))])
        let status = await NetworkSession(network).status()
        XCTAssertEqual(status, 200)
        XCTAssertEqual(server.requests.map(\.path), ["/ask", "/there", "/ask", "/there"])
    }

    func testTheRefusalOfAnothersQueryItemOfTheSameNameRefreshesNothing() async throws {
        let other = try LoopbackServer(responses: [.status(401)])
        let server = try LoopbackServer(responses: [.redirect(to: "\(other.url)/x?api_key=theirs")])
        let tokens = mustNotRefresh { .query("api_key", $0.access) }
        let network = NetworkConfiguration(
            server.url, interceptors: [AuthorizationInterceptor(tokens, for: .origin(server.url.absoluteString))])
        let status = await NetworkSession(network).status()
        XCTAssertEqual(status, 401)
        XCTAssertEqual(server.requests.map(\.target), ["/ask?api_key=s3cret"])
        XCTAssertEqual(other.requests.map(\.target), ["/x?api_key=theirs"])
    }
}
