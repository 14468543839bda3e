import TestSupport
import XCTest

@testable import RecordInventory

/// What spreadsheets and programs that write tables do to texts and numbers.
final class SpreadsheetDamageTests: TimedTestCase {
    func testWhatASpreadsheetMakesOfTexts() {
        for (text, saved) in [
            ("+/-", "3"), ("=1+1", "2"), ("=HYPERLINK(\"x\",\"y\")", "y"), ("@SUM(1)", "1"), ("10,000", "10000"),
            ("(5)", "-5"), ("True", "TRUE"), ("falsch", "FALSE"), ("4:44", "04:44"), ("4:44", "4:44:00 AM"),
            ("1:30 PM", "13:30:00"), ("0012", "12"), ("MAR-01", "01-Mar"), ("サンプル", "????"), ("Σ 5", "? 5"),
        ] { XCTAssertTrue(SpreadsheetValue.mayHaveMade(saved, of: text), "\(text) \(saved)") }
        for (text, saved) in [
            ("A", "B"), ("True", "False"), ("Trues", "TRUE"), ("4:44", "4:45"), ("4:44", "444"), ("10,000", "1000"),
            ("LP", "??"), ("Σ", "??"), ("=", "x"), ("-", "x"), ("1:99", "01:99"), ("4:4x", "04:04"), ("", ""),
            (":", "0"),
        ] { XCTAssertFalse(SpreadsheetValue.mayHaveMade(saved, of: text), "\(text) \(saved)") }
    }
}
