import Foundation
@testable import RecordKitSigning
import TestSupport
import XCTest

final class ChallengeTests: TimedTestCase {
    private func text(_ challenges: [AuthenticationChallenge]) -> [String] {
        challenges.map { challenge in
            let parameters = challenge.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return ([challenge.scheme] + parameters).joined(separator: "|")
        }
    }

    func testFields() {
        let cases: [(fields: [String], challenges: [String])] = [
            ([#"Digest realm="a", nonce=b"#], ["digest|nonce=b|realm=a"]),
            ([#"DIGEST Realm="a",NONCE="b""#], ["digest|nonce=b|realm=a"]),
            (["Digest realm = \"a\" , nonce\t=b"], ["digest|nonce=b|realm=a"]),
            ([#"Basic realm="x", Digest realm="a", nonce="b""#], ["basic|realm=x", "digest|nonce=b|realm=a"]),
            (
                [#"Digest realm="a""#, #"Basic realm="x", charset="UTF-8""#],
                ["digest|realm=a", "basic|charset=UTF-8|realm=x"]
            ),
            (["Negotiate, NTLM"], ["negotiate", "ntlm"]),
            ([#"Negotiate YWJj==, Digest realm="a""#], ["negotiate", "digest|realm=a"]),
            ([#"Negotiate YWJj, Digest realm="a""#], ["negotiate", "digest|realm=a"]),
            (
                [#"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#],
                [#"newauth|realm=apps|title=Login to "apps"|type=1"#, "basic|realm=simple"]
            ),
            (
                [#"Digest realm="a, Basic realm=\"b\"", qop="auth,auth-int""#],
                [#"digest|qop=auth,auth-int|realm=a, Basic realm="b""#]
            ),
            ([#", ,Digest realm="a",, nonce="b","#], ["digest|nonce=b|realm=a"]),
            ([#"Digest realm="a", realm="b""#], ["digest|realm=a"]),
            // What isn't valid is left out.
            ([""], []),
            (["realm=\"a\""], []),
            (["Basic realm=x", "nonce=b"], ["basic|realm=x"]),
            ([#"Digest realm="a"#], ["digest"]),
            ([#"Digest realm="a" nonce="b""#], ["digest"]),
            ([#"Digest realm=, nonce=b c, opaque="""#], ["digest|opaque="]),
            (["Digest realm=\"é\\"], ["digest"]),
        ]
        for (fields, challenges) in cases {
            XCTAssertEqual(text(AuthenticationChallenge.parse(fields)), challenges, "\(fields)")
        }
        XCTAssertEqual(AuthenticationChallenge.parameters(of: #"nextnonce="n2", nc=00000001"#)["nextnonce"], "n2")
    }

    func testALongFieldTakesLinearTime() {
        for part in ["\"", "\\\"", ",", "a=", "a=\"", "Digest ", "=", " "] {
            let clock = ContinuousClock()
            let time = clock.measure {
                _ = AuthenticationChallenge.parse(["Digest " + String(repeating: part, count: 100_000)])
            }
            XCTAssertLessThan(time, .seconds(20), part)
        }
    }
}
