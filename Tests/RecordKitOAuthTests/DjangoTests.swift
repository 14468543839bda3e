import RecordKit
import RecordKitInterceptors
import RecordKitOAuth
import RecordKitTesting
import TestSupport
import XCTest

/// A real authorization server: django-oauth-toolkit, which `Scripts/servers/oauth` starts. It rotates refresh tokens,
/// ends a sign-in whose refresh token is used twice, and publishes its endpoints.
final class DjangoTests: TimedTestCase {
    private struct Person: Decodable {
        var sub: String
    }

    /// The address of the server. Its tests are skipped without one.
    private func address() throws -> String {
        guard let address = ProcessInfo.processInfo.environment["RECORDKIT_OAUTH_URL"] else {
            throw XCTSkip("RECORDKIT_OAUTH_URL isn't set; see Scripts/servers/oauth")
        }
        return address
    }

    private func server() async throws -> OAuthServer {
        var server = try await OAuthServer.discover(address())
        // It doesn't publish this one.
        server.deviceAuthorizationURL = try address() + "/device-authorization/"
        return server
    }

    /// Returns a session for the API of the server.
    private func api(_ tokens: TokenSource) throws -> NetworkSession {
        NetworkSession(
            NetworkConfiguration(
                environment: NetworkEnvironment(try address()),
                interceptors: [AuthorizationInterceptor(tokens, for: .origin(try address()))]))
    }

    private func records(_ api: NetworkSession) async throws -> String {
        try await api.value(for: Ask<String>(path: "records"))
    }

    private func expire(_ token: TokenSet) async throws {
        try await browse(URL(string: address() + "/expire?token=\(token.accessToken)")!)
    }

    private func signedIn(_ client: OAuthClient, on host: RedirectListener.Host = .ipv4) async throws
        -> TokenSet
    {
        let listener = try RedirectListener(host: host)
        let authorization = try client.browserAuthorization(redirectURL: listener.redirectURL)
        async let redirect = listener.redirect(for: authorization)
        try await browse(authorization.url)
        return try await authorization.token(from: redirect)
    }

    func testClientCredentials() async throws {
        for authentication in [OAuthClient.Authentication.basic(secret: "s&cret"), .post(secret: "s&cret")] {
            let client = OAuthClient("service", authentication, at: try await server(), scopes: ["read"])
            assertEqual(try await records(api(client.clientCredentialsTokens())), "service")
        }
        let client = OAuthClient("service", .basic(secret: "wrong"), at: try await server())
        let outcome = await (try api(client.clientCredentialsTokens())).outcome(of: Ask(path: "records"))
        guard case .failure(.interceptor(let failure)) = outcome else { return XCTFail("\(outcome)") }
        XCTAssertTrue("\(failure.cause as Any)".contains("invalid_client"), "\(failure)")
    }

    func testACodeOverTheLoopbackInterface() async throws {
        let client = OAuthClient("app", at: try await server(), scopes: ["openid", "read"])
        XCTAssertTrue(client.server.sendsIssuer)
        // A container may have no IPv6.
        let hosts = [RedirectListener.Host.ipv4] + ((try? RedirectListener(host: .ipv6)).map { _ in [.ipv6] } ?? [])
        for host in hosts {
            let token = try await signedIn(client, on: host)
            XCTAssertEqual(Set((token.scope ?? "").split(separator: " ")), ["openid", "read"])
            let person = try token.claims(as: Person.self)
            let tokens = client.tokens()
            try await tokens.use(token)
            let api = try api(tokens)
            var answer = try await records(api)
            XCTAssertEqual(answer, "ida")
            // The 401 leads to a refresh.
            try await expire(token)
            answer = try await records(api)
            XCTAssertEqual(answer, "ida")
            let refreshed = try await tokens.signOut()
            XCTAssertNotEqual(refreshed?.refreshToken, token.refreshToken)
            XCTAssertEqual(try refreshed?.claims(as: Person.self).sub, person.sub)
        }
    }

    func testARefreshTokenThatIsUsedTwiceEndsTheSignIn() async throws {
        let client = OAuthClient("app", at: try await server(), scopes: ["read"])
        let token = try await signedIn(client)
        let next = try await client.refresh(token)
        for used in [token, next] {
            let error = await failure { () async throws(OAuthError) in try await client.refresh(used) }
            guard case .refused(let refusal)? = error else { return XCTFail("\(error as Any)") }
            XCTAssertEqual(refusal.code, "invalid_grant")
            XCTAssertTrue(error?.needsSignIn == true)
        }
    }

    func testASignOutRevokes() async throws {
        let client = OAuthClient("app", at: try await server(), scopes: ["read"])
        let tokens = client.tokens()
        let token = try await signedIn(client)
        try await tokens.use(token)
        try await client.signOut(tokens)
        let error = await failure { () async throws(OAuthError) in try await client.refresh(token) }
        XCTAssertTrue(error?.needsSignIn == true, "\(error as Any)")
        // Revoking again is no error.
        try await client.revoke(token)
    }

    func testADevice() async throws {
        let client = OAuthClient("device", at: try await server(), scopes: ["read"])
        for (status, person) in [("authorized", "ida"), ("denied", nil)] {
            let device = try await client.deviceAuthorization()
            let page = try XCTUnwrap(URL(string: address() + "/decide?code=\(device.userCode)&status=\(status)"))
            async let decision: Void = browse(page)
            do {
                let token = try await client.token(for: device)
                let tokens = client.tokens()
                try await tokens.use(token)
                assertEqual(try await records(api(tokens)), person)
            } catch {
                XCTAssertNil(person, "\(error)")
                XCTAssertTrue("\(error)".contains("access_denied"), "\(error)")
            }
            try await decision
        }
    }

    func testTwoSourcesOfOneFileDoNotSignEachOtherOut() async throws {
        let folder = try TemporaryFolder()
        let client = OAuthClient("app", at: try await server(), scopes: ["read"])
        let store = FileTokenStore(folder.url.appending(path: "token"))
        let sources = [client.tokens(in: store), client.tokens(in: store)]
        try await sources[0].use(signedIn(client))
        for _ in 0..<5 {
            try await expire(XCTUnwrap(store.load()))
            try await withThrowingTaskGroup(of: String.self) { group in
                for source in sources {
                    let api = try api(source)
                    for _ in 0..<3 { group.addTask { try await api.value(for: Ask<String>(path: "records")) } }
                }
                for try await answer in group { XCTAssertEqual(answer, "ida") }
            }
        }
    }
}

/// Opens a URL as a browser does in which Ida is signed in.
private func browse(_ url: URL) async throws {
    _ = try await NetworkSession().value(
        for: Ask<Data>(baseURL: url.absoluteString, path: "", headers: ["X-Person": "ida"]))
}
