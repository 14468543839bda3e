import RecordKit
import RecordKitInterceptors
import RecordKitOAuth
import RecordKitTesting
import TestSupport
import XCTest

/// Sources of tokens, refresh, sign-out and revocation.
final class TokenSourceTests: TimedTestCase {
    func testClientCredentialsAreRequestedAgainWhenTheTokenExpires() async throws {
        let server = ScriptedServer(
            .answer(200, body: #"{"access_token":"t1","expires_in":3600,"refresh_token":"unused"}"#),
            .answer(200, body: #"{"access_token":"t2","expires_in":3600}"#))
        let tokens = server.client(.basic(secret: "s"), scopes: ["read"]).clientCredentialsTokens()
        let api = CannedTransport()
        _ = await tokens.call(api, clock: server.clock)
        _ = await tokens.call(api, clock: server.clock)
        server.clock.advance(by: .seconds(3590))
        _ = await tokens.call(api, clock: server.clock)
        XCTAssertEqual(api.calls.map { $0.headers["Authorization"] }, ["Bearer t1", "Bearer t1", "Bearer t2"])
        assertEqual(try await server.forms, Array(repeating: "grant_type=client_credentials&scope=read", count: 2))
    }

    func testAPersonsTokenIsRefreshedWithTheRotatedRefreshToken() async throws {
        let server = ScriptedServer(
            .answer(200, body: #"{"access_token":"t1","refresh_token":"r1"}"#),
            .answer(200, body: #"{"access_token":"t2"}"#), .answer(200, body: #"{"access_token":"t3"}"#))
        let tokens = server.client().tokens()
        try await tokens.use(TokenSet("t0", refreshToken: "r0"))
        let refusing = CannedTransport(status: 401)
        for _ in 0..<3 {
            _ = await tokens.call(refusing, clock: server.clock)
            server.clock.advance(by: .seconds(60))
        }
        let forms = try await server.forms
        XCTAssertEqual(
            forms, ["r0", "r1", "r1"].map { "grant_type=refresh_token&refresh_token=\($0)&client_id=till-7" })
    }

    func testWhatACallFailsWith() async throws {
        typealias Check = (NetworkError.InterceptorFailure) -> Bool
        let table: [(String, CannedTransport.Turn, isTransient: Bool, Check)] = [
            (
                "revoked", .answer(400, body: #"{"error":"invalid_grant"}"#), false,
                {
                    ($0.cause as? OAuthError)?.needsSignIn == true && $0.response?.statusCode == 401
                        && $0.reason.contains("invalid_grant")
                }
            ),
            (
                "busy", .answer(503, body: #"{"error":"temporarily_unavailable"}"#), true,
                { $0.cause is NetworkError && $0.response?.statusCode == 503 }
            ),
            ("offline", .fail(.refused), true, { $0.cause is NetworkError && $0.response == nil }),
        ]
        for (name, turn, isTransient, check) in table {
            let server = ScriptedServer(turn)
            let tokens = server.client().tokens(in: MemoryTokenStore(TokenSet("t0", refreshToken: "r0")))
            let outcome = await tokens.call(CannedTransport(status: 401), clock: server.clock)
            guard case .failure(.interceptor(let failure)) = outcome else { return XCTFail("\(name): \(outcome)") }
            XCTAssertTrue(check(failure), "\(name): \(failure)")
            XCTAssertEqual(NetworkError.interceptor(failure).isTransient, isTransient, name)
        }
        let server = ScriptedServer(.fail(.refused))
        let outcome = await server.client().tokens().call(CannedTransport(), clock: server.clock)
        guard case .failure(.interceptor(let failure)) = outcome, case .signedOut? = failure.cause as? OAuthError else {
            return XCTFail("\(outcome)")
        }
    }

    func testASignOutRevokesBothTokens() async throws {
        let server = ScriptedServer(.answer(200))
        let client = server.client(.post(secret: "s"))
        let store = MemoryTokenStore(TokenSet("a", refreshToken: "r"))
        let tokens = client.tokens(in: store)
        try await client.signOut(tokens)
        XCTAssertNil(store.load())
        XCTAssertEqual(server.transport.calls.map(\.url.path), ["/revoke", "/revoke"])
        let forms = try await server.forms
        let identity = "client_id=till-7&client_secret=s"
        XCTAssertEqual(
            forms,
            ["token=r&token_type_hint=refresh_token&\(identity)", "token=a&token_type_hint=access_token&\(identity)"])
        // There is nothing to revoke any more.
        try await client.signOut(tokens)
        XCTAssertEqual(server.transport.calls.count, 2)
    }

    func testASignOutStandsWhenTheServerCannotBeReached() async throws {
        for endpoint in ["https://id.example/revoke", nil] {
            let server = ScriptedServer(.fail(.refused))
            let client = server.client(at: OAuthServer(tokenURL: "https://id.example/token", revocationURL: endpoint))
            let store = MemoryTokenStore(TokenSet("a", refreshToken: "r"))
            let tokens = client.tokens(in: store)
            do {
                try await client.signOut(tokens)
                XCTAssertNil(endpoint)
            } catch {
                XCTAssertTrue((error as? OAuthError)?.isTransient == true, "\(error)")
            }
            XCTAssertNil(store.load())
        }
    }
}
