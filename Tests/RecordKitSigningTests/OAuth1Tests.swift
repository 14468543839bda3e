import RecordKit
import RecordKitDigest
import RecordKitInterceptors
@testable import RecordKitSigning
import RecordKitTesting
import TestSupport
import XCTest

final class OAuth1Tests: TimedTestCase {
    private let printer = OAuth1Client(key: "dpf43f3p2l4k3l03", secret: "kd94hf93k423kf44", realm: "Photos")

    private func url(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/") }

    private func call(_ method: HTTPMethod, _ text: String, _ time: Double, body: String? = nil) -> NetworkCall {
        let form = body.map { EncodedBody(Data($0.utf8), contentType: "application/x-www-form-urlencoded") }
        let clock = ManualClock(date: Date(timeIntervalSince1970: time))
        return NetworkCall(url: url(text), method: method, body: form, clock: clock.networkClock)
    }

    /// RFC 5849 section 1.2.
    func testTheThreeRequestsOfTheExample() async throws {
        let first = try await printer.authorization(
            for: call(.post, "https://photos.example.net/initiate", 137_131_200), token: nil, nonce: "wIjqoS",
            parameters: ["oauth_callback": "http://printer.example.com/ready"])
        XCTAssertEqual(
            first,
            #"OAuth realm="Photos", oauth_consumer_key="dpf43f3p2l4k3l03", oauth_signature_method="HMAC-SHA1", "#
                + #"oauth_timestamp="137131200", oauth_nonce="wIjqoS", "#
                + #"oauth_callback="http%3A%2F%2Fprinter.example.com%2Fready", "#
                + #"oauth_signature="74KNZJeDHnMBp0EMJ9ZHt%2FXKycU%3D""#)
        let second = try await printer.authorization(
            for: call(.post, "https://photos.example.net/token", 137_131_201),
            token: OAuth1Token("hh5s93j4hdidpola", secret: "hdhd0244k9j7ao03"), nonce: "walatlh",
            parameters: ["oauth_verifier": "hfdp7dh39dks9884"])
        XCTAssertTrue(second.contains(#"oauth_signature="gKgrFCywp7rO0OXSjdot%2FIHF7IU%3D""#), second)
        let third = try await printer.authorization(
            for: call(.get, "http://photos.example.net/photos?file=vacation.jpg&size=original", 137_131_202),
            token: OAuth1Token("nnch734d00sl2jdk", secret: "pfkkdhi9sl3r4s00"), nonce: "chapoH")
        XCTAssertTrue(third.contains(#"oauth_signature="MdpQcU8iPSUjWoN%2FUDMsK2sui9I%3D""#), third)
    }

    /// RFC 5849 section 3.1, with the value of erratum 2550: query, form, repeated and empty parameters.
    func testTheExampleWithAForm() async throws {
        let client = OAuth1Client(key: "9djdj82h48djs9d2", secret: "j49sk3j29djd")
        let token = OAuth1Token("kkk9d7dh3k39sjv7", secret: "dh893hdasih9")
        let address = "http://EXAMPLE.COM:80/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b"
        let interceptor = OAuth1Interceptor(client, token, "http://example.com") { "7d8f3e4a" }
        let transport = CannedTransport()
        _ = try await interceptor.intercept(call(.post, address, 137_131_201, body: "c2&a3=2+q")) {
            (call) async throws(NetworkError) in try await transport.exchange(call)
        }
        let sent = try XCTUnwrap(transport.calls.first?.headers["Authorization"])
        XCTAssertTrue(sent.hasSuffix(#"oauth_signature="r6%2FTJjbCOr97%2F%2BUU0NsvSne7s5g%3D""#), sent)
    }

    func testPlaintextAndSHA256() async throws {
        let token = OAuth1Token("t", secret: "a&b")
        var client = OAuth1Client(key: "k", secret: "s c", method: .plaintext)
        let plain = try await client.authorization(for: call(.get, "https://a.example/", 1), token: token, nonce: "n")
        XCTAssertTrue(plain.hasSuffix(#"oauth_signature="s%2520c%26a%2526b""#), plain)
        XCTAssertTrue(plain.contains(#"oauth_timestamp="1", oauth_nonce="n""#), "services require both")
        client.method = .hmacSHA256
        let signed = try await client.authorization(for: call(.get, "https://a.example/", 1), token: token, nonce: "n")
        let base =
            "GET&https%3A%2F%2Fa.example%2F&oauth_consumer_key%3Dk%26oauth_nonce%3Dn"
            + "%26oauth_signature_method%3DHMAC-SHA256%26oauth_timestamp%3D1%26oauth_token%3Dt"
        let code = KeyedDigest.of(Data(base.utf8), .sha256, key: Data("s%20c&a%26b".utf8)).base64
        XCTAssertTrue(signed.hasSuffix("oauth_signature=\"\(code.percentEncoded)\""), signed)

        client.method = .plaintext
        let interceptor = OAuth1Interceptor(client, token, for: "http://store.example")
        let transport = CannedTransport()
        let error = await networkError {
            try await interceptor.intercept(call(.get, "http://store.example/", 1)) {
                (call) async throws(NetworkError) in try await transport.exchange(call)
            }
        }
        XCTAssertTrue("\(String(describing: error))".contains("PLAINTEXT would send the secrets over http"))
        XCTAssertEqual(transport.calls.count, 0)
        for text in ["\(client)", "\(token)", "\(interceptor)"] {
            XCTAssertFalse(text.contains("a&b") || text.contains("s c"), text)
        }
    }

    private func signIn(_ server: LoopbackServer) -> OAuth1SignIn {
        let url = server.url
        return OAuth1SignIn(
            printer, requestTokenURL: url.appending(path: "request"), authorizationURL: url.appending(path: "page"),
            accessTokenURL: url.appending(path: "access"), callback: "com.example.store:/done",
            in: NetworkSession(NetworkConfiguration(url)))
    }

    func testAPersonIsSignedIn() async throws {
        let server = try LoopbackServer { request in
            request.path == "/request"
                ? .text("oauth_token=te%20mp&oauth_token_secret=ts&oauth_callback_confirmed=true")
                : .text("oauth_token=real&oauth_token_secret=rs&user_id=7")
        }
        let signIn = signIn(server)
        let pending = try await signIn.start()
        XCTAssertEqual(pending.url.absoluteString, "\(server.url)/page?oauth_token=te%20mp")
        XCTAssertFalse("\(pending)".contains("ts"))
        // RFC 8252 section 7.1: the scheme of an app, with and without slashes.
        for redirect in ["com.example.store:/done", "com.example.store:done", "store://done", "https://h/done"] {
            let token = try await pending.token(from: url("\(redirect)?oauth_token=te%20mp&oauth_verifier=v#x"))
            XCTAssertEqual(token, OAuth1Token("real", secret: "rs"))
        }
        let sent = try server.requests.map { try XCTUnwrap($0.header("Authorization")) }
        XCTAssertTrue(sent[0].contains(#"oauth_callback="com.example.store%3A%2Fdone""#))
        XCTAssertTrue(sent[1].contains(#"oauth_verifier="v""#) && sent[1].contains(#"oauth_token="te%20mp""#))
        XCTAssertEqual(Set(server.requests.map(\.method)), ["POST"])
    }

    func testSignInsThatFail() async throws {
        let server = try LoopbackServer(responses: [
            .text("oauth_token=t&oauth_token_secret=s&oauth_callback_confirmed=true")
        ])
        let pending = try await signIn(server).start()
        for (redirect, expected) in [
            ("store://done?denied=t", "refused"), ("store://done?oauth_problem=user_refused", "refused"),
            ("store://done?oauth_token=t", "refused"), ("store://done?oauth_token=x&oauth_verifier=v", "another"),
            ("store://done", "another"),
        ] {
            let error = await failure { () async throws(OAuth1SignInError) in
                try await pending.token(from: url(redirect))
            }
            XCTAssertTrue("\(try XCTUnwrap(error))".contains(expected), redirect)
        }
        for (response, expected) in [
            (StubResponse.text("oauth_token=t&oauth_token_secret=s"), "confirm"),
            (.text("<html>"), "confirm"), (.text("oauth_callback_confirmed=true"), "oauth_token"),
            (.status(401), "401"), (.redirect(to: "/elsewhere"), "302"),
            (.text(String(repeating: "a", count: 100_000)), "65536"),
        ] {
            let server = try LoopbackServer(responses: [response])
            let error = await failure { () async throws(OAuth1SignInError) in try await signIn(server).start() }
            XCTAssertTrue("\(try XCTUnwrap(error))".contains(expected), "\(String(describing: error))")
            XCTAssertEqual(server.requests.count, 1)
        }
    }
}
