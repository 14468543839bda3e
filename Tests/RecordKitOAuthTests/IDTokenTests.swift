import RecordKit
import RecordKitInterceptors
import RecordKitOAuth
import RecordKitTesting
import TestSupport
import XCTest

/// What is checked of an ID token, and its claims.
final class IDTokenTests: TimedTestCase {
    private struct Person: Decodable, Equatable {
        var sub: String
        var name: String?
        var exp: Date
    }

    private let good = #""iss":"https://id.example","sub":"ida","aud":"till-7","exp":1000000600,"iat":999999999"#

    /// Signs in with a code. The claims may contain `NONCE`.
    private func signIn(_ claims: String?, issuer: String? = "https://id.example") async throws -> TokenSet {
        var endpoints = ScriptedServer.endpoints
        endpoints.issuer = issuer
        let clock = ManualClock()
        let nonce = Kept("")
        let transport = CannedTransport { call throws(NetworkError) in
            let idToken: String? = claims.map { makeIDToken($0.replacing("NONCE", with: nonce.now)) }
            let body = idToken.map { #"{"access_token":"a","refresh_token":"r","id_token":"\#($0)"}"# }
            return NetworkResponse(statusCode: 200, body: Data((body ?? #"{"access_token":"a"}"#).utf8), url: call.url)
        }
        let network = NetworkSession(NetworkConfiguration(transport: transport, clock: clock.networkClock))
        let client = OAuthClient("till-7", at: endpoints, scopes: ["openid", "profile"], network: network)
        let request = try client.browserAuthorization(redirectURL: "shop:/done")
        let items = RequestQuery(parsing: request.url.query(percentEncoded: true) ?? "").items
        nonce.set(try XCTUnwrap(items.first { $0.name == "nonce" }?.value))
        let state = try XCTUnwrap(items.first { $0.name == "state" }?.value)
        return try await request.token(from: URL(string: "shop:/done?code=c&state=\(state)")!)
    }

    func testTheClaimsAreRead() async throws {
        let token = try await signIn(good + #","nonce":"NONCE","name":"Ída 🎷","extra":[1]"#)
        XCTAssertEqual(
            try token.claims(as: Person.self),
            Person(sub: "ida", name: "Ída 🎷", exp: Date(timeIntervalSince1970: 1_000_000_600)))
        XCTAssertThrowsError(try token.claims(as: [Int].self))
        XCTAssertThrowsError(try TokenSet("a").claims(as: Person.self))
        // An older file has neither a scope nor an ID token.
        let old = try JSONDecoder().decode(TokenSet.self, from: Data(#"{"access":"a","type":"Bearer"}"#.utf8))
        XCTAssertEqual(old, TokenSet("a"))
    }

    func testWhatIsChecked() async throws {
        let nonce = #","nonce":"NONCE""#
        let table: [(claims: String?, issuer: String?, says: String?)] = [
            (good + nonce, "https://id.example", nil),
            (good.replacing(#""till-7""#, with: #"["till-7"]"#) + nonce, "https://id.example", nil),
            (
                good.replacing(#""till-7""#, with: #"["x","till-7"]"#) + nonce + #","azp":"till-7""#,
                "https://id.example", nil
            ),
            (good.replacing("600", with: "000") + nonce, "https://id.example", nil),
            (good.replacing("1000000600", with: "999999940") + nonce, "https://id.example", "expired"),
            (good + nonce, "https://other.example", "another issuer"),
            (good + nonce, nil, "no issuer"),
            (good.replacing("till-7", with: "till-8") + nonce, "https://id.example", "another client"),
            (good.replacing(#""till-7""#, with: #"["x"]"#) + nonce, "https://id.example", "another client"),
            (good.replacing(#""till-7""#, with: #"["x","till-7"]"#) + nonce, "https://id.example", "authorized party"),
            (good + nonce + #","azp":"x""#, "https://id.example", "authorized party"),
            (good, "https://id.example", "nonce"), (good + #","nonce":"x""#, "https://id.example", "nonce"),
            (good + nonce + #","nbf":1000000500"#, "https://id.example", nil),
            (good + nonce + #","nbf":1000086400"#, "https://id.example", "valid only later"),
            (good.replacing("999999999", with: "1000086400") + nonce, "https://id.example", "valid only later"),
            (good.replacing(#","iat":999999999"#, with: "") + nonce, "https://id.example", "claim iat is missing"),
            (good.replacing(#""ida""#, with: #""""#) + nonce, "https://id.example", "no person"),
            (good.replacing(#""ida""#, with: "7") + nonce, "https://id.example", "claim sub is missing or has another"),
            (good + nonce + #","tid":"id""#, "https://{tenantid}.example", nil),
            (good + nonce + #","tid":"evil""#, "https://{tenantid}.example", "another issuer"),
            (good + nonce, "https://{tenantid}.example", "another issuer"),
            (#""sub":"ida""#, "https://id.example", "claim iss is missing"), (nil, "https://id.example", "no id_token"),
        ]
        for (claims, issuer, says) in table {
            do {
                _ = try await signIn(claims, issuer: issuer)
                XCTAssertNil(says, claims ?? "")
            } catch {
                XCTAssertTrue("\(error)".contains(says ?? "no error"), "\(claims ?? ""): \(error)")
            }
        }
    }

    func testARefreshKeepsThePerson() async throws {
        let first = good + #","nonce":"n""#
        let table: [(claims: String?, says: String?)] = [
            (good, nil), (first, nil), (nil, nil),
            (good.replacing("ida", with: "eve"), "another person"), (good + #","nonce":"m""#, "nonce"),
        ]
        for (claims, says) in table {
            let idToken = claims.map(makeIDToken)
            let body = idToken.map { #"{"access_token":"b","id_token":"\#($0)"}"# } ?? #"{"access_token":"b"}"#
            let server = ScriptedServer(.answer(200, body: body))
            let old = TokenSet("a", refreshToken: "r", idToken: makeIDToken(first))
            do {
                let token = try await server.client(scopes: ["openid"]).refresh(old)
                XCTAssertNil(says, claims ?? "")
                XCTAssertEqual(token.idToken, idToken ?? old.idToken)
            } catch {
                XCTAssertTrue(error.description.contains(says ?? "no error"), "\(claims ?? ""): \(error)")
                XCTAssertTrue(error.needsSignIn)
            }
        }
    }

    func testWhatIsNoIDToken() {
        for text in ["", "a.b", "a.b.c.d.e", "a.!.c", "..", "a.W10.c"] {
            XCTAssertThrowsError(try TokenSet("a", idToken: text).claims(as: Person.self), text) { error in
                guard case .invalidIDToken? = error as? OAuthError else { return XCTFail("\(text): \(error)") }
            }
        }
    }
}

private func makeIDToken(_ claims: String) -> String {
    let object = "{" + claims + "}"
    let payload = Data(object.utf8).base64EncodedString()
    let encoded = payload.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    return "eyJhbGciOiJSUzI1NiJ9.\(encoded).c2ln"
}
