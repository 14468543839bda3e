import Foundation
import RecordKit
import RecordKitTesting
import XCTest

/// A call's own credentials, where a server sends them back.
final class LoggedCredentialTests: XCTestCase {
    func testACredentialThatComesBack() async {
        let key = "k3y/+k3y=="
        let credentials: [Credential] = [.query("k", key), .bearer(key), .header("Till", key)]
        for credential in credentials {
            for echo in [key, #"k3y\/+k3y=="#, "k3y%2F%2Bk3y%3D%3D"] {
                let book = LogBook()
                let headers: HTTPHeaders = ["Content-Type": "application/json", "X-You": echo]
                let network = NetworkConfiguration(
                    CannedTransport(.answer(200, headers, body: "{\"you\":\"\(echo)\"}")),
                    [
                        Authorization(credential, for: "https://store.example"),
                        Logging(to: book, level: .trace, bodyLimit: 15),
                        Logging(to: book, level: .trace),
                    ], clock: ManualClock())
                _ = await network.outcome(of: Ask())
                let text = book.messages.joined(separator: "\n")
                XCTAssertFalse(text.contains("k3y"), text)
                for part in [#"{"you":"redacted"}"#, "X-You: redacted"] { XCTAssertTrue(text.contains(part), text) }
            }
        }
    }

    /// What a plain text holds when it holds these credentials of the call.
    private func echoed(
        _ body: String, _ headers: HTTPHeaders = [:], query: RequestQuery = [:], limit: Int = 10_000
    ) async -> String {
        let book = LogBook()
        let network = NetworkConfiguration(
            CannedTransport(.answer(200, ["Content-Type": "text/plain"], body: body)),
            [Logging(to: book, level: .trace, bodyLimit: limit)], clock: ManualClock())
        _ = await network.outcome(of: Ask(query: query, headers: headers))
        return String(book.messages[1].split(separator: "\n").last ?? "")
    }

    func testOfTwoCredentialsTheLongerIsTakenOutWhole() async {
        let text = await echoed("you sent s3cret-1-more", ["X-Token": "s3cret-1", "X-Secret": "s3cret-1-more"])
        XCTAssertEqual(text, "you sent redacted")
    }

    func testAPasswordAndACookieAreTakenOutWithoutTheRestOfTheirHeaders() async {
        let sent: HTTPHeaders = [
            "Authorization": "basic \(Data("till:s3cret:1".utf8).base64EncodedString())",
            "Cookie": "a=s3cret-a; b=s3cret-b",
        ]
        for secret in ["s3cret:1", "s3cret-a", "s3cret-b"] {
            let text = await echoed("you sent \(secret)", sent)
            XCTAssertEqual(text, "you sent redacted")
        }
    }

    func testAPasswordIsTakenOutAsJSONWritesIt() async {
        let password = #"s3c"r\et/1"#
        let basic = "Basic  \(Data("till:\(password)".utf8).base64EncodedString())"
        for written in [#"s3c\"r\\et/1"#, #"s3c\"r\\et\/1"#, #"s3c\u0022r\\et/1"#] {
            let text = await echoed(#"{"you": "\#(written)"}"#, ["Authorization": basic])
            XCTAssertEqual(text, #"{"you": "redacted"}"#)
        }
    }

    func testAPasswordIsTakenOutHoweverItsCharactersAreEscaped() async {
        let basic = "Basic \(Data("till:s3cré+<&1/😀".utf8).base64EncodedString())"
        for written in [
            #"s3cré+\u003c\u00261/😀"#, #"s3cr\u00E9\u002B\u003C\u00261/\uD83D\uDE00"#, #"s3cr\u00e9+<&1\/\ud83d\ude00"#,
            #"s3cr\\u00e9+<&1\\\/\\ud83d\\ude00"#, "s3cré+&lt;&amp;1/😀", "s3cr&#xE9;&#x2B;&lt;&#38;1/&#128512;",
            "s3cr%c3%a9%2b%3c%261%2f%f0%9f%98%80",
        ] {
            let text = await echoed(#"{"you": "\#(written)"}"#, ["Authorization": basic])
            XCTAssertEqual(text, #"{"you": "redacted"}"#)
        }
        for other in [#"s3cr\u00e9\u002"#, "s3cr%c3%a9%2", "s3cr&#xE9;&#99999999999;", "s3cr&#xE9;&", #"s3cr\u00e9\"#] {
            let text = await echoed("you sent \(other)", ["Authorization": basic])
            XCTAssertEqual(text, "you sent \(other)")
        }
    }

    func testAPasswordWhoseLastSignSeemsToEscapeWhatFollowsIsTakenOut() async {
        let passwords = [
            (#"s3c/ret\"#, #"s3c\/ret\\""#), ("s3c+ret%", "s3c%2Bret%25ab"), ("s3c<ret&", "s3c&lt;ret&amp;lt;"),
        ]
        for (password, written) in passwords {
            let sent: HTTPHeaders = ["Authorization": "Basic \(Data("till:\(password)".utf8).base64EncodedString())"]
            let text = await echoed("you sent \(written)", sent)
            XCTAssertTrue(text.hasPrefix("you sent redacted"), text)
        }
    }

    func testAnEscapedCredentialIsTakenOutWhereverItIsCut() async {
        let written = #"s3cr\u00e9-\ud83d\ude00%2b1"#
        for limit in 3...written.utf8.count {
            let text = await echoed(written + "more", ["X-Api-Key": "s3cré-😀+1"], limit: limit)
            XCTAssertFalse(text.contains("s3c"), text)
            XCTAssertTrue(text.hasPrefix("redacted"), text)
        }
    }

    func testACredentialIsTakenOutWhereAnEscapeIsCutBesideAnother() async {
        for before in ["&k=", "100%-", #"C:"#] {
            let written = before + "s3cr%2"
            let text = await echoed(written + "Bet", ["X-Api-Key": "s3cr+et"], limit: written.utf8.count)
            XCTAssertTrue(text.hasPrefix(before + "redacted… "), text)
        }
    }

    func testACredentialIsTakenOutBehindWhatLooksLikeAnEscape() async {
        for before in ["100%", "&#", #"C:\u"#] {
            let text = await echoed("\(before)41424344;", ["X-Api-Key": "41424344"])
            XCTAssertEqual(text, "\(before)redacted;")
        }
    }

    func testACredentialThatRepeatsItselfIsLookedForInAMoment() async {
        for unit in ["a", "%", "&", #"\"#, "%25"] {
            let key = String(repeating: unit, count: 20_000)
            let text = await echoed(String(repeating: unit, count: 19_999) + "b", ["X-Api-Key": key], limit: 100_000)
            XCTAssertFalse(text.isEmpty)
        }
    }

    func testATokenIsTakenOutWithoutTheNameItHasInItsHeader() async {
        for sent in [
            #"Token token="s3cret-1""#, #"Token user=me, token=s3cret-1"#, #"Token  Token="s3cret-1",user="me""#,
            "AWS4-HMAC-SHA256 Credential=me/1,SignedHeaders=host, Signature=s3cret-1",
        ] {
            let text = await echoed("the user of host sent s3cret-1", ["Authorization": sent])
            XCTAssertEqual(text, "the user of host sent redacted")
        }
    }

    func testACookieInQuotesIsTakenOutWithoutThem() async {
        let text = await echoed("you sent s3cret-a", ["Cookie": #"a="s3cret-a" ; b=1"#])
        XCTAssertEqual(text, "you sent redacted")
    }

    func testACookieThatIsAWordIsLeftInAnAnswer() async {
        let text = await echoed("the default", ["Cookie": "theme=default"])
        XCTAssertEqual(text, "the default")
    }

    func testACookieThatStandsForAWordOrForFewSignsIsLeftInAnAnswer() async {
        let body = #"{"theme": "default", "prefs": {}, "tags": []}"#
        let text = await echoed(body, ["Cookie": "theme=%22default%22; prefs=%7B%7D; tags=%5B%5D"])
        XCTAssertEqual(text, body)
    }

    func testAnEscapedCookieIsTakenOutHoweverItIsWritten() async {
        for written in ["s3cret%2F1%3D", "s3cret/1=", #"s3cret\/1="#] {
            let text = await echoed("you sent \(written)", ["Cookie": "sid=s3cret%2F1%3D"])
            XCTAssertEqual(text, "you sent redacted")
        }
    }

    func testAKeyWithSpacesIsTakenOutHoweverTheyTravel() async {
        for space in [RequestQuery.Space.percent, .plus] {
            var query: RequestQuery = ["api_key": "the s3cret key"]
            query.space = space
            for secret in ["the s3cret key", "the+s3cret+key", "the%20s3cret%20key"] {
                let text = await echoed("you sent \(secret)", query: query)
                XCTAssertEqual(text, "you sent redacted")
            }
        }
    }

    func testACredentialOfFewLettersIsNotLookedForInEveryWord() async {
        let text = await echoed("abacus", ["X-Token": "a"])
        XCTAssertEqual(text, "abacus")
    }

    func testACredentialThatIsCutIsRedactedFromItsThirdByteOn() async {
        for limit in 12...16 {
            let text = await echoed("you sent s3cret99", ["X-Token": "s3cret99"], limit: limit)
            XCTAssertEqual(text, "you sent redacted… (17 bytes in all)", "\(limit)")
        }
    }
}
