import RecordKit
import RecordKitCurl
import RecordKitInterceptors
import RecordKitOAuth
import RecordKitTesting
import TestSupport
import XCTest

/// Servers that mean harm, on real connections of both transports. None makes a call hang, fills the memory or learns a
/// secret.
final class HostileServerTests: TimedTestCase {
    private let transports: [(name: String, make: @Sendable () -> any NetworkTransport)] = [
        ("URLSession", { URLSessionTransport() }), ("libcurl", { CurlTransport() }),
    ]

    private func client(
        _ server: LoopbackServer, _ transport: any NetworkTransport, _ authentication: OAuthClient.Authentication
    ) -> OAuthClient {
        let url = server.url.absoluteString
        return OAuthClient(
            "till-7", authentication,
            at: OAuthServer(
                tokenURL: url + "/token", authorizationURL: url + "/authorize", deviceAuthorizationURL: url + "/device",
                revocationURL: url + "/revoke"), network: NetworkSession(NetworkConfiguration(transport: transport)))
    }

    func testWhatATokenEndpointMaySend() async throws {
        let big = String(repeating: "x", count: 10_000_000)
        let deep = String(repeating: "[", count: 100_000)
        let other = try LoopbackServer(responses: [.json(#"{"access_token":"a"}"#)])
        defer { other.stop() }
        let table: [(name: String, StubResponse, says: String)] = [
            (
                "endless JSON", StubResponse(Array(repeating: #"{"a":[" "#, count: 300_000).map { .chunk($0) }),
                "larger than"
            ),
            (
                "an error of 10 MB", .json(#"{"error":"invalid_grant","error_description":"\#(big)"}"#, status: 400),
                "larger"
            ),
            ("deep JSON", .json(#"{"access_token":"a","x":\#(deep)"#), "no access_token"),
            (
                "HTML", [.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>")],
                "no access"
            ),
            (
                "not UTF-8",
                [
                    .head(200, headers: ["Content-Length": "23"]),
                    .body(Data(#"{"access_token":"a"#.utf8) + [0xFF, 0xFE, 0xC0, 0x22, 0x7D]), .close,
                ], "no access_token"
            ),
            ("a redirect", .redirect(to: other.url.absoluteString + "/token", status: 307), "307"),
            ("a redirect to itself", .redirect(to: "/token", status: 302), "302"),
            ("a challenge", .status(401, headers: ["WWW-Authenticate": "Basic realm=x"]), "401"),
            ("an end within the body", .json(#"{"access_token":"abcdef"}"#).cut(after: 10), "lost"),
            ("a reset", .reset, "lost"),
        ]
        for (transportName, transport) in transports {
            for (name, response, says) in table {
                let server = try LoopbackServer(responses: [response])
                defer { server.stop() }
                let client = client(server, transport(), .basic(secret: "geheim"))
                let error = await failure { () async throws(OAuthError) in
                    try await client.refresh(TokenSet("old", refreshToken: "r"))
                }
                let text = try XCTUnwrap(error?.description, "\(transportName), \(name)")
                XCTAssertTrue(text.contains(says), "\(transportName), \(name): \(text.prefix(500))")
                XCTAssertLessThan(text.count, 500, name)
                XCTAssertEqual(server.requests.count, 1, "\(transportName), \(name)")
            }
        }
        XCTAssertEqual(other.requests.count, 0, "a secret was sent on")
    }

    /// A response that comes byte by byte ends at the deadline, not when the server wants it.
    func testAnEndlessDripEndsAtTheDeadline() async throws {
        let clock = ManualClock()
        let server = try LoopbackServer { _ in
            [.head(200, headers: ["Content-Length": "1000"]), .body("{"), .hold]
        }
        defer { server.stop() }
        let client = OAuthClient(
            "till-7", at: OAuthServer(tokenURL: server.url.absoluteString + "/token"),
            network: NetworkSession(
                NetworkConfiguration(options: RequestOptions(timeout: .seconds(100_000)), clock: clock.networkClock)))
        let task = Task {
            await failure { () async throws(OAuthError) in
                try await client.refresh(TokenSet("old", refreshToken: "r"))
            }
        }
        _ = try await server.request(at: 0)
        clock.advance(by: .seconds(121))
        guard case .network(.timedOut(let timeout))? = await task.value else { return XCTFail("no deadline") }
        XCTAssertEqual(timeout.limit, .deadline)
    }

    func testAStateThatIsReflectedIsNotEnough() async throws {
        let server = try LoopbackServer(responses: [.json(#"{"access_token":"a"}"#)])
        defer { server.stop() }
        let client = client(server, URLSessionTransport(), .none)
        let (mine, theirs) = try (
            client.browserAuthorization(redirectURL: "shop:/"), client.browserAuthorization(redirectURL: "shop:/")
        )
        let state =
            RequestQuery(parsing: theirs.url.query(percentEncoded: true) ?? "").items
            .first { $0.name == "state" }?.value ?? ""
        for text in [state, "", state + "%00", String(repeating: "s", count: 100_000)] {
            let redirect = try XCTUnwrap(URL(string: "shop:/?code=c&state=\(text)"))
            let error = await failure { () async throws(OAuthError) in try await mine.token(from: redirect) }
            guard case .invalidRedirect(.wrongState)? = error else { return XCTFail("\(error as Any)") }
        }
        XCTAssertEqual(server.requests.count, 0)
    }
}
