import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

final class LoggedFieldTests: TimedTestCase {
    func testJSONIsRedactedByTheNamesOfItsMembers() async {
        let bodies: [(String, String)] = [
            (#"{"password":"s3cret","sku":"LP"}"#, #"{"password":"redacted","sku":"LP"}"#),
            (#"{ "access_token" : "s3\"cret" , "a":1}"#, #"{ "access_token" : "redacted" , "a":1}"#),
            (#"{"till":12345,"b":[1]}"#, #"{"till":redacted,"b":[1]}"#),
            (#"{"a":{"pin":[1,{"x":"]"}]},"b":2}"#, #"{"a":{"pin":redacted},"b":2}"#),
            (#"{"password":null,"token":true,"secret":""}"#, #"{"password":null,"token":true,"secret":""}"#),
            (#"{"pass\u0077ord":"s3cret"}"#, #"{"pass\u0077ord":"redacted"}"#),
            (#"{"password":"s3cr"#, #"{"password":"redacted"#),
            (#"{"password":["s3cret""#, #"{"password":redacted"#),
            (#"[{"pin":"s3cret"},{"pin":"s3cret"}]"#, #"[{"pin":"redacted"},{"pin":"redacted"}]"#),
            // A string is a value, whatever it contains.
            (#"{"a":"{\"password\":\"x\"}","b":"token=x"}"#, #"{"a":"{\"password\":\"x\"}","b":"token=x"}"#),
            (#"{"time_signature":"4/4","tokens_used":7}"#, #"{"time_signature":"4/4","tokens_used":7}"#),
            ("\"", "\""), ("{\"a\\", "{\"a\\"), ("{\"password\":", "{\"password\":"), ("[\"\\u12", "[\"\\u12"),
        ]
        for (body, expected) in bodies {
            assertEqual(await LogBook.body(body, "application/problem+json; charset=utf-8"), expected)
        }
    }

    func testACutBodyIsRedacted() async {
        let bodies = [
            (#"{"sku":"LP","password":"s3cret","a":1}"#, "application/json"),
            ("sku=LP&password=s3cret&a=1", "application/x-www-form-urlencoded"),
        ]
        for (body, type) in bodies {
            for limit in 0...body.utf8.count {
                let text = await LogBook.body(body, type, limit: limit)
                XCTAssertFalse(text.contains("s3"), text)
            }
        }
    }

    func testFormsAreRedactedByTheNamesOfTheirFields() async {
        let forms = [
            ("user=a&password=s3cret&b=", "user=a&password=redacted&b="),
            ("client%5Fsecret=s3cret", "client%5Fsecret=redacted"), ("door+code=s3cret", "door+code=redacted"),
            ("password", "password"), ("=&&", "=&&"),
            ("user%5Bpin%5D=s3cret&user.otp=s3cret", "user%5Bpin%5D=redacted&user.otp=redacted"),
            ("page_token=7&next=https%3A%2F%2Fa%2F%3Ftoken%3Dx", "page_token=7&next=https%3A%2F%2Fa%2F%3Ftoken%3Dx"),
        ]
        for (body, expected) in forms {
            assertEqual(await LogBook.body(body, "application/x-www-form-urlencoded"), expected)
        }
    }

    func testAWrongTypeHidesNoToken() async {
        assertEqual(await LogBook.body("password=s3cret&a=1", "application/json"), "password=redacted&a=1")
        let json = #"{"password":"s3cret","a":1}"#
        assertEqual(await LogBook.body(json, "application/x-www-form-urlencoded"), #"{"password":"redacted","a":1}"#)
    }

    func testAnythingElseIsLoggedAsItsSizeAndType() async throws {
        let types = [
            "text/plain", "text/html", "application/xml", "multipart/mixed", "application/x-ndjson", "image/png",
            "application/octet-stream", nil,
        ]
        for type in types {
            assertEqual(await LogBook.body("password=s3cret", type), "  (15 bytes of \(type ?? "unknown type"))")
        }
        for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian] {
            let body = try XCTUnwrap(#"{"password":"s3cret"}"#.data(using: encoding))
            assertEqual(await LogBook.body(body, "application/json"), "  (\(body.count) bytes of application/json)")
        }
    }

    func testHeadersAndTheirAddressesAreRedacted() async {
        let headers: HTTPHeaders = [
            "Location": "https://me:s3cret@h/back?pin=s3cret&page=2#access_token=s3cret",
            "Content-Location": "//me:s3cret@h/back", "Set-Cookie": "id=s3cret", "Pin": "s3cret",
            "Link": "</x>; rel=next",
        ]
        let book = LogBook()
        var network = NetworkConfiguration(
            CannedTransport(.answer(200, headers)), [LoggingInterceptor(to: book, level: .debug)], clock: ManualClock())
        network.sensitiveNames = ["pin"]
        let outcome = await NetworkSession(network).outcome(of: Ask(headers: ["Referer": "https://h/?token=s3cret"]))
        XCTAssertNotNil(try? outcome.get())

        let text = book.messages.joined(separator: "\n")
        XCTAssertFalse(text.contains("s3cret"), text)
        for line in [
            "Location: https://redacted@h/back?pin=redacted&page=2#access_token=redacted",
            "Content-Location: //redacted@h/back", "Set-Cookie: redacted", "Pin: redacted", "Link: </x>; rel=next",
            "Referer: https://h/?token=redacted",
        ] { XCTAssertTrue(text.contains("  \(line)"), line) }
    }

    func testTheHeadersOfAResponseThatAnInterceptorMadeAreRedacted() async {
        struct Answering: NetworkInterceptor {
            func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
                NetworkResponse(statusCode: 200, headers: ["Pin": "s3cret"], url: call.url)
            }
        }
        let book = LogBook()
        var network = NetworkConfiguration(
            CannedTransport(), [LoggingInterceptor(to: book, level: .debug), Answering()], clock: ManualClock())
        network.sensitiveNames = ["pin"]
        _ = await NetworkSession(network).outcome(of: Ask())
        XCTAssertTrue(book.messages[1].hasSuffix("\n  Pin: redacted"), book.messages[1])
    }

    func testTheBodyOfARequestIsRedacted() async {
        let form: RequestQuery = ["user": "a", "door[code]": "s3cret"]
        let bodies: [any NetworkEncodable & Sendable] = [
            FormBody(form.markingSensitive("door")), ["user": "a", "client_secret": "s3cret"],
        ]
        for body in bodies {
            let book = LogBook()
            let transport = CannedTransport(.answer(200))
            let network = NetworkConfiguration(
                transport, [LoggingInterceptor(to: book, level: .trace)], clock: ManualClock())
            _ = await NetworkSession(network).outcome(of: Ask(method: .post, content: body))
            XCTAssertTrue(book.messages[0].contains("redacted"), book.messages[0])
            XCTAssertFalse(book.messages[0].contains("s3cret"), book.messages[0])
            XCTAssertFalse(transport.calls[0].curl.contains("s3cret"), transport.calls[0].curl)
        }
    }

    func testThePartsOfAnyBodyMakeUpTheBody() {
        var seed = SystemRandomNumberGenerator()
        let tokens = ["{", "}", "[", "\"", "\\", ":", ",", "=", "&", "password", "\r\n", "é", "'", " ", "%", "%5"]
        for _ in 0..<300 {
            let body = (0..<20).map { _ in tokens.randomElement(using: &seed) ?? "" }.joined()
            for type in ["application/json", "application/x-www-form-urlencoded"] {
                let parts = RedactedPart.all(in: Data(body.utf8), MediaType(type), sensitive: []) ?? []
                let bytes = parts.flatMap { part in
                    switch part {
                    case .plain(let bytes), .sensitive(_, let bytes): bytes
                    }
                }
                XCTAssertEqual(String(decoding: bytes, as: UTF8.self), body)
            }
        }
    }

    /// An extending scalar after a separator makes one Character of both.
    func testASecretBehindAnExtendingScalarIsRedacted() throws {
        let type = try XCTUnwrap(MediaType("application/x-www-form-urlencoded"))
        for mark in ["", "\u{301}", "\u{200D}", "\u{FE0F}"] {
            let body = Data("a=1&\(mark)b=2&password=\(mark)hunter2".utf8)
            let parts = try XCTUnwrap(RedactedPart.all(in: body, type, sensitive: []))
            guard case .sensitive("password", let value)? = parts.last else { return XCTFail("\(parts)") }
            XCTAssertEqual(String(decoding: value, as: UTF8.self), "\(mark)hunter2")
        }
        XCTAssertEqual(RequestQuery(parsing: "a=\u{301}1").items.map(\.name), ["a"])
    }
}
