import TestSupport
import XCTest

@testable import RecordInventory

final class StringEscapedTests: TimedTestCase {
    func testATerminalGetsNoControlCharacter() {
        XCTAssertEqual("a\u{1B}[2Jb".escapedForTerminal, "a\\u001b[2Jb")
        XCTAssertEqual("a\tb\nc\r\nd\\e".escapedForTerminal, "a\\tb\\nc\\r\\nd\\e")
        XCTAssertEqual("\u{9B}31m\u{7F}\u{0}".escapedForTerminal, "\\u009b31m\\u007f\\u0000")
        XCTAssertEqual("\u{202E}gpj\u{2069}\u{2028}".escapedForTerminal, "\\u202egpj\\u2069\\u2028")
    }

    func testOrdinaryTextStaysAsItIs() {
        for text in ["", "Übung", "サンプル楽団", "👩‍👩‍👧", "می‌خواهم", "e\u{301}"] {
            XCTAssertEqual(text.escapedForTerminal, text)
            XCTAssertEqual(text.escapedForTabs, text)
        }
    }

    func testATabbedFieldCanBeReadBack() {
        XCTAssertEqual("a\tb\nc\r\\n\u{1B}".escapedForTabs, "a\\tb\\nc\\r\\\\n\\u001b")
    }

    func testJSONKeepsItsLinesAndLosesItsControls() {
        XCTAssertEqual("{\n  \"a\": \"\u{9B}\\n\"\n}".escapedLines, "{\n  \"a\": \"\\u009b\\n\"\n}")
    }
}

final class StringDisplayWidthTests: TimedTestCase {
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
