import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

final class AuthorizationWireTests: TimedTestCase {
    func testATokenIsRefreshedOverTheSameConnectionThatRefusedIt() async throws {
        let server = try LoopbackServer { request in
            if request.path == "/refresh" { return .text("new") }
            return request.header("Authorization") == "Bearer new"
                ? .text(request.text) : .status(401, headers: ["WWW-Authenticate": "Basic realm=\"shop\""])
        }
        let refreshing = NetworkSession(NetworkConfiguration(server.url))
        let tokens = TokenSource(store: MemoryTokenStore(TokenSet("old", refreshToken: "r"))) { ended in
            let ask = Ask<String>(path: "refresh", method: .post, content: ended?.refreshToken)
            return TokenSet(try await refreshing.value(for: ask))
        }
        let scope = CredentialScope.origin(server.url.absoluteString)
        let network = NetworkSession(
            NetworkConfiguration(server.url, interceptors: [AuthorizationInterceptor(tokens, for: scope)]))

        let text = try await network.value(for: Ask<String>(method: .post, content: "one copy"))

        XCTAssertEqual(text, "one copy")
        XCTAssertEqual(server.requests.map(\.path), ["/ask", "/refresh", "/ask"])
        XCTAssertEqual(server.requests.map { $0.header("Authorization") }, ["Bearer old", nil, "Bearer new"])
        XCTAssertEqual(server.requests.map(\.text), ["one copy", "r", "one copy"])
    }

    func testTheRefusalOfAnotherOriginRefreshesNothingAndGetsNothing() async throws {
        let other = try LoopbackServer(responses: [.status(401)])
        let server = try LoopbackServer(responses: [.redirect(to: "\(other.url)/x")])
        let tokens = TokenSource(store: MemoryTokenStore(TokenSet("s3cret"))) { _ in
            XCTFail("refreshed")
            throw CancellationError()
        }
        let scope = CredentialScope.origin(server.url.absoluteString)
        for interceptor in [
            AuthorizationInterceptor(tokens, for: scope),
            AuthorizationInterceptor(.header("X-Till", "s3cret"), for: scope),
            AuthorizationInterceptor(.query("till", "s3cret"), for: scope),
            // In scope, too, but never sent a token.
            AuthorizationInterceptor(tokens, for: .anyOf([scope, .origin(other.url.absoluteString)])),
        ] {
            let network = NetworkConfiguration(server.url, interceptors: [interceptor])
            assertEqual(await NetworkSession(network).status(), 401)
        }
        for request in server.requests {
            XCTAssertTrue(String(decoding: request.bytes, as: UTF8.self).contains("s3cret"))
        }
        XCTAssertEqual(other.requests.count, 4)
        for request in other.requests {
            XCTAssertFalse(String(decoding: request.bytes, as: UTF8.self).contains("s3cret"))
        }
    }

    /// What is removed at a redirect to another origin isn't restored on the way back.
    func testARefusalOfWhatCameHomeUnsignedRefreshesNothing() async throws {
        let home = Kept("")
        let other = try LoopbackServer { _ in .redirect(to: home.now, status: 307) }
        let server = try LoopbackServer { request in
            request.path == "/home" ? .status(401) : .redirect(to: "\(other.url)/x", status: 307)
        }
        home.set("\(server.url)/home")
        let tokens = TokenSource(store: MemoryTokenStore(TokenSet("s3cret"))) { _ in
            XCTFail("refreshed")
            throw CancellationError()
        }
        let scope = CredentialScope.origin(server.url.absoluteString)
        let network = NetworkConfiguration(server.url, interceptors: [AuthorizationInterceptor(tokens, for: scope)])
        for method in [HTTPMethod.get, .post] {
            assertEqual(await NetworkSession(network).status(of: Ask(method: method)), 401)
        }
        XCTAssertEqual(server.requests.map(\.path), ["/ask", "/home", "/ask", "/home"])
        XCTAssertEqual(server.requests.map { $0.header("Authorization") != nil }, [true, false, true, false])
    }

