import XCTest

@testable import RecordInventory

final class StringEscapedTests: XCTestCase {
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
        XCTAssertEqual("{\n  \"a\": \"\u{9B}\\n\"\n}".escapedForTerminalJSON, "{\n  \"a\": \"\\u009b\\n\"\n}")
    }
}
