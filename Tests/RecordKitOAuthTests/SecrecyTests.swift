import RecordKit
import RecordKitInterceptors
import RecordKitOAuth
import RecordKitTesting
import TestSupport
import XCTest

/// No secret is in a description, a log, a timeline or a cassette.
final class SecrecyTests: TimedTestCase {
    private let secrets = ["geheim", "r-old", "a-new", "r-new", "d-code", "U-CODE", "c-code", "a-old", "id.to.ken"]

    private func check(_ text: String, _ what: String, line: UInt = #line) {
        for secret in secrets { XCTAssertFalse(text.contains(secret), "\(what): \(secret) in \(text)", line: line) }
    }

    private func dumped(_ value: Any) -> String {
        var text = "\(value) " + String(reflecting: value)
        dump(value, to: &text)
        return text
    }

    func testNoSecretIsPrintedOrRecorded() async throws {
        let (log, folder, timelines) = (LogBook(), try TemporaryFolder(), TimelineBook())
        let transport = CannedTransport { call throws(NetworkError) in
            let body =
                switch call.url.path {
                case "/device":
                    #"{"device_code":"d-code","user_code":"U-CODE","verification_uri":"https://id.example/go","#
                        + #""verification_uri_complete":"https://id.example/go?user_code=U-CODE","interval":1}"#
                case "/revoke": #"{"error":"server_error","error_description":"geheim r-new"}"#
                default: #"{"access_token":"a-new","refresh_token":"r-new","id_token":"id.to.ken"}"#
                }
            return NetworkResponse(
                statusCode: call.url.path == "/revoke" ? 503 : 200, headers: ["Content-Type": "application/json"],
                body: Data(body.utf8), url: call.url)
        }
        let file = folder.url.appending(path: "cassette.json")
        let session = NetworkSession(
            NetworkConfiguration(
                transport: try Cassette(file, .record(through: transport)),
                interceptors: [LoggingInterceptor(to: log, level: .trace)],
                clock: ManualClock(advancesItself: true).networkClock, observers: [timelines.observer]))
        for authentication in [OAuthClient.Authentication.basic(secret: "geheim"), .post(secret: "geheim")] {
            let client = OAuthClient("till-7", authentication, at: ScriptedServer.endpoints, network: session)
            check(dumped(client), "the client")
            let token = try await client.refresh(TokenSet("a-old", refreshToken: "r-old"))
            check(dumped(token), "the token")
            let device = try await client.deviceAuthorization()
            check(dumped(device).replacing("U-CODE", with: ""), "the device authorization")
            _ = try await client.token(for: device)
            let request = try client.browserAuthorization(redirectURL: "shop:/")
            check(dumped(request), "the request")
            let state =
                RequestQuery(parsing: request.url.query(percentEncoded: true) ?? "").items
                .first { $0.name == "state" }?.value ?? ""
            _ = try await request.token(from: URL(string: "shop:/?code=c-code&state=\(state)")!)
            let error = await failure { () async throws(OAuthError) in try await client.revoke(token) }
            check(dumped(try XCTUnwrap(error)), "the error")
            XCTAssertTrue(error?.isTransient == true)
        }
        let form = try await transport.calls[0].form
        XCTAssertTrue(form.contains("r-old"))
        let logged = log.messages.joined(separator: "\n")
        check(logged, "the log")
        XCTAssertTrue(logged.contains("grant_type"), logged)
        check(timelines.timelines.map { "\($0)" }.joined(), "the timelines")
        check(try String(contentsOf: file, encoding: .utf8), "the cassette")
    }
}