    func testACallWhoseMethodAnotherInterceptorChangesIsSentAgain() async throws {
        let server = try LoopbackServer { request in
            request.header("Authorization") == "Bearer new" ? .status(200) : .status(401)
        }
        let tokens = TokenSource(store: MemoryTokenStore(TokenSet("old"))) { _ in TokenSet("new") }
        let scope = CredentialScope.origin(server.url.absoluteString)
        let network = NetworkConfiguration(
            server.url, interceptors: [AuthorizationInterceptor(tokens, for: scope), Changing { $0.method = .post }])
        assertEqual(await NetworkSession(network).status(of: Ask(method: .patch, content: "one copy")), 200)
        XCTAssertEqual(server.requests.map(\.method), ["POST", "POST"])
    }

    func testACallThatARedirectMadeAGetIsNotSentTwice() async throws {
        let server = try LoopbackServer { request in
            request.method == "GET" ? .status(401) : .redirect(to: "/made", status: 303)
        }
        let tokens = TokenSource(store: MemoryTokenStore(TokenSet("old"))) { _ in TokenSet("new") }
        let scope = CredentialScope.origin(server.url.absoluteString)
        let network = NetworkConfiguration(server.url, interceptors: [AuthorizationInterceptor(tokens, for: scope)])

        let status = await NetworkSession(network).status(of: Ask(method: .post, content: "one copy"))
        XCTAssertEqual(status, 401)
        XCTAssertEqual(server.requests.map(\.method), ["POST", "GET"])

        // An idempotent call is sent again, and by then the rejected token was refreshed.
        _ = await NetworkSession(network).status(of: Ask(method: .put, content: "one copy"))
        XCTAssertEqual(server.requests.map(\.method), ["POST", "GET", "PUT", "GET", "PUT", "GET"])
        XCTAssertEqual(server.requests[2].header("Authorization"), "Bearer new")

        let query = try LoopbackServer { request in
            request.target.contains("made") ? .status(401) : .redirect(to: "/ask?made=1", status: 303)
        }
        let there = NetworkConfiguration(
            query.url, interceptors: [AuthorizationInterceptor(tokens, for: .origin(query.url.absoluteString))])
        _ = await NetworkSession(there).status(of: Ask(method: .post, content: "one copy"))
        XCTAssertEqual(query.requests.map(\.method), ["POST", "GET"], "another query is another address")

        let same = try LoopbackServer { request in
            request.method == "GET" ? .status(401) : .redirect(to: request.target, status: 303)
        }
        let here = NetworkConfiguration(
            same.url, interceptors: [AuthorizationInterceptor(tokens, for: .origin(same.url.absoluteString))])
        _ = await NetworkSession(here).status(of: Ask(method: .post, content: "one copy"))
        XCTAssertEqual(same.requests.map(\.method), ["POST", "GET"], "another method is another request")
    }

    // MARK: A 401 after a redirect

    private func mustNotRefresh(_ credential: @escaping @Sendable (TokenSet) -> Credential) -> TokenSource {
        TokenSource(store: MemoryTokenStore(TokenSet("s3cret")), credential: credential) { _ in
            XCTFail("refreshed")
            throw CancellationError()
        }
    }

    func testARefusalWithinTheOriginRefreshesTheToken() async throws {
        let server = try LoopbackServer { request in
            if request.path == "/ask" { return .redirect(to: "/there") }
            return request.header("Authorization") == "Bearer new" ? .text("there") : .status(401)
        }
        let tokens = TokenSource(store: MemoryTokenStore(TokenSet("old"))) { _ in TokenSet("new") }
        let network = NetworkConfiguration(
            server.url, interceptors: [AuthorizationInterceptor(tokens, for: .origin(server.url.absoluteString))])
        assertEqual(await NetworkSession(network).status(), 200)
        XCTAssertEqual(server.requests.map(\.path), ["/ask", "/there", "/ask", "/there"])
    }

    func testTheRefusalOfAnothersQueryItemOfTheSameNameRefreshesNothing() async throws {
        let other = try LoopbackServer(responses: [.status(401)])
        let server = try LoopbackServer(responses: [.redirect(to: "\(other.url)/x?api_key=theirs")])
        let tokens = mustNotRefresh { .query("api_key", $0.accessToken) }
        let network = NetworkConfiguration(
            server.url, interceptors: [AuthorizationInterceptor(tokens, for: .origin(server.url.absoluteString))])
        assertEqual(await NetworkSession(network).status(), 401)
        XCTAssertEqual(server.requests.map(\.target), ["/ask?api_key=s3cret"])
        XCTAssertEqual(other.requests.map(\.target), ["/x?api_key=theirs"])
    }
}
