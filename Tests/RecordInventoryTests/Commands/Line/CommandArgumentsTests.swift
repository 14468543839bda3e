import TestSupport
import XCTest

@testable import RecordInventory

final class CommandArgumentsTests: TimedTestCase {
    private func command<Wanted: Command>(_ arguments: String...) throws -> Wanted? {
        guard case .run(let command) = try Invocation(arguments).action else { return nil }
        return command as? Wanted
    }

    func testImport() throws {
        XCTAssertEqual(try command("import", "a.csv"), ImportCommand(file: "a.csv"))
        XCTAssertEqual(
            try command("import", "-", "--from", "discogs", "--currency", "eur", "--on-duplicate=fail", "--dry-run"),
            ImportCommand(file: "-", format: .discogs, currency: try Currency("EUR"), onDuplicate: .fail))
    }

    func testExport() throws {
        XCTAssertEqual(try command("export", "-"), ExportCommand(path: "-"))
        XCTAssertEqual(try command("export", "./-"), ExportCommand(path: "./-"))
        XCTAssertEqual(
            try command("export", "-o", "x.csv", "--spreadsheet"), ExportCommand(path: "x.csv", forSpreadsheet: true))
    }

    func testAddTakesAFlagForEachField() throws {
        let options = AddCommand.usage.options.map(\.name)
        XCTAssertEqual(
            options.filter { !["--dry-run", "--lookup", "--fields"].contains($0) }.count, RecordField.allCases.count)
        XCTAssertTrue(options.contains("--media-condition"))
        XCTAssertEqual(
            try command(
                "add", "--title", "T", "--artist", "A", "--price", "18.50", "--currency", "EUR", "--media-condition",
                "VG+", "--label="),
            AddCommand(changes: [
                FieldChange(field: .artist, text: "A"), FieldChange(field: .title, text: "T"),
                FieldChange(field: .label, text: ""),
                FieldChange(field: .mediaCondition, text: "VG+"),
                FieldChange(field: .price, text: "18.50"), FieldChange(field: .currency, text: "EUR"),
            ]))
    }

    func testEditChangesAndClearsFieldsButNeverTheSKU() throws {
        XCTAssertEqual(
            try command("edit", "LP-1", "--price", "3", "--clear", "label", "--clear=media-condition"),
            EditCommand(
                code: try SKU("LP-1"),
                changes: [
                    FieldChange(field: .price, text: "3"), FieldChange(field: .label, text: nil),
                    FieldChange(field: .mediaCondition, text: nil),
                ]))
    }

    func testASKUIsAnyTextOfAtMost64Characters() throws {
        XCTAssertEqual(try command("show", "サンプル 1/2"), ShowCommand(code: try SKU("サンプル 1/2")))
        XCTAssertEqual(
            try command("delete", "--yes", "--", "-x"), DeleteCommand(code: try SKU("-x"), isConfirmed: true))
        XCTAssertEqual(try command("delete", "x"), DeleteCommand(code: try SKU("x"), isConfirmed: false))
    }

    func testSellAndRestockCount() throws {
        func line(_ count: Int) throws -> [CopyMove.Line] { [CopyMove.Line(code: try SKU("A"), count: count)] }
        XCTAssertEqual(try command("sell", "A"), SellCommand(move: CopyMove(kind: .sale, lines: try line(1))))
        XCTAssertEqual(
            try command("restock", "-n", "3", "A"),
            RestockCommand(move: CopyMove(kind: .restock, lines: try line(3))))
    }

    func testList() throws {
        XCTAssertEqual(
            try command(
                "list", "--where", "format=LP", "--where", "min_quantity=1", "--where=max_price=20", "--search", "blue",
                "--sort", "-price,title", "--limit", "5"),
            ListCommand(
                conditions: [
                    ListCommand.Condition(field: .format, comparison: .equal, value: .text("LP")),
                    ListCommand.Condition(field: .quantity, comparison: .atLeast, value: .number(1)),
                    ListCommand.Condition(field: .price, comparison: .atMost, value: .number(200_000)),
                ],
                search: SearchQuery(typed: "blue"),
                sort: [
                    ListCommand.SortKey(field: .price, isDescending: true),
                    ListCommand.SortKey(field: .title, isDescending: false),
                ],
                limit: 5))
    }

    func testAConditionHasTheFormThatRecordsHave() throws {
        XCTAssertEqual(
            try command(
                "list", "--where", "barcode=0360 0029 1452", "--where", "title=a=b", "--where", "year=",
                "--where", "max_quantity=99999999999999999999"),
            ListCommand(conditions: [
                ListCommand.Condition(field: .barcode, comparison: .equal, value: .text("0036000291452")),
                ListCommand.Condition(field: .title, comparison: .equal, value: .text("a=b")),
                ListCommand.Condition(field: .year, comparison: .equal, value: .none),
                ListCommand.Condition(
                    field: .quantity, comparison: .atMost, value: .number(99_999_999_999_999_999_999)),
            ]))
    }

    func testEveryExampleOfTheHelpIsUnderstood() throws {
        var examples = 0
        for command in [nil] + CommandList.all.map(Optional.some) {
            for line in HelpText.text(of: command).split(separator: "\n") where line.hasPrefix("  record-inventory ") {
                let words = line.dropFirst("  record-inventory ".count).prefix { $0 != "|" && $0 != ">" }
                XCTAssertNoThrow(try Invocation(shellWords(words)), "\(line)")
                examples += 1
            }
        }
        XCTAssertGreaterThanOrEqual(examples, CommandList.all.count + 10)
    }

    /// Splits at spaces outside single quotes.
    private func shellWords(_ line: Substring) -> [String] {
        line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
            index.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
        }
    }
}
