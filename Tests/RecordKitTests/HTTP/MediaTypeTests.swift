import RecordKit
import TestSupport
import XCTest

final class MediaTypeTests: TimedTestCase {
    func testTypeSubtypeAndParameters() throws {
        let type = try XCTUnwrap(MediaType(#" Text/HTML ; Charset="ut\"f;8" ; q=1; broken"#))

        XCTAssertEqual(type.essence, "text/html")
        XCTAssertEqual(type.parameters, ["charset": #"ut"f;8"#, "q": "1"])
    }

    func testAParameterThatCannotBeReadIsLeftOut() throws {
        let type = try XCTUnwrap(MediaType(#"text/plain; =x; a =1; b=; c="open"#))

        XCTAssertEqual(type.parameters, [:])
        for text in [#"c=""#, #"c="a\""#, #"c="a"b"#, #"c="a"b""#] {
            XCTAssertEqual(MediaType("text/plain; \(text)")?.parameters, [:], text)
        }
        XCTAssertEqual(
            MediaType("text/plain; charset=; q=1; profile=http://a/; e=\"\"")?.parameters,
            ["q": "1", "profile": "http://a/", "e": ""])
    }

    func testOfAParameterThatIsThereTwiceTheFirstCounts() {
        XCTAssertEqual(MediaType("text/plain; charset=utf-8; Charset=x")?.parameters, ["charset": "utf-8"])
    }

    func testInvalidMediaTypes() {
        for text in ["", "text", "text/", "/html", "text/a/b", "te xt/html", ";charset=utf-8"] {
            XCTAssertNil(MediaType(text), text)
        }
    }

    func testFamilies() {
        XCTAssertEqual(MediaType("application/problem+json")?.isJSON, true)
        XCTAssertEqual(MediaType("application/json; charset=utf-8")?.isJSON, true)
        XCTAssertEqual(MediaType("text/html")?.isJSON, false)
    }
}
