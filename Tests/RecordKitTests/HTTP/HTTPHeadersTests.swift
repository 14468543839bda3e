@testable import RecordKit
import RecordKitInterceptors
import TestSupport
import XCTest

final class HTTPHeadersTests: TimedTestCase {
    func testTheElementsAreTheFieldLines() {
        var headers: HTTPHeaders = ["A": "1", "B": "2"]
        headers.add("a", "3")
        XCTAssertEqual(headers.map { "\($0.name)=\($0.value)" }, ["A=1", "B=2", "a=3"])
        XCTAssertEqual(headers.count, 3)
        XCTAssertEqual(headers.first { $0.value == "2" }?.name, "B")
        XCTAssertEqual(headers[2].value, "3")
        XCTAssertTrue(HTTPHeaders().isEmpty)
    }

    func testNamesDisregardCaseAndKeepTheirOrder() {
        var headers: HTTPHeaders = ["Accept": "text/html", "X-Shop": "1"]
        headers.add("accept", "text/plain")

        XCTAssertEqual(headers["ACCEPT"], "text/html, text/plain")
        XCTAssertEqual(headers.values(for: "Accept"), ["text/html", "text/plain"])
        XCTAssertEqual(headers.map(\.name), ["Accept", "X-Shop", "accept"])
        XCTAssertTrue(headers.contains("x-shop"))
        XCTAssertNil(headers["X"])
        XCTAssertFalse((["X^": "1"] as HTTPHeaders).contains("X~"), "only letters have two cases")
    }

    func testAValueOfNilIsLeftOut() {
        let (tag, none) = ("\"v1\"" as String?, nil as String?)
        let headers: HTTPHeaders = ["If-None-Match": tag, "If-Modified-Since": none, "Accept": "text/csv"]
        XCTAssertEqual(headers.map(\.name), ["If-None-Match", "Accept"])
    }

    func testSettingReplacesEveryValueInPlace() {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
        headers["A"] = "4"
        XCTAssertEqual(headers.map { "\($0.name): \($0.value)" }, ["A: 4", "B: 2"])

        headers["b"] = nil
        headers["C"] = "5"
        XCTAssertEqual(headers.map(\.name), ["A", "C"])
    }

    func testMergingTakesEveryValueOfANameFromTheOther() {
        var headers: HTTPHeaders = ["A": "1", "a": "2", "B": "3"]
        headers.merge(["A": "4", "C": "5"])

        XCTAssertEqual(headers.values(for: "a"), ["4"])
        XCTAssertEqual(headers["B"], "3")
        XCTAssertEqual(headers["C"], "5")
    }

    func testEqualityDisregardsCaseAndTheOrderOfNames() {
        XCTAssertEqual(["A": "1", "B": "2"] as HTTPHeaders, ["b": "2", "a": "1"])
        XCTAssertNotEqual(["A": "1", "a": "2"] as HTTPHeaders, ["A": "2", "a": "1"])
    }

    func testADictionaryMakesALineOfEachEntry() {
        let values = ["B": "2", "A": "1", "c": "3"]
        XCTAssertEqual(HTTPHeaders(values).map { "\($0.name): \($0.value)" }, ["A: 1", "B: 2", "c: 3"])
    }

    func testSecretsAreNeverPrinted() {
        var headers: HTTPHeaders = [
            "Authorization": "Bearer s3cret", "cookie": "s3cret", "X-Api-Key": "s3cret", "X-Refresh-Token": "s3cret",
            "Set-Cookie": "s3cret", "Proxy-Authorization": "s3cret", "X-Till": "s3cret", "Accept": "text/html",
        ]
        headers.markSensitive(["x-TILL"])
        var dumped = ""
        dump(headers, to: &dumped)

        for text in ["\(headers)", String(reflecting: headers), dumped] {
            XCTAssertFalse(text.contains("s3cret"), text)
            XCTAssertTrue(text.contains("text/html"), text)
        }
        XCTAssertEqual(headers.withoutSensitiveFields().map(\.name), ["Accept"])
    }

    func testTheAddressInAHeaderIsRedacted() {
        for name in ["location", "Content-Location", "Referer"] {
            let headers = HTTPHeaders([.init(name: name, value: "https://a.example/cb?token=S3,CR;ET'S&page=2")])
            XCTAssertEqual("\(headers)", "\(name): https://a.example/cb?token=redacted&page=2")
        }
        let links: HTTPHeaders = [
            "Link": "<https://a.example/?page_token=2>; rel=next, </?api_key=s3<cret&page=9>; rel=\"last\""
        ]
        XCTAssertEqual(
            "\(links)",
            "Link: <https://a.example/?page_token=2>; rel=next, </?api_key=redacted&page=9>; rel=\"last\"")
    }

    func testURLsInAnyFieldAreRedacted() {
        let rows = [
            ("Refresh", "5; url=/next?token=s3cret&a=1", "5; url=/next?token=redacted&a=1"),
            ("Refresh", "5; url=http://me:s3cret@h/x", "5; url=http://redacted@h/x"),
            ("X-Redirect", "/next?api_key=s3cret", "/next?api_key=redacted"),
            ("X-Callback", "https://h/x#id_token=s3cret", "https://h/x#id_token=redacted"),
            ("Location", "data:text/html,token=s3cret", "data:redacted"),
            ("User-Agent", "till/1.0 (me@store.example; a=b?)", "till/1.0 (me@store.example; a=b?)"),
        ]
        for (name, value, expected) in rows {
            XCTAssertEqual(HTTPHeaders([.init(name: name, value: value)]).redacted()[name], expected)
        }
    }

    func testMergingKeepsWhatIsSecret() {
        var headers: HTTPHeaders = ["X-Till": "s3cret"]
        headers.markSensitive(["X-Till"])
        var merged = HTTPHeaders()
        merged.merge(headers)

        XCTAssertTrue(merged.isSensitive("x-till"))
    }

    func testAFieldKnowsWhetherItCanBeSent() {
        for (name, value, use) in [
            ("A", "1\t2 é", .free), ("", "1", .badName), ("A b", "1", .badName), ("É", "1", .badName),
            ("A", "1\r\n2", .badValue), ("A", "1\u{7F}", .badValue), ("A", "1\0", .badValue),
            ("content-LENGTH", "1", .ofFraming), ("Transfer-Encoding", "\n", .ofFraming),
            ("host", "a", .ofTransport), ("Host", "a\r\nB: c", .badValue), ("Connection", "close", .ofTransport),
        ] as [(String, String, HTTPHeaders.Use)] {
            XCTAssertEqual(HTTPHeaders.Field(name: name, value: value).use, use, "\(name): \(value)")
            XCTAssertEqual(HTTPHeaders.Field(received: name, value: value).use, use, "\(name): \(value)")
        }
    }
}
