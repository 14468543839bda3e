import TestSupport
import XCTest

@testable import RecordKit

final class SubstringPartsTests: TimedTestCase {
    func testPartsStandBetweenAnyOfTheSeparators() {
        XCTAssertEqual(Substring("a,b;;c").parts(between: ",;"), ["a", "b", "", "c"])
        XCTAssertEqual(Substring(",a,").parts(between: ","), ["", "a", ""])
        XCTAssertEqual(Substring("").parts(between: ","), [""])
        XCTAssertEqual("x,é,y".dropFirst().parts(between: ","), ["", "é", "y"])
    }

    func testASeparatorWithAnAccentSeparatesStill() {
        XCTAssertEqual(Substring("a&\u{301}b").parts(between: "&").count, 2)
    }

    func testANumberIsDigitsAndNothingElse() {
        XCTAssertEqual(Substring("0").number(), 0)
        XCTAssertEqual(Substring("0042").number(), 42)
        XCTAssertEqual(Substring("fF").number(radix: 16), 255)
        XCTAssertEqual(Substring("\(Int.max)").number(), .max)
        for text in ["", "+1", "-1", " 1", "1 ", "1.0", "١", "a", "9223372036854775808", "99999999999999999999"] {
            XCTAssertNil(text[...].number(), text)
        }
        XCTAssertNil(Substring("g").number(radix: 16))
    }
}
