import RecordKit
import RecordKitInterceptors
import RecordKitOAuth
import RecordKitTesting
import TestSupport
import XCTest

/// Requests to the token endpoint and what its responses mean.
final class TokenEndpointTests: TimedTestCase {
    private let start = Date(timeIntervalSince1970: 1_000_000_000)

    func testHowAClientProvesItsIdentity() async throws {
        let id = "till 7:é"
        let table: [(OAuthClient.Authentication, authorization: String?, form: String)] = [
            (.none, nil, "grant_type=refresh_token&refresh_token=r&client_id=till+7%3A%C3%A9"),
            (
                // Form-encoded first: "till+7%3A%C3%A9:p%26s+%7E%25".
                .basic(secret: "p&s ~%"), "dGlsbCs3JTNBJUMzJUE5OnAlMjZzKyU3RSUyNQ==",
                "grant_type=refresh_token&refresh_token=r"
            ),
            (
                .post(secret: "p&s"), nil,
                "grant_type=refresh_token&refresh_token=r&client_id=till+7%3A%C3%A9&client_secret=p%26s"
            ),
        ]
        for (authentication, authorization, form) in table {
            let server = ScriptedServer(.answer(200, body: #"{"access_token":"a"}"#))
            let client = OAuthClient(id, authentication, at: ScriptedServer.endpoints, network: server.session)
            _ = try await client.refresh(TokenSet("old", refreshToken: "r"))
            let call = try XCTUnwrap(server.transport.calls.first)
            XCTAssertEqual(call.headers["Authorization"], authorization.map { "Basic \($0)" })
            XCTAssertEqual(call.headers["Accept"], "application/json")
            XCTAssertEqual(call.method, .post)
            assertEqual(try await server.forms, [form])
        }
    }

    func testFurtherParametersDoNotReplaceThoseOfTheProtocol() async throws {
        let server = ScriptedServer(.answer(200, body: #"{"access_token":"a"}"#))
        let client = server.client(
            scopes: ["read", "write"], parameters: ["audience": "api", "client_id": "x", "resource": ["b", "c"]])
        _ = await client.clientCredentialsTokens().call(CannedTransport(), clock: server.clock)
        let forms = try await server.forms
        XCTAssertEqual(
            forms,
            ["grant_type=client_credentials&scope=read+write&client_id=till-7&audience=api&resource=b&resource=c"])
    }

    func testTheURLOfAnEndpointMayHaveAQuery() async throws {
        let server = ScriptedServer(.answer(200, body: #"{"access_token":"a"}"#))
        let client = server.client(at: OAuthServer(tokenURL: "https://id.example/token?tenant=a%20b"))
        _ = try await client.refresh(TokenSet("old", refreshToken: "r"))
        XCTAssertEqual(server.transport.calls.map(\.url.absoluteString), ["https://id.example/token?tenant=a%20b"])
    }

    func testWhatATokenResponseMeans() async throws {
        let old = TokenSet("old", refreshToken: "r", scope: "read write")
        let table: [(body: String, type: String, TokenSet)] = [
            (#"{"access_token":"a"}"#, "application/json", TokenSet("a", refreshToken: "r", scope: "read write")),
            (
                #"{"access_token":"a","token_type":"bEARER","expires_in":60,"refresh_token":"s","scope":"read"}"#,
                "application/json",
                TokenSet("a", refreshToken: "s", expiry: start.addingTimeInterval(60), scope: "read")
            ),
            (
                #"{"access_token":"a","expires_in":"3600","refresh_token":"","x":[{"y":null}]}"#, "text/html",
                TokenSet(
                    "a", refreshToken: "r", expiry: start.addingTimeInterval(3600), scope: "read write",
                    fields: ["x": .array([.object(["y": .null])])])
            ),
            (
                "access_token=a%2Bb&scope=repo%2Cgist+x&token_type=bearer&expires_in=8",
                "application/x-www-form-urlencoded; charset=utf-8",
                TokenSet("a+b", refreshToken: "r", expiry: start.addingTimeInterval(8), scope: "repo,gist x")
            ),
            (
                "access_token=a&expires=5", "text/plain",
                TokenSet("a", refreshToken: "r", scope: "read write", fields: ["expires": .string("5")])
            ),
            (
                #"{"access_token":"a","expires_in":-1}"#, "application/json",
                TokenSet("a", refreshToken: "r", scope: "read write")
            ),
            (
                #"{"access_token":"a","expires_in":0}"#, "application/json",
                TokenSet("a", refreshToken: "r", scope: "read write")
            ),
            (
                #"{"access_token":"a","expires_in":1e300}"#, "application/json",
                TokenSet("a", refreshToken: "r", expiry: start.addingTimeInterval(315_360_000), scope: "read write")
            ),
            (
                #"{"access_token":"a","expires_in":[1],"id_token":"not.asked.for"}"#, "application/json",
                TokenSet("a", refreshToken: "r", scope: "read write")
            ),
        ]
        for (body, type, expected) in table {
            let server = ScriptedServer(.answer(200, ["Content-Type": type], body: body))
            let token = try await server.client().refresh(old)
            XCTAssertEqual(token, expected, body)
            XCTAssertEqual([token.scope, token.idToken], [expected.scope, nil], body)
        }
    }

    func testWhatAnErrorMeans() async throws {
        let table: [(status: Int, type: String, body: String, says: String, needsSignIn: Bool, isTransient: Bool)] = [
            (400, "application/json", #"{"error":"invalid_grant"}"#, "invalid_grant", true, false),
            (401, "application/json", #"{"error":"invalid_client"}"#, "invalid_client", false, false),
            (200, "application/json", #"{"error":"bad_refresh_token","error_uri":"x"}"#, "bad_refresh", true, false),
            (200, "application/x-www-form-urlencoded", "error=bad_verification_code", "bad_verif", true, false),
            (400, "application/json", #"{"error":"temporarily_unavailable"}"#, "temporarily", false, true),
            (503, "application/json", #"{"error":"my own"}"#, "for a reason of its own", false, true),
            (503, "text/html", "<html>", "503", false, true),
            (404, "text/html", "<html>", "404", false, false),
            (302, "text/html", "", "302", false, false),
            (200, "text/html", "<html>access_token=a", "no access_token", false, false),
            (200, "application/json", "", "no access_token", false, false),
            (200, "application/json", #"["access_token","a"]"#, "no access_token", false, false),
            (200, "application/json", #"{"access_token":"a\r\nX: y"}"#, "no access_token", false, false),
            (200, "application/json", #"{"access_token":"a","token_type":"mac"}"#, "token_type", false, false),
            (200, "application/json", #"{"access_token":"a","token_type":"dpop"}"#, "token_type", false, false),
        ]
        for row in table {
            let server = ScriptedServer(.answer(row.status, ["Content-Type": row.type], body: row.body))
            let error = await failure { () async throws(OAuthError) in
                try await server.client(.post(secret: "geheim")).refresh(TokenSet("old", refreshToken: "r"))
            }
            let description = try XCTUnwrap(error?.description, row.body)
            XCTAssertTrue(description.contains(row.says), "\(row.body): \(description)")
            XCTAssertEqual(error?.needsSignIn, row.needsSignIn, row.body)
            XCTAssertEqual(error?.isTransient, row.isTransient, row.body)
            XCTAssertEqual(error?.response?.statusCode, row.status, row.body)
        }
    }

    func testARefusalHasTheServersWords() async throws {
        let body = #"{"error":"my_own","error_description":"Ask Ida.","error_uri":"https://id.example/e"}"#
        let server = ScriptedServer(.answer(400, body: body))
        let error = await failure { () async throws(OAuthError) in
            try await server.client().refresh(TokenSet("old", refreshToken: "r"))
        }
        guard case .refused(let refusal)? = error else { return XCTFail("\(String(describing: error))") }
        XCTAssertEqual(refusal.code, "my_own")
        XCTAssertEqual(refusal.message, "Ask Ida.")
        XCTAssertEqual(refusal.page?.absoluteString, "https://id.example/e")
    }

    func testAScopeIsNarrowedAndARefreshNeedsItsToken() async throws {
        let server = ScriptedServer(.answer(200, body: #"{"access_token":"a","scope":"read"}"#))
        let token = try await server.client().refresh(
            TokenSet("old", refreshToken: "r", scope: "read write"), scopes: ["read"])
        XCTAssertEqual(token.scope, "read")
        assertEqual(try await server.forms, ["grant_type=refresh_token&refresh_token=r&scope=read&client_id=till-7"])
        let error = await failure { () async throws(OAuthError) in try await server.client().refresh(TokenSet("old"))
        }
        guard case .noRefreshToken? = error else { return XCTFail("\(String(describing: error))") }
    }

    /// A secret is sent over https, or stays on this machine.
    func testEndpointsWithoutTLSAreRefused() async throws {
        let table = [
            "https://id.example/token": true, "http://127.0.0.1:8080/token": true, "http://[::1]/token": true,
            "http://localhost/token": true, "http://id.example/token": false, "http://127.0.0.1.example/token": false,
            "https://u:p@id.example/token": false, "https://id.example/token#x": false, "ftp://id.example": false,
            "/token": false, "": false, "https://": false,
        ]
        for (address, isFine) in table {
            let server = ScriptedServer(.answer(200, body: #"{"access_token":"a"}"#))
            let error = await failure { () async throws(OAuthError) in
                try await server.client(at: OAuthServer(tokenURL: address)).refresh(TokenSet("old", refreshToken: "r"))
            }
            if isFine {
                XCTAssertNil(error, address)
            } else {
                guard case .misconfigured? = error else { return XCTFail("\(address): \(String(describing: error))") }
                XCTAssertTrue(server.transport.calls.isEmpty, address)
            }
        }
    }
}
