import XCTest

@testable import RecordInventory

final class TextPatternTests: XCTestCase {
    func testMatches() {
        for (pattern, text, expected) in [
            ("blue", "Kind of BLUE", true), ("blue*", "Kind of blue", false), ("*blue", "Kind of blue", true),
            ("kind*blue", "kind of blue", true), ("ab*ba", "aba", false), ("ab*ba", "abba", true), ("*", "", true),
            ("", "", true), ("", "x", true), ("a", "", false), ("a**c", "abc", true), ("a*b*c", "a-b-b-c", true),
            ("a*c*b", "a-b-c", false), ("É*", "éa", true), ("STRASSE", "straße", false), ("50%", "50%", true),
            ("5_", "50", false), ("*a*a*", "xa", false), ("*a*a*", "aa", true), ("a*a", "a", false),
        ] {
            XCTAssertEqual(TextPattern(pattern).matches(Array(text.utf8)), expected, "\(pattern) on \(text)")
        }
    }

    func testManyStarsAreNoTrouble() {
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: 20_000)
        let pattern = TextPattern(String(repeating: "a*", count: 2_000) + "b")
        XCTAssertFalse(pattern.matches(text))
    }
}
