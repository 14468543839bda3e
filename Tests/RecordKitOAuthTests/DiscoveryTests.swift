import RecordKit
import RecordKitOAuth
import RecordKitTesting
import TestSupport
import XCTest

/// Endpoints that a server publishes.
final class DiscoveryTests: TimedTestCase {
    private func document(_ issuer: String, token: String = "https://id.example/t") -> CannedTransport.Turn {
        .answer(
            200,
            body: """
                {"issuer":"\(issuer)","token_endpoint":"\(token)","authorization_endpoint":"https://id.example/a",
                "device_authorization_endpoint":"https://id.example/d","scopes_supported":["x"],
                "authorization_response_iss_parameter_supported":true}
                """)
    }

    func testTheEndpointsArePublished() async throws {
        let table: [(issuer: String, addresses: [String])] = [
            ("https://id.example", ["https://id.example/.well-known/oauth-authorization-server"]),
            ("https://id.example/", ["https://id.example/.well-known/oauth-authorization-server"]),
            (
                "https://id.example:8443/realms/shop",
                ["https://id.example:8443/.well-known/oauth-authorization-server/realms/shop"]
            ),
            ("https://s/x", ["https://s/.well-known/oauth-authorization-server/x"]),
            ("http://[::1]:80/a/", ["http://[::1]:80/.well-known/oauth-authorization-server/a"]),
        ]
        for (issuer, addresses) in table {
            let server = ScriptedServer(document(issuer))
            let found = try await OAuthServer.discover(issuer, in: server.session)
            XCTAssertEqual(
                found,
                OAuthServer(
                    tokenURL: "https://id.example/t", authorizationURL: "https://id.example/a",
                    deviceAuthorizationURL: "https://id.example/d", issuer: issuer, sendsIssuer: true))
            XCTAssertEqual(server.transport.calls.map(\.url.absoluteString), addresses)
        }
    }

    func testTheOpenIDConfigurationIsTheSecondChoice() async throws {
        let table: [(first: CannedTransport.Turn, issuer: String, second: String)] = [
            (.answer(404), "https://id.example", "https://id.example/.well-known/openid-configuration"),
            (
                .answer(200, ["Content-Type": "text/html"], body: "<html>"), "https://id.example/tenant/",
                "https://id.example/tenant/.well-known/openid-configuration"
            ),
        ]
        for (first, issuer, second) in table {
            let server = ScriptedServer(first, document(issuer))
            _ = try await OAuthServer.discover(issuer, in: server.session)
            XCTAssertEqual(server.transport.calls.last?.url.absoluteString, second)
            XCTAssertEqual(server.transport.calls.count, 2)
        }
    }

    /// Microsoft publishes one document for all its tenants.
    func testAnIssuerMayBeATemplate() async throws {
        let template = "https://login.example/{tenantid}/v2.0"
        let table = [
            "https://login.example/common/v2.0": true, "https://login.example/organizations/v2.0": true,
            "https://login.example//v2.0": false, "https://login.example/a/b/v2.0": false,
            "https://login.example/common": false, "https://evil.example/common/v2.0": false,
        ]
        for (issuer, isFound) in table {
            let server = ScriptedServer(document(template))
            let found = try? await OAuthServer.discover(issuer, in: server.session)
            XCTAssertEqual(found?.issuer, isFound ? template : nil, issuer)
        }
    }

    func testAnotherIssuerIsRefused() async throws {
        for issuer in ["https://evil.example", "https://id.example/", "https://ID.example"] {
            let server = ScriptedServer(document(issuer))
            let error = await failure { () async throws(OAuthError) in
                try await OAuthServer.discover("https://id.example", in: server.session)
            }
            guard case .badResponse? = error else { return XCTFail("\(issuer): \(error as Any)") }
        }
    }

    func testWhatCannotBeUsed() async throws {
        let table: [(issuer: String, CannedTransport.Turn, calls: Int)] = [
            ("http://id.example", .answer(404), 0), ("https://id.example?x", .answer(404), 0), ("id", .answer(404), 0),
            ("https://id.example", .answer(404), 2), ("https://id.example", .fail(.refused), 1),
            ("https://id.example", document("https://id.example", token: "http://id.example/t"), 1),
        ]
        for (issuer, turn, calls) in table {
            let server = ScriptedServer(turn)
            let error = await failure { () async throws(OAuthError) in
                try await OAuthServer.discover(issuer, in: server.session)
            }
            XCTAssertNotNil(error, issuer)
            XCTAssertEqual(server.transport.calls.count, calls, issuer)
        }
    }
}
