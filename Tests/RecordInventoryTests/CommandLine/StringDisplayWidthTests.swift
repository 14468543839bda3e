import XCTest

@testable import RecordInventory

final class StringDisplayWidthTests: XCTestCase {
    func testWidthIsInColumns() {
        let widths = [
            "": 0, "Kind of Blue": 12, "Übung": 5, "e\u{301}": 1, "サンプル": 8, "見本盤": 6, "한국": 4, "ｶﾅ": 2, "！": 2,
            "👍": 2, "👩‍👩‍👧": 2, "🇩🇪": 2, "❤️": 2, "❤": 1, "\u{200B}": 0, "नि": 1,
        ]
        for (text, width) in widths { XCTAssertEqual(text.displayWidth, width, text) }
    }

    func testTruncationKeepsWholeCharactersWithinTheWidth() {
        XCTAssertEqual("Kind of Blue".truncated(toWidth: 12), "Kind of Blue")
        XCTAssertEqual("Kind of Blue".truncated(toWidth: 6), "Kind …")
        XCTAssertEqual("サンプル".truncated(toWidth: 6), "サン…")
        XCTAssertEqual("サンプル".truncated(toWidth: 2), "…")
        XCTAssertEqual("e\u{301}e\u{301}e\u{301}".truncated(toWidth: 2), "e\u{301}…")
    }
}
