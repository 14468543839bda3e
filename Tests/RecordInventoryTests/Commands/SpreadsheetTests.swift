import RecordKitJSON
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordInventory

/// A way of a file through a spreadsheet, and back into the stock.
final class SpreadsheetTests: TimedTestCase {
    private static let header = "sku,artist,title,label,catalogue_number,format,year,barcode,price,currency,notes"
    private static let rows = [
        "00042,1999,007,+44,0012,LP,1999,4006381333931,18.50,EUR,=1+1",
        "1E5,-,True,\"a, \"\"b\"\"\",1E3,CD,,0074646493526,7,EUR,@SUM(A1)",
        "4006381333931,Can,Tago Mago,,007E2,\"12\"\"\",,,5,EUR,\"- plays\nwell\"",
        "LP-1,Neu!,1/2,May 4,,LP,,,5.10,EUR,\"=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\"",
    ]

    private func stocked() async throws -> Till {
        let till = try Till()
        let file = try till.file(Self.rows.joined(separator: "\n"), header: Self.header)
        let outcome = await till.type("import", file)
        XCTAssertEqual(outcome.results, "4 created, 0 updated, 0 unchanged, 0 rejected\n", outcome.messages)
        return till
    }

    /// Opens a file as a spreadsheet does, and saves it: cells that look like numbers become numbers, formulas become
    /// their values, and what is shown is saved.
    private func throughSpreadsheet(_ text: String) throws -> String {
        let folder = try TemporaryFolder()
        var reader = try CSVReader(InputFile(try folder.write(text.utf8)))
        var saved: [[String?]] = []
        while let row = try reader.next() {
            saved.append((0..<row.count).map { row.isEmpty($0) ? nil : Self.shown(row[$0]) })
        }
        return saved.map { String(decoding: CSVWriter.row($0), as: UTF8.self) }.joined()
    }

    private static func shown(_ typed: String) -> String {
        if typed.hasPrefix("=\"") { return evaluated(typed) }
        if "=+-@".contains(typed.prefix(1)), typed.count > 1, Double(typed) == nil { return "#NAME?" }
        if typed.lowercased() == "true" { return "TRUE" }
        if typed.contains("/") || typed.hasPrefix("May ") { return "04-May" }
        guard let number = Double(typed) else { return typed }
        if abs(number) >= 1e12 { return String(format: "%.5E", number).replacing(/0+E/, with: "E") }
        return number == number.rounded() ? String(format: "%.0f", number) : "\(number)"
    }

    private static func evaluated(_ formula: String) -> String {
        formula.dropFirst(2).dropLast().components(separatedBy: "\"&\"").joined().replacing("\"\"", with: "\"")
    }

    func testAFileForSpreadsheetsComesBackAsItWas() async throws {
        let till = try await stocked()
        let before = await till.type("list", "--json").results
        let file = till.folder.path("sheet.csv")
        await till.type("export", "-o", file, "--spreadsheet").expect(.done)
        let text = try till.folder.text(of: "sheet.csv")
        for isUntouched in [true, false] {
            _ = try till.folder.write((isUntouched ? text : try throughSpreadsheet(text)).utf8, to: "back.csv")
            let back = await till.type("import", till.folder.path("back.csv"), "--on-duplicate", "update")
            XCTAssertEqual(back.results, "0 created, 0 updated, 4 unchanged, 0 rejected\n", back.messages)
            let other = try Till()
            await other.type("import", till.folder.path("back.csv")).expect(.done)
            assertEqual(await other.type("list", "--json").results, before)
        }
    }

    func testNoCellOfItIsAFormulaOfTheRecord() async throws {
        let till = try await stocked()
        let path = till.folder.path("sheet.csv")
        _ = await till.type("export", path, "--spreadsheet")
        var file = try CSVReader(InputFile(path))
        var count = 0
        while let row = try file.next() {
            for cell in (0..<row.count).map({ row[$0] }) where "=+-@".contains(cell.prefix(1)) && !cell.isEmpty {
                XCTAssertNotNil(SpreadsheetText.text(of: Array(cell.utf8)[...]), cell)
                count += 1
            }
        }
        XCTAssertGreaterThan(count, 10)
    }

