import Foundation
import RecordKit
import XCTest

final class AddressSecretsTests: XCTestCase {
    private func redacted(_ text: String) -> String {
        AddressSecrets.redacted(text, SecretNames([]))
    }

    func testAnAmpersandMayBeWrittenAsXMLAndJSONWriteIt() {
        XCTAssertEqual(
            redacted("<Url>https://a.example/f?sv=1&amp;sig=S3CRET&amp;se=2</Url>"),
            "<Url>https://a.example/f?sv=1&amp;sig=redacted&amp;se=2</Url>")
        XCTAssertEqual(redacted("https://a.example/f?a=1&#38;sig=S3CRET"), "https://a.example/f?a=1&#38;sig=redacted")
        XCTAssertEqual(
            redacted(#""https://a.example/f?a=1\u0026sig=S3CRET""#), #""https://a.example/f?a=1\u0026sig=redacted""#)
    }

    func testAnEqualsSignMayBeWrittenAsAnEscapeOfJSON() {
        XCTAssertEqual(
            redacted(#""https://a.example/f?token\u003dS3CRET\u0026page\u003d2""#),
            #""https://a.example/f?token\u003dredacted\u0026page\u003d2""#)
    }

    func testAPasswordMayHoldAnAtSign() {
        XCTAssertEqual(redacted("see https://ann:p@ss@a.example/x@y."), "see https://redacted@a.example/x@y.")
        XCTAssertEqual(redacted(#""https:\/\/ann:p@a.example\/x""#), #""https:\/\/redacted@a.example\/x""#)
    }

    func testAPathMayHaveParameters() {
        XCTAssertEqual(redacted("see /shop;jsessionid=S3CRET for more"), "see /shop;jsessionid=redacted for more")
        XCTAssertEqual(
            URL(string: "https://a.example/shop;jsessionid=S3CRET")?.redacted([]),
            "https://a.example/shop;jsessionid=redacted")
    }

    func testNothingButAnAmpersandOrAHashEndsASecretOfAnAddress() throws {
        for (address, expected) in [
            "https://a.example/f?token=S3,CR;ET'S&page=2#top": "https://a.example/f?token=redacted&page=2#top",
            "https://o'ann:p@a.example/f?page=2": "https://redacted@a.example/f?page=2",
            "https://a.example/f?my'token=S3CRET": "https://a.example/f?my'token=redacted",
        ] {
            XCTAssertEqual(try XCTUnwrap(URL(string: address)).redacted([]), expected)
        }
    }

    func testTheValueOfAnItemMayBeJSON() throws {
        for (value, expected) in [
            #"{"user":{"password":"S3CRET"}}"#: "redacted", #"["a", {"token":"S3"#: "redacted",
            #"{"page":2}"#: "%7B%22page%22%3A2%7D",
        ] {
            let call = try Ask<Data>(query: ["where": value]).call(in: "https://a.example")
            XCTAssertEqual(call.url.redacted([]), "https://a.example/ask?where=\(expected)")
        }
    }

    func testAFragmentMayHoldASecret() throws {
        for (address, expected) in [
            "https://a.example/f#access_token=S3CRET&page=2": "https://a.example/f#access_token=redacted&page=2",
            "https://a.example/f?a=1&sig=S3CRET#sig=S3CRET": "https://a.example/f?a=1&sig=redacted#sig=redacted",
            "https://a.example/f?a&&b=#top": "https://a.example/f?a&&b=#top",
        ] {
            XCTAssertEqual(try XCTUnwrap(URL(string: address)).redacted([]), expected)
            XCTAssertEqual(redacted(address), expected)
        }
    }

    func testASecretMayHoldAQuestionMark() {
        XCTAssertEqual(redacted("/shop?token=S3?CRET&page=2"), "/shop?token=redacted&page=2")
    }
}
