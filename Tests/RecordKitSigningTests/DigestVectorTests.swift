import RecordKit
import RecordKitDigest
import RecordKitInterceptors
@testable import RecordKitSigning
import RecordKitTesting
import TestSupport
import XCTest

/// What is sent in response to a challenge.
final class DigestVectorTests: TimedTestCase {
    /// Returns the second `Authorization` of a call whose first response is a challenge.
    private func authorization(
        _ challenge: String, user: String, password: String, nonce: String, url: String = "https://store.example",
        _ ask: Ask<Data> = Ask()
    ) async -> String? {
        let transport = CannedTransport(.answer(401, ["WWW-Authenticate": challenge]), .answer(200))
        let interceptor = DigestInterceptor(user: user, password: password, .origin(url)) { nonce }
        let configuration = NetworkConfiguration(
            environment: NetworkEnvironment(url), transport: transport, interceptors: [interceptor])
        _ = await NetworkSession(configuration).outcome(of: ask)
        XCTAssertNil(transport.calls.first?.headers["Authorization"])
        return transport.calls.count == 2 ? transport.calls[1].headers["Authorization"] : nil
    }

    /// RFC 7616 section 3.9.1.
    func testMD5AndSHA256() async {
        let responses = [
            "MD5": "8ca523f5e9506fed4657c9700eebdbec",
            "SHA-256": "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
        ]
        for (algorithm, response) in responses {
            let sent = await authorization(
                #"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\#(algorithm), "#
                    + #"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "#
                    + #"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#,
                user: "Mufasa", password: "Circle of Life", nonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
                url: "http://www.example.org", Ask(path: "dir/index.html"))
            XCTAssertEqual(
                sent,
                #"Digest username="Mufasa", realm="http-auth@example.org", "#
                    + #"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", uri="/dir/index.html", "#
                    + #"algorithm=\#(algorithm), qop=auth, nc=00000001, "#
                    + #"cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", response="\#(response)", "#
                    + #"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#)
        }
    }

    /// RFC 7616 section 3.9.2, with the values of erratum 4897.
    func testSHA512Of256AndUserhash() async throws {
        for decomposed in [false, true] {
            let user = decomposed ? "Ja\u{308}s\u{f8}n Doe" : "J\u{e4}s\u{f8}n Doe"
            for userhash in ["true", "false"] {
                let sent = await authorization(
                    #"Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, "#
                        + #"nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", "#
                        + #"opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8,"#
                        + #" userhash=\#(userhash)"#,
                    user: user, password: "Secret, or not?", nonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v",
                    url: "http://api.example.org", Ask(path: "doe.json"))
                let field = try XCTUnwrap(sent)
                XCTAssertTrue(
                    field.contains(#"response="3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5""#))
                XCTAssertTrue(
                    field.contains(
                        userhash == "true"
                            ? #"username="793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b""#
                            : "username*=UTF-8''J%C3%A4s%C3%B8n%20Doe,"))
                XCTAssertEqual(field.contains("userhash=true"), userhash == "true")
            }
        }
    }

    /// The values were computed with OpenSSL.
    func testOtherForms() async throws {
        let post = Ask<Data>(method: .post, content: "one copy")
        let query = Ask<Data>(query: ["a": "b"])
        let cases: [(challenge: String, user: String, ask: Ask<Data>, parts: [String])] = [
            (
                "realm=r, nonce=n, algorithm=SHA-256-sess, qop=auth", "u", post,
                [#"response="01da9bd2408d9fb1e3f888cf613139b0c1573c0740f17a871df06777c8834b18""#, "qop=auth,"]
            ),
            (
                "realm=r, nonce=n, qop=auth-int", "u", post,
                [#"response="81e4900bdd61ad2b0e6389aea0eec931""#, "qop=auth-int,"]
            ),
            (
                #"realm=r, nonce=n, algorithm="SHA-512-256-sess", qop="token, auth-int""#, "u", query,
                [#"response="25baa827d2c70ecbeae5ab97f3dad79bd2c23449f27c13f50b82504500cce72a""#, #"uri="/ask?a=b""#]
            ),
            ("realm=r, nonce=n", "u", Ask(), [#"response="36c95e8b8af9f1272e1949ce150a1b41""#]),
            (#"realm=r, nonce=n, qop="""#, "u", Ask(), [#"response="36c95e8b8af9f1272e1949ce150a1b41""#]),
            ("realm=r, nonce=n, qop=token", "u", Ask(), [#"response="36c95e8b8af9f1272e1949ce150a1b41""#]),
            (
                #"realm="r\"x", nonce=n, qop=auth"#, #"a"b\c"#, Ask(),
                [#"response="0f2d0e24547fe4271cd3f1a4b8f68e2f""#, #"username="a\"b\\c""#, #"realm="r\"x""#]
            ),
            // Apache knows `username` alone, and names no charset.
            ("realm=r, nonce=n, qop=auth", "Jäsøn", Ask(), [#"username="Jäsøn","#]),
            ("realm=r, nonce=n, charset=\"utf-8\"", "Jäsøn", Ask(), ["username*=UTF-8''J%C3%A4s%C3%B8n,"]),
        ]
        for (challenge, user, ask, parts) in cases {
            let sent = await authorization("Digest " + challenge, user: user, password: "p", nonce: "c", ask)
            for part in parts { XCTAssertTrue(try XCTUnwrap(sent).contains(part), "\(challenge): \(sent ?? "")") }
        }
    }

    func testTheFirstChallengeThatIsSupportedIsAnswered() async throws {
        let cases: [(challenges: String, part: String?)] = [
            ("Digest realm=r, nonce=a, algorithm=SHA-1, Digest realm=r, nonce=b", #"nonce="b""#),
            // An unknown qop is ignored.
            ("Digest realm=r, nonce=a, qop=token, Basic realm=r, Digest realm=r, nonce=b", #"nonce="a", uri="#),
            ("Digest realm=r, nonce=a, algorithm=SHA-256, Digest realm=r, nonce=b", #"nonce="a""#),
            ("Digest nonce=a", nil),
            ("Digest realm=r", nil),
            ("Digest realm=r, nonce=\"\"", #"nonce="""#),
            ("Basic realm=r", nil),
            ("Digest realm=r, nonce=\(String(repeating: "n", count: 9000))", nil),
        ]
        for (challenges, part) in cases {
            let sent = await authorization(challenges, user: "u", password: "p", nonce: "c")
            XCTAssertEqual(sent != nil, part != nil, challenges)
            if let part { XCTAssertTrue(try XCTUnwrap(sent).contains(part), challenges) }
        }
    }

    /// RFC 9110 section 11.6.1, and what servers make of it.
    func testFieldsOfChallenges() async throws {
        let cases: [(field: String, realm: String?)] = [
            (#"Digest realm="a", nonce=b"#, "a"), (#"DIGEST Realm="a",NONCE="b""#, "a"),
            ("Digest realm = \"a\" , nonce\t=b", "a"), (#"Basic realm="x", Digest realm="a", nonce="b""#, "a"),
            (#"Digest realm="a", nonce=b, Basic realm="x", charset="UTF-8""#, "a"), ("Negotiate, NTLM", nil),
            (#"Negotiate YWJj==, Digest realm="a", nonce=b"#, "a"),
            (#"Negotiate YWJj, Digest realm="a", nonce=b"#, "a"),
            (#"Newauth realm="apps", type=1, title="Login to \"apps\"", Digest realm="a", nonce=b"#, "a"),
            (#"Digest realm="a, Basic realm=\"b\"", qop="auth,auth-int", nonce=b"#, #"a, Basic realm=\"b\""#),
            (#", ,Digest realm="a",, nonce="b","#, "a"), (#"Digest realm="a", realm="b", nonce=b"#, "a"),
            (#"Digest realm="é", nonce=b"#, "é"), (#"Digest realm="", nonce=b"#, ""),
            // What isn't valid is left out.
            ("", nil), (#"realm="a", nonce=b"#, nil), (#"Digest realm="a"#, nil), (#"Digest realm="a" nonce="b""#, nil),
            ("Digest realm=, nonce=b", nil), ("Digest realm=a, nonce=b c", nil), ("Digest realm=\"é\\", nil),
        ]
        for (field, realm) in cases {
            let sent = await authorization(field, user: "u", password: "p", nonce: "c")
            XCTAssertEqual(sent != nil, realm != nil, field)
            if let realm { XCTAssertTrue(sent?.contains("realm=\"\(realm)\", nonce=\"b\"") == true, field) }
        }
    }

    /// MD5 of bodies of all lengths around its blocks. The value was computed with hashlib.
    func testBodiesOfAllLengths() async throws {
        var all = MessageDigest(.sha256)
        for count in 0...300 {
            let body = Data((0..<count).map { UInt8($0 * 7 % 256) })
            let sent = await authorization(
                "Digest realm=r, nonce=n, qop=auth-int", user: "u", password: "p", nonce: "c",
                Ask(method: .post, content: body))
            let response = try XCTUnwrap(sent?.firstMatch(of: /response="([^"]*)"/)?.1)
            all.update(Data(response.utf8))
        }
        XCTAssertEqual(all.hexadecimal, "6f6bdc42762f6dffd1af81ee25219be2efef3578ae0f4e27614f2c68d60e55a6")
    }
}
