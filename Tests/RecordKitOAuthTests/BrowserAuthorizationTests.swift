import RecordKit
import RecordKitInterceptors
@testable import RecordKitOAuth
import RecordKitTesting
import TestSupport
import XCTest

/// The authorization code grant with PKCE: its URL, its redirects and its token request.
final class BrowserAuthorizationTests: TimedTestCase {
    private let done = ScriptedServer(.answer(200, body: #"{"access_token":"a"}"#))

    private func query(of url: URL) -> [String: String] {
        let items = RequestQuery(parsing: url.query(percentEncoded: true) ?? "").items
        return Dictionary(items.map { ($0.name, $0.value) }) { "\($0), \($1)" }
    }

    /// RFC 7636 appendix B.
    func testTheChallengeOfTheRFC() {
        let verifier = Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        XCTAssertEqual(BrowserAuthorization.challenge(for: verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    func testTheURLAndTheTokenRequest() async throws {
        let client = done.client(scopes: ["read", "write"], parameters: ["audience": "api", "state": "fixed"])
        let authorization = try client.browserAuthorization(
            redirectURL: "shop:/done", parameters: ["prompt": "consent"])
        let query = query(of: authorization.url)
        XCTAssertTrue(authorization.url.absoluteString.hasPrefix("https://id.example/authorize?response_type=code&"))
        let state = try XCTUnwrap(query["state"])
        let challenge = try XCTUnwrap(query["code_challenge"])
        XCTAssertEqual([state.count, challenge.count], [43, 43])
        XCTAssertEqual(
            query,
            [
                "response_type": "code", "client_id": "till-7", "redirect_uri": "shop:/done", "scope": "read write",
                "state": state, "code_challenge": challenge, "code_challenge_method": "S256", "audience": "api",
                "prompt": "consent",
            ])
        let other = try client.browserAuthorization(redirectURL: "shop:/done")
        XCTAssertNotEqual(self.query(of: other.url)["state"], state)

        let token = try await authorization.token(from: URL(string: "shop:/done?code=c%2B1&state=\(state)")!)
        XCTAssertEqual(token, TokenSet("a", scope: "read write"))
        let form = try await done.forms[0]
        let fields = RequestQuery(parsing: form).items
        XCTAssertEqual(
            fields.map(\.name),
            ["grant_type", "code", "redirect_uri", "code_verifier", "client_id", "audience", "state"])
        XCTAssertEqual(fields[0..<3].map(\.value), ["authorization_code", "c+1", "shop:/done"])
        XCTAssertEqual(BrowserAuthorization.challenge(for: Secret(fields[3].value)), challenge)
    }

    func testTheEndpointMayHaveAQuery() throws {
        var server = ScriptedServer.endpoints
        server.authorizationURL = "https://id.example/authorize?tenant=1"
        let authorization = try done.client(at: server).browserAuthorization(redirectURL: "shop:/")
        XCTAssertTrue(
            authorization.url.absoluteString.hasPrefix("https://id.example/authorize?tenant=1&response_type=code"))
        server.authorizationURL = nil
        XCTAssertThrowsError(try done.client(at: server).browserAuthorization(redirectURL: "shop:/"))
    }

    func testWhatARedirectFailsWith() async throws {
        let table: [(redirect: String, sendsIssuer: Bool, says: String)] = [
            ("code=c", false, "state differs"), ("code=c&state=x", false, "state differs"),
            ("code=c&state=STATE&state=STATE", false, "state differs"), ("error=access_denied", false, "state differs"),
            ("error=access_denied&state=STATE", false, "access_denied"),
            ("error=%3Cscript%3E&state=STATE", false, "for a reason of its own"),
            ("state=STATE", false, "neither a code nor an error"), ("state=STATE&code=", false, "neither a code"),
            ("state=STATE&code=c&code=d", false, "a parameter twice"),
            ("state=STATE&code=c&iss=https://evil.example", false, "another authorization server"),
            ("state=STATE&code=c", true, "another authorization server"),
            ("state=STATE&error=access_denied", true, "another authorization server"),
        ]
        for (redirect, sendsIssuer, says) in table {
            var server = ScriptedServer.endpoints
            server.sendsIssuer = sendsIssuer
            let authorization = try done.client(at: server).browserAuthorization(redirectURL: "shop:/done")
            let state = try XCTUnwrap(query(of: authorization.url)["state"])
            let url = try XCTUnwrap(URL(string: "shop:/done?" + redirect.replacing("STATE", with: state)))
            let error = await failure { () async throws(OAuthError) in try await authorization.token(from: url) }
            XCTAssertTrue(error?.description.contains(says) == true, "\(redirect): \(error as Any)")
            XCTAssertEqual(error?.needsSignIn, !redirect.contains("script"), redirect)
        }
        XCTAssertTrue(done.transport.calls.isEmpty)
    }

    func testAnIssuerThatIsSentHasToBeKnown() throws {
        let server = OAuthServer(
            tokenURL: "https://id.example/token", authorizationURL: "https://id.example/authorize", sendsIssuer: true)
        XCTAssertThrowsError(try done.client(at: server).browserAuthorization(redirectURL: "shop:/")) { error in
            guard case .misconfigured(let reason)? = error as? OAuthError else { return XCTFail("\(error)") }
            XCTAssertTrue(reason.contains("issuer"), reason)
        }
    }

    func testOnlyTheFirstRedirectCounts() async throws {
        let authorization = try done.client().browserAuthorization(redirectURL: "shop:/done")
        let state = try XCTUnwrap(query(of: authorization.url)["state"])
        let url = try XCTUnwrap(URL(string: "shop:/done?state=\(state)&code=c&iss=https://id.example"))
        // One with a wrong state comes from elsewhere.
        _ = await failure { () async throws(OAuthError) in
            try await authorization.token(from: URL(string: "shop:/done")!)
        }
        _ = try await authorization.token(from: url)
        let error = await failure { () async throws(OAuthError) in try await authorization.token(from: url) }
        guard case .invalidRedirect(.usedBefore)? = error else { return XCTFail("\(error as Any)") }
        XCTAssertEqual(done.transport.calls.count, 1)
    }
}
