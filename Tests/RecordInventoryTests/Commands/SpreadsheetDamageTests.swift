import TestSupport
import XCTest

@testable import RecordInventory

/// What spreadsheets and programs that write tables do to texts and numbers.
final class SpreadsheetDamageTests: TimedTestCase {
    private static let header = "sku,artist,title,label,catalogue_number,notes,price,currency"
    private static let update = ["--on-duplicate", "update"]

    private func texts(_ till: Till, _ sku: String) async -> [String] {
        let shown = await till.type("show", sku).rows.first ?? []
        return shown.isEmpty ? [] : [1, 2, 3, 4, 16].map { shown[$0] }
    }

    func testAnUpdateKeepsTheTextsThatASpreadsheetChanged() async throws {
        let till = try Till()
        _ = await till.type(
            "import", try till.file("LP-1,+/-,1/2,MAR-01,TRUE,10:04,1,EUR", header: Self.header))
        let file = try till.file("LP-1,#NAME?,02-Jan,01-Mar,WAHR,10:04:00,2,EUR", header: Self.header)
        let kept = await till.type(["import", file] + Self.update)
        XCTAssertEqual(kept.exitCode, .done, kept.messages)
        XCTAssertTrue(kept.messages.contains("4 texts stay as in stock"), kept.messages)
        XCTAssertTrue(kept.messages.contains("1 text stays as in stock, since the file has a spreadsheet's error"))
        var texts = await texts(till, "LP-1")
        XCTAssertEqual(texts, ["+/-", "1/2", "MAR-01", "TRUE", "10:04"])
        let price = await till.type("show", "LP-1").rows[0][11]
        XCTAssertEqual(price, "2.00", "the rest is taken")
        let trusted = await till.type(["import", file, "--trust-numbers"] + Self.update)
        XCTAssertEqual(trusted.exitCode, .done, trusted.messages)
        texts = await self.texts(till, "LP-1")
        XCTAssertEqual(texts, ["+/-", "02-Jan", "01-Mar", "WAHR", "10:04:00"], "an error is never taken")
    }

    func testANewRecordWithASpreadsheetsErrorIsABadRow() async throws {
        let till = try Till()
        for isDryRun in [true, false] {
            let file = try till.file(
                "LP-1,#NAME?,T,,,,1,EUR", "LP-2,A,Err:508,,,,1,EUR", "#N/A,A,T,,,,1,EUR", "LP-3,A,T,#BEZUG!,,,1,EUR",
                "LP-4,A,###,,,,1,EUR", "LP-5,#1,#winning,#,,,1,EUR", header: Self.header)
            let outcome = await till.type(
                ["import", file, "--trust-numbers"] + (isDryRun ? ["--dry-run"] : []))
            XCTAssertTrue(outcome.results.hasSuffix("1 created, 0 updated, 0 unchanged, 5 rejected\n"), outcome.results)
            for message in [
                "row 2 (LP-1): artist \"#NAME?\": an error of a spreadsheet", "row 3 (LP-2): title \"Err:508\":",
                "row 4 (#N/A): sku \"#N/A\":", "row 5 (LP-3): label \"#BEZUG!\":", "row 6 (LP-4): title \"###\":",
            ] { XCTAssertTrue(outcome.messages.contains(message), outcome.messages) }
        }
    }

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

    func testASKUThatBecameALogicalValueOrATimeIsRefused() async throws {
        let till = try Till()
        _ = await till.type("import", try till.file("TRUE,A,T,1,EUR", "4:44,A,T,1,EUR"))
        let outcome = await till.type("import", try till.file("WAHR,A,T,1,EUR", "04:44,A,T,1,EUR"))
        XCTAssertEqual(outcome.results, "0 created, 0 updated, 0 unchanged, 2 rejected\n", outcome.messages)
        XCTAssertTrue(outcome.messages.contains("row 2 (WAHR): TRUE is in stock"), outcome.messages)
    }

    func testASpreadsheetsMarkForTextIsNoPartOfANumber() async throws {
        let till = try Till()
        let header = "sku,artist,title,catalogue_number,barcode,price,currency"
        _ = await till.type("import", try till.file("0012,A,T,007,,1,EUR", "E1,A,T,,,1,EUR", header: header))
        let file = try till.file(
            "'0012,'Til Tuesday,'Round Midnight,'007,'4006381333931,1,EUR", "'E1,A,T,,,1,EUR", "'E2,A,'99,,,1,EUR",
            header: header)
        let outcome = await till.type(["import", file] + Self.update)
        XCTAssertEqual(outcome.results, "1 created, 1 updated, 0 unchanged, 1 rejected\n", outcome.messages)
        XCTAssertTrue(
            outcome.messages.contains("row 3 ('E1): E1 is in stock, and a spreadsheet may have made 'E1 of it"),
            outcome.messages)
        let fields = await till.type("list", "--fields", "sku,artist,title,catalogue_number,barcode").rows
        XCTAssertEqual(
            fields,
            [
                ["'E2", "A", "'99", "", ""],
                ["0012", "'Til Tuesday", "'Round Midnight", "007", "4006381333931"],
                ["E1", "A", "T", "", ""],
            ])
    }

    func testWholeNumbersMayHaveADecimal() async throws {
        let till = try Till()
        let header = "sku,artist,title,quantity,year,barcode,discogs_release,price,currency"
        let outcome = await till.type(
            "import",
            try till.file(
                "A,A,T,2.0,1979.0,4006381333931.0,7530535.0,1850.0,JPY", "B,A,T,2.5,,,,1,EUR", "C,A,T,.0,,,,1,EUR",
                "D,A,T,1,1979.5,,,1,EUR", header: header))
        XCTAssertEqual(outcome.results, "1 created, 0 updated, 0 unchanged, 3 rejected\n", outcome.messages)
        let fields = await till.type("list", "--fields", "quantity,year,barcode,discogs_release,price").rows
        XCTAssertEqual(fields, [["2", "1979", "4006381333931", "7530535", "1850"]])
        let commas = try till.file(
            "E;A;T;3,0;1979,0;;;7,0;EUR", header: header.replacing(",", with: ";"))
        let other = await till.type("import", commas)
        XCTAssertEqual(other.exitCode, .done, other.messages)
    }
}
