import RecordKit
import RecordKitInterceptors
import RecordKitOAuth
import RecordKitTesting
import TestSupport
import XCTest

/// The device authorization grant, by a clock that moves itself.
final class DeviceTests: TimedTestCase {
    private func start(_ more: String = "") -> CannedTransport.Turn {
        .answer(
            200,
            body: #"{"device_code":"dc","user_code":"WDJB-MJHT","verification_uri":"https://id.example/go"\#(more)}"#)
    }

    private let pending = CannedTransport.Turn.answer(400, body: #"{"error":"authorization_pending"}"#)
    private let done = CannedTransport.Turn.answer(200, body: #"{"access_token":"a"}"#)

    func testThePersonSignsInElsewhere() async throws {
        let server = ScriptedServer(
            start(#","verification_uri_complete":"https://id.example/go?c=WDJB","expires_in":600,"interval":2"#),
            pending, pending, done)
        let client = server.client(scopes: ["read"])
        let device = try await client.deviceAuthorization()
        XCTAssertEqual(device.userCode, "WDJB-MJHT")
        XCTAssertEqual(device.verificationURL.absoluteString, "https://id.example/go")
        XCTAssertEqual(device.completeURL?.absoluteString, "https://id.example/go?c=WDJB")
        XCTAssertEqual(device.expiry, server.clock.date.addingTimeInterval(600))
        assertEqual(try await client.token(for: device), TokenSet("a", scope: "read"))
        XCTAssertEqual(server.clock.sleeps, Array(repeating: .seconds(2), count: 3))
        let forms = try await server.forms
        XCTAssertEqual(forms[0], "scope=read&client_id=till-7")
        XCTAssertEqual(
            forms[1],
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=dc&client_id=till-7")
    }

    /// The waits in seconds, and how it ends.
    func testHowOftenTheServerIsAsked() async throws {
        let slow = CannedTransport.Turn.answer(400, body: #"{"error":"slow_down"}"#)
        let timeout = CannedTransport.Turn.fail(
            .timedOut(NetworkError.Timeout(limit: .attempt, after: .seconds(60), host: "id.example:443")))
        let table: [(String, [CannedTransport.Turn], waits: [Double], ends: String)] = [
            ("", [done], [5], "a"), (#","interval":0"#, [done], [5], "a"), (#","interval":-3"#, [done], [5], "a"),
            (#","interval":"7""#, [done], [7], "a"), (#","interval":1e9"#, [done], [300], "a"),
            (#","interval":0.001"#, [done], [1], "a"), ("", [slow, slow, pending, done], [5, 10, 15, 15], "a"),
            ("", [.fail(.lost), timeout, pending, done], [5, 10, 20, 20], "a"),
            ("", [.answer(503, body: "<html>"), done], [5, 10], "a"),
            (
                #","expires_in":9000"#, Array(repeating: .answer(503), count: 8) + [done],
                [5, 10, 20, 40, 80, 160, 300, 300, 300], "a"
            ),
            ("", [.answer(400, body: #"{"error":"access_denied"}"#)], [5], "access_denied"),
            ("", [.answer(400, body: #"{"error":"expired_token"}"#)], [5], "expired_token"),
            ("", [.answer(200, body: #"{"error":"authorization_pending"}"#), done], [5, 5], "a"),
            ("", [.answer(200, body: "<html>")], [5], "no access_token"),
            (#","expires_in":12"#, [pending], [5, 5, 2], "wasn't finished in time"),
            (#","expires_in":-1,"interval":300"#, [pending], Array(repeating: 300, count: 6), "in time"),
        ]
        for (more, turns, waits, ends) in table {
            let server = ScriptedServer([start(more)] + turns)
            let device = try await server.client().deviceAuthorization()
            let result: String
            do {
                result = try await server.client().token(for: device).accessToken
            } catch {
                result = error.description
            }
            XCTAssertTrue(result.contains(ends), "\(more): \(result)")
            XCTAssertEqual(server.clock.sleeps, waits.map { .seconds($0) }, more)
        }
    }

    func testTheWaitEndsWithItsTask() async throws {
        let clock = ManualClock()
        let server = ScriptedServer(start(), pending)
        let client = OAuthClient(
            "till-7", at: ScriptedServer.endpoints,
            network: NetworkSession(NetworkConfiguration(transport: server.transport, clock: clock.networkClock)))
        let device = try await client.deviceAuthorization()
        let task = Task { await failure { () async throws(OAuthError) in try await client.token(for: device) } }
        await clock.waitForSleepers(1)
        task.cancel()
        guard case .network(.cancelled)? = await task.value else { return XCTFail("not cancelled") }
    }

    func testAnUnusableStartIsRefused() async throws {
        let table = [
            #"{}"#, #"{"device_code":"d","user_code":"u"}"#,
            #"{"device_code":"d","user_code":"u","verification_uri":"javascript:alert(1)"}"#,
            #"{"device_code":"d","user_code":"u","verification_uri":"file:///etc/passwd"}"#,
            #"{"device_code":"d","user_code":"\u001b[2J","verification_uri":"https://id.example/go"}"#,
            #"{"device_code":"d","user_code":"A\u202eB","verification_uri":"https://id.example/go"}"#,
            #"{"device_code":"d","user_code":"A\u2066B","verification_uri":"https://id.example/go"}"#,
            #"{"device_code":"d","user_code":"A\u2028B","verification_uri":"https://id.example/go"}"#,
            #"{"user_code":"u","verification_uri":"https://id.example/go"}"#,
        ]
        for body in table {
            let server = ScriptedServer(.answer(200, body: body))
            let error = await failure { () async throws(OAuthError) in try await server.client().deviceAuthorization() }
            guard case .badResponse? = error else { return XCTFail("\(body): \(String(describing: error))") }
        }
        let server = ScriptedServer(start())
        let error = await failure { () async throws(OAuthError) in
            try await server.client(at: OAuthServer(tokenURL: "https://id.example/token")).deviceAuthorization()
        }
        XCTAssertTrue(error?.description.contains("no device authorization endpoint") == true, "\(error as Any)")
    }
}