    func testAPlainFileThatASpreadsheetChangedMakesNoDuplicates() async throws {
        let till = try await stocked()
        _ = await till.type("export", till.folder.path("plain.csv"))
        let text = try throughSpreadsheet(try till.folder.text(of: "plain.csv"))
        XCTAssertTrue(text.hasPrefix("sku,"))
        XCTAssertTrue(text.contains("\n42,1999,7,44,12,LP,"), text)
        XCTAssertTrue(text.contains("\n100000,"), text)
        XCTAssertTrue(text.contains("\n4.00638E+12,Can,"), text)
        let file = try till.folder.write(text.utf8, to: "back.csv")
        for options in [["--dry-run"], []] {
            let outcome = await till.type(["import", file] + options)
            XCTAssertEqual(outcome.exitCode, .partlyDone)
            XCTAssertTrue(outcome.results.contains("0 created, 0 updated, 1 unchanged, 3 rejected"), outcome.results)
            XCTAssertTrue(outcome.messages.contains("row 2 (42): barcode \"4.00638E+12\""), outcome.messages)
        }
        assertEqual(await till.type("list").skus.count, 4)
    }

    func testDatesAreWhatASpreadsheetMakesOfTexts() {
        func isSaved(_ text: String, as other: String) -> Bool {
            !Set(SpreadsheetDate.typed(text)).isDisjoint(with: SpreadsheetDate.saved(other))
        }
        for (text, other) in [
            ("MAR-01", "01-Mar"), ("MAR01", "1-Mar"), ("mar/1", "01. Mrz"), ("March 1", "2026-03-01"),
            ("1-2", "02-Jan"),
            ("1-2", "01-Feb"), ("12/31", "31.12.2026"), ("2024-05", "May-24"), ("5-2024", "2024-05-01 00:00:00"),
            ("MAR-99", "Mar-99"), ("1-99", "Jan-99"), ("1999-03-04", "3/4/1999"), ("4-Mar-99", "04.03.99"),
            ("DEC-1", "01-Dez"), ("1.2.03", "2003-02-01"), ("2024-05", "01/05/24"),
        ] { XCTAssertTrue(isSaved(text, as: other), "\(text) \(other)") }
        for (text, other) in [
            ("1-2", "2-1"), ("1-2", "01-02"), ("MAR-1", "MAR-01"), ("MAR-01", "02-Mar"), ("LP-01", "01-Mar"),
            ("13-32", "Jan-32"), ("2024-05", "05-24"), ("2024-05", "2024-05-02"), ("MAR-123", "Mar-23"),
            ("M-1", "01-Mar"),
            ("1", "01-Jan"), ("MAR", "Mar-01"), ("", ""), ("-", "-"), ("MARX-1", "01-Mar"), ("A-1-2", "02-Jan"),
            ("1-2-3-4", "02-Jan"), ("٣-1", "01-Mar"), ("1-2", "01-Feb-"), ("01-02-24", "01-02-24"),
        ] { XCTAssertFalse(isSaved(text, as: other), "\(text) \(other)") }
    }

    func testLongTextsAreFormulasOfSeveralStrings() throws {
        let text = "=" + String(repeating: "\"é,", count: 200)
        let formula = SpreadsheetText.formula(of: text)
        XCTAssertTrue(formula.split(separator: "&", omittingEmptySubsequences: false).allSatisfy { $0.count <= 513 })
        XCTAssertEqual(SpreadsheetText.text(of: Array(formula.utf8)[...]), Array(text.utf8))
        for other in ["=1+1", "=\"a", "=a\"", "=\"a\"b\"", "=", "", "=\"a\"&", "=\"a\"&b\""] {
            XCTAssertNil(SpreadsheetText.text(of: Array(other.utf8)[...]), other)
        }
    }

    func testNumbersAreEqualAsASpreadsheetSeesThem() {
        func isSaved(_ text: String, as other: String) -> Bool {
            guard let number = SpreadsheetNumber(text), let saved = SpreadsheetNumber(other) else { return false }
            return number.savedForms.contains(saved)
        }
        for (text, other) in [
            ("00042", "42"), ("1E5", "100000"), ("1E5", "1.00E+05"), ("0", "000"), ("+5", "5"), ("4.50", "4.5"),
            ("4006381333931", "4.00638E+12"), ("999999999999999", "1E+15"), ("12345678901234567", "12345678901234600"),
            ("1e-3", "0.001"),
        ] { XCTAssertTrue(isSaved(text, as: other), "\(text) \(other)") }
        for (text, other) in [
            ("42", "43"), ("42", "-42"), ("42", "420"), ("LP-42", "42"), ("1E", "1"), ("", "0"), (".", "0"),
            ("1.2.3", "1.23"), ("4006381333931", "4.00639E+12"), ("1E99999999999", "1"), ("42", "4.2E+02"),
        ] { XCTAssertFalse(isSaved(text, as: other), "\(text) \(other)") }
    }
}
