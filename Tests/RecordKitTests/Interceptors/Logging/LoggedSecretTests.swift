import Foundation
import RecordKit
import RecordKitTesting
import XCTest

final class LoggedSecretTests: XCTestCase {
    func testInJSON() async {
        let bodies: [(String, String)] = [
            (#"{"password":"s3cret","sku":"LP"}"#, #"{"password":"redacted","sku":"LP"}"#),
            (#"{ "access_token" : "s3\"cret" , "a":1}"#, #"{ "access_token" : "redacted" , "a":1}"#),
            (
                #"{"refresh_token":"s3cret","client_secret":"s3cret"}"#,
                #"{"refresh_token":"redacted","client_secret":"redacted"}"#
            ),
            (#"{"till":12345,"b":[1]}"#, #"{"till":redacted,"b":[1]}"#),
            (#"{"a":{"pin":[1,{"x":"]"}]},"b":2}"#, #"{"a":{"pin":redacted},"b":2}"#),
            (#"{"password":null,"token":true,"secret":""}"#, #"{"password":null,"token":true,"secret":""}"#),
            (#"{"pass\u0077ord":"s3cret"}"#, #"{"pass\u0077ord":"redacted"}"#),
            (#"{"body":"{\"password\":\"s3cret\"}","c":"d\"e"}"#, #"{"body":"redacted","c":"d\"e"}"#),
            (#"{"note":"password: none","sku":"x"}"#, #"{"note":"password: none","sku":"x"}"#),
            (#"{"password":"s3cr"#, #"{"password":"redacted"#),
            (#"{"password":["s3cret""#, #"{"password":redacted"#),
            (
                "{\"password\":\"s3cret\"}\n{\"password\":\"s3cret\"}",
                "{\"password\":\"redacted\"}\n{\"password\":\"redacted\"}"
            ),
            ("\"", "\""), ("{\"a\\", "{\"a\\"), ("{\"password\":", "{\"password\":"), ("[\"\\u12", "[\"\\u12"),
        ]
        for (body, expected) in bodies {
            let text = await LogBook.body(body, "application/problem+json; charset=utf-8")
            XCTAssertEqual(text, expected)
        }
    }

    func testACutBodyKeepsItsSecretToo() async {
        let bodies = [
            (#"{"sku":"LP","password":"s3cret","a":1}"#, "application/json"),
            ("a=%7B%22pin%22%3A%22s3cret%22%7D&b=1", "application/x-www-form-urlencoded"),
        ]
        for (body, type) in bodies {
            for limit in 0...body.utf8.count {
                let text = await LogBook.body(body, type, limit: limit)
                XCTAssertFalse(text.contains("s3"), text)
            }
        }
    }

    func testInXML() async {
        let bodies = [
            ("<a><password>s3cret</password><b>1</b></a>", "<a><password>redacted</password><b>1</b></a>"),
            (
                "<s:Token xmlns:s=\"u\" id='1'>s3<i>cr</i>et</s:Token>",
                "<s:Token xmlns:s=\"u\" id='1'>redacted</s:Token>"
            ),
            ("<user pin=\"s3cret\" name='a>b'/>", "<user pin=\"redacted\" name='a>b'/>"),
            ("<!-- <password>s3cret</password> --><c/>", "<!-- <password>redacted</password> --><c/>"),
            ("<password><password>s3</password>cret</password>x", "<password>redacted</password>x"),
            ("<password/><a>b</a>", "<password/><a>b</a>"), ("<a pin=\"\"/>", "<a pin=\"\"/>"),
            ("<s:pin xmlns:s=\"u\">s3cret</s:pin>", "<s:pin xmlns:s=\"u\">redacted</s:pin>"),
            ("<password>s3cret", "<password>redacted"),
            ("<a><", "<a><"), ("<password", "<password"), ("<a b=\"", "<a b=\""), ("<a b", "<a b"),
        ]
        for (body, expected) in bodies {
            let text = await LogBook.body(body, "application/xml")
            XCTAssertEqual(text, expected)
        }
    }

    func testInFormsAndPlainText() async {
        let forms = [
            ("user=a&password=s3cret&b=", "user=a&password=redacted&b="),
            ("client%5Fsecret=s3cret", "client%5Fsecret=redacted"), ("door+code=s3cret", "door+code=redacted"),
            ("password", "password"), ("=&&", "=&&"),
            (
                "user%5Bpin%5D=s3cret&user.otp=s3cret&pin[]=s3cret",
                "user%5Bpin%5D=redacted&user.otp=redacted&pin[]=redacted"
            ),
            ("keys[door+code]=s3cret&pins[0]=4", "keys[door+code]=redacted&pins[0]=4"),
            ("a=%7B%22pin%22%3A+%22s3cret%22%7D&b={\"pin\":1}&c=%22x%22", "a=redacted&b=redacted&c=%22x%22"),
        ]
        for (body, expected) in forms {
            let text = await LogBook.body(body, "application/x-www-form-urlencoded")
            XCTAssertEqual(text, expected)
        }
        let texts = [
            ("access_token=s3cret&scope=all", "access_token=redacted&scope=all"),
            ("Authorization: Bearer s3cret\nb", "Authorization: redacted\nb"),
            ("see https://h/?pin=s3cret now", "see https://h/?pin=redacted"),
            (
                "user[pin]=s3cret&a%5Botp%5D=s3cret\n[pin: s3cret",
                "user[pin]=redacted&a%5Botp%5D=redacted\n[pin: redacted"
            ),
            ("password = s3cret\n'token' : 's3cret'", "password = redacted\n'token' : 'redacted'"),
            (#"data: {"password": "s3, cret"}"#, #"data: {"password": "redacted"}"#),
            // One within another, and two of two kinds side by side.
            (#"{"password": {"a": "token=s3cret", "b": "s3cret"}} end"#, #"{"password": redacted} end"#),
            (#"{"password": "s3cret"} token=s3cret"#, #"{"password": "redacted"} token=redacted"#),
        ]
        for (body, expected) in texts {
            let text = await LogBook.body(body, "text/plain")
            XCTAssertEqual(text, expected)
        }
    }

    func testInAddresses() async {
        let headers: HTTPHeaders = [
            "Location": "https://me:s3cret@h/back?pin=s3cret&page=2#access_token=s3cret",
            "Content-Location": "//me:s3cret@h/back//at@h", "Link": "<https://h/?page=3&api_key=s3cret>; rel=\"next\"",
            "Content-Type": "application/json",
        ]
        let book = LogBook()
        var network = NetworkConfiguration(
            CannedTransport(.answer(200, headers, body: #"{"next":"https:\/\/h\/?a=1&pin=s3cret"}"#)),
            [Logging(to: book, level: .trace)], clock: ManualClock())
        network.secretNames = ["pin"]
        let outcome = await network.outcome(of: Ask(headers: ["Referer": "https://h/?token=s3cret"]))
        XCTAssertNotNil(try? outcome.get())

        let text = book.messages.joined(separator: "\n")
        XCTAssertFalse(text.contains("s3cret"), text)
        XCTAssertTrue(text.contains("https://redacted@h/back?pin=redacted&page=2#access_token=redacted"), text)
        XCTAssertTrue(text.contains("Content-Location: //redacted@h/back//at@h\n"), text)
        XCTAssertTrue(text.contains("<https://h/?page=3&api_key=redacted>; "), text)
        XCTAssertTrue(text.contains(#"{"next":"https:\/\/h\/?a=1&pin=redacted"}"#), text)
        XCTAssertFalse("\(headers)".contains("access_token=s3cret"))
    }

    func testInTheHeadersOfAnAnswerThatAnotherInterceptorMade() async {
        struct Answering: NetworkInterceptor {
            func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
                NetworkResponse(statusCode: 200, headers: ["Pin": "s3cret"], url: call.url)
            }
        }
        let book = LogBook()
        var network = NetworkConfiguration(
            CannedTransport(), [Logging(to: book, level: .debug), Answering()], clock: ManualClock())
        network.secretNames = ["pin"]
        _ = await network.outcome(of: Ask())
        XCTAssertTrue(book.messages[1].hasSuffix("\n  Pin: redacted"), book.messages[1])
    }

    func testInWhatIsSent() async {
        let form: RequestQuery = ["user": "a", "door[code]": "s3cret"]
        let bodies: [any NetworkEncodable & Sendable] = [
            FormBody(form.markingSecret("door")),
            MultipartBody([.text("meta", #"{"client_secret":"s3cret"}"#)]),
        ]
        for body in bodies {
            let book = LogBook()
            let transport = CannedTransport(.answer(200))
            let network = NetworkConfiguration(
                transport, [Logging(to: book, level: .trace)], clock: ManualClock())
            _ = await network.outcome(of: Ask(method: .post, content: body))
            XCTAssertTrue(book.messages[0].contains("redacted"), book.messages[0])
            XCTAssertFalse(book.messages[0].contains("s3cret"), book.messages[0])
            XCTAssertFalse(transport.calls[0].curl.contains("s3cret"), transport.calls[0].curl)
        }
    }

    func testEverySpellingOfAName() async {
        for name in ["auth_key", "authKey", "auth-key", "private_key", "privateKey", "private-key", "passphrase"] {
            let text = await LogBook.body("{\"\(name)\":\"s3cret\"}", "application/json")
            XCTAssertEqual(text, "{\"\(name)\":\"redacted\"}")
        }
    }

    func testAnyBytesAreSurvived() async {
        var seed = SystemRandomNumberGenerator()
        let pieces = [
            "{", "}", "[", "\"", "\\", ":", ",", "<", ">", "/", "=", "&", "password", "--x", "\r\n", "é", "'", " ",
        ]
        for _ in 0..<300 {
            let body = (0..<20).map { _ in pieces.randomElement(using: &seed) ?? "" }.joined()
            for type in ["application/json", "text/xml", "text/plain", "multipart/mixed; boundary=x"] {
                _ = await LogBook.body(body, type)
            }
        }
    }
}
