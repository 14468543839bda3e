import Foundation
import XCTest

/// Secrets in what is cut, encoded, or no text at all at first sight.
final class HiddenSecretTests: XCTestCase {
    func testAnAddressThatIsCutKeepsItsCredentials() async {
        let bodies = [
            #"{"repository":"https://till:correct-horse@git.store.example/x","next":"https:\/\/a:correct-horse@b\/"}"#,
            "see https://till:correct@horse@git.store.example/x",
        ]
        for body in bodies {
            for limit in 1..<body.utf8.count {
                let text = await LogBook.body(body, "text/plain", limit: limit)
                XCTAssertFalse(text.contains("corr"), text)
            }
        }
    }

    func testAnAddressWithinAValueOfAnother() async {
        let forms = [
            ("redirect=https%3A%2F%2Fa%2F%3Ftoken%3Ds3cret&b=1", "redirect=redacted&b=1"),
            ("to=https%3A%2F%2Fme%3As3cret%40a%2F", "to=redacted"),
            ("to=https%253A%252F%252Fa%253Fpin%253Ds3cret", "to=redacted"),
            ("to=https%3A%2F%2Fa%2F%3Fpage%3D2", "to=https%3A%2F%2Fa%2F%3Fpage%3D2"),
            // What is no UTF-8, and what is no encoding.
            ("to=https%3A%2F%2Fa%2F%3Fn%3D%E9%26token%3Ds3cret", "to=redacted"),
            ("to=https%3A%2F%2Fa%2F%3Ftoken%3Ds3cret%", "to=redacted"),
            ("to=https%3A%2F%2Fme%3As3%20cret%40a%2F", "to=redacted"),
            ("note=at+//store,+me@store.example", "note=at+//store,+me@store.example"),
        ]
        for (body, expected) in forms {
            let form = await LogBook.body(body, "application/x-www-form-urlencoded")
            XCTAssertEqual(form, expected)
            let address = await LogBook.body("https://h/?\(body)", "text/plain")
            XCTAssertEqual(address, "https://h/?" + expected)
        }
    }

    func testAPartOfANameTells() async {
        for name in [
            "user[otp]", "user.pwd", "otp[0]", "cookie[]", "pwd[0][value]", "pin[first]", "my.pin.code",
            "password[page_token]",
        ] {
            let text = await LogBook.body("\(name)=s3cret", "application/x-www-form-urlencoded")
            XCTAssertEqual(text, "\(name)=redacted")
        }
        for name in ["cookie.consent", "otp.is.on", "options[max_tokens]", "filter.page_token", "pins[0]"] {
            let text = await LogBook.body("\(name)=1", "application/x-www-form-urlencoded")
            XCTAssertEqual(text, "\(name)=1")
        }
    }

    func testATextWhoseLettersAreNoBytesIsCounted() async throws {
        let json = #"{"password":"s3cret"}"#
        let bodies: [(String.Encoding, String)] = [
            (.utf16LittleEndian, "application/json; charset=utf-16le"), (.utf16BigEndian, "application/json"),
            (.utf16, "text/plain"), (.utf32LittleEndian, "application/xml; charset=UTF-32LE"),
        ]
        for (encoding, type) in bodies {
            let body = try XCTUnwrap(json.data(using: encoding))
            let text = await LogBook.body(body, type)
            XCTAssertEqual(text, "  (\(body.count) bytes of \(type.prefix { $0 != ";" }))")
        }
    }
}
