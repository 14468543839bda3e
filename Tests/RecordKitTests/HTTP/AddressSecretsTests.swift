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
    }

    func testAPathMayHaveParameters() {
        XCTAssertEqual(redacted("see /shop;jsessionid=S3CRET for more"), "see /shop;jsessionid=redacted for more")
    }

    func testASecretMayHoldAQuestionMark() {
        XCTAssertEqual(redacted("/shop?token=S3?CRET&page=2"), "/shop?token=redacted&page=2")
    }
}
