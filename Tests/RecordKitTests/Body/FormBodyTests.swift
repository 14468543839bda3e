import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

final class FormBodyTests: TimedTestCase {
    private func text(_ form: FormBody) throws -> String {
        guard case .data(let data) = try form.encoded(using: JSONEncoder()).content else { return "" }
        return String(decoding: data, as: UTF8.self)
    }

    func testTheSerializerOfTheStandard() throws {
        // WHATWG URL section 5.2: the application/x-www-form-urlencoded percent-encode set excludes these characters.
        let plain = "*-._0189AZaz"
        let ascii = (0..<128).map { byte -> String in
            let character = String(UnicodeScalar(UInt8(byte)))
            if plain.contains(character) || character.range(of: "[A-Za-z0-9]", options: .regularExpression) != nil {
                return character
            }
            return byte == 32 ? "+" : String(format: "%%%02X", byte)
        }
        XCTAssertEqual(
            try text(FormBody(["q": String(decoding: (0..<128).map { UInt8($0) }, as: UTF8.self)])),
            "q=\(ascii.joined())")
        let table: [(RequestQuery, String)] = [
            ([:], ""), (["a": "b c", "a": "+"], "a=b+c&a=%2B"), (["a b": "~*"], "a+b=%7E*"),
            (["é": "€ 🎵"], "%C3%A9=%E2%82%AC+%F0%9F%8E%B5"), (["line": "1\r\n2"], "line=1%0D%0A2"),
            (["list": [1, 2], "nil": nil], "list=1&list=2"),
        ]
        for (fields, expected) in table { XCTAssertEqual(try text(FormBody(fields)), expected) }
        XCTAssertEqual(
            try text(FormBody(RequestQuery(encoding: ["b": ["x": true], "a": ["x": false]]))),
            "a%5Bx%5D=false&b%5Bx%5D=true")
    }

    func testAFormDoesNotPrintItsSecrets() {
        var dumped = ""
        dump(FormBody(["password": "s3cret", "user": "ada"]), to: &dumped)
        XCTAssertFalse(dumped.contains("s3cret"))
        XCTAssertTrue(dumped.contains("ada"))
    }

    func testAValueThatCannotBeEncodedIsAnErrorOfTheBody() {
        let ask = Ask<Data>(method: .post, content: FormBody(["a": Double.infinity]))
        XCTAssertThrowsError(try ask.call(in: "https://store.example")) { error in
            guard case NetworkError.invalidRequest(let failure) = error else { return XCTFail("\(error)") }
            XCTAssertEqual(failure.member, .body)
            XCTAssertTrue(failure.cause is EncodingError)
        }
    }
}
