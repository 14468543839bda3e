import TestSupport
import XCTest

@testable import RecordInventory

final class CommandArgumentsTests: TimedTestCase {
    private func command<Wanted: Command>(_ arguments: String...) throws -> Wanted? {
        guard case .run(let command) = try Invocation(arguments).action else { return nil }
        return command as? Wanted
    }

    private func assertUsage(_ arguments: String..., message: String, line: UInt = #line) {
        XCTAssertThrowsError(try Invocation(arguments), line: line) {
            XCTAssertEqual(($0 as? UsageError)?.message, message, line: line)
        }
    }

    func testImport() throws {
        XCTAssertEqual(try command("import", "a.csv"), ImportCommand(file: "a.csv"))
        XCTAssertEqual(
            try command("import", "-", "--from", "discogs", "--currency", "eur", "--on-duplicate=fail", "--dry-run"),
            ImportCommand(file: "-", format: .discogs, currency: try Currency("EUR"), onDuplicate: .fail))
        assertUsage("import", message: "import requires a FILE")
        assertUsage("import", "a", "b", message: "import takes no argument \"b\"")
        assertUsage("import", "a", "--from", "xls", message: "--from requires one of discogs, csv; not \"xls\"")
        assertUsage(
            "import", "a", "--on-duplicate", "no",
            message: "--on-duplicate requires one of skip, update, fail; not \"no\"")
        assertUsage(
            "import", "-", "--password-stdin", message: "--password-stdin and import - both require standard input")
        XCTAssertThrowsError(try Invocation(["import", "a", "--currency", "EURO"]))
    }

    func testAStockIsInOnePlace() {
        assertUsage(
            "list", "--store", "a", "--server", "http://127.0.0.1:8888/v1",
            message: "--store and --server contradict each other: the stock is in a file or on a server")
    }

    func testExport() throws {
        XCTAssertEqual(try command("export", "-"), ExportCommand(path: "-"))
        XCTAssertEqual(try command("export", "./-"), ExportCommand(path: "./-"))
        XCTAssertEqual(
            try command("export", "-o", "x.csv", "--spreadsheet"), ExportCommand(path: "x.csv", forSpreadsheet: true))
        XCTAssertThrowsError(try Invocation(["export", "y.csv", "-o", "x.csv"]))
        XCTAssertThrowsError(try Invocation(["export"]))
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

    func testAddNamesAllThatIsMissing() {
        assertUsage("add", "--artist", "A", message: "add also requires --title, --price")
    }

    func testAFieldIsCheckedBeforeAnythingIsDone() {
        assertUsage(
            "edit", "A", "--barcode", "12", message: "barcode \"12\": 2 digits; a barcode has 8, 12 or 13")
        for option in ["--year=x", "--quantity=-1", "--price=1.505", "--media-condition=Superb", "--artist="] {
            XCTAssertThrowsError(try Invocation(["edit", "A", "--currency=EUR", option]), option)
        }
    }

    func testASoldRecordHasNoCopies() throws {
        let message =
            "--status sold and --quantity 2 contradict each other, as what is sold has no copies; leave out --quantity if "
            + "they are sold, --status if they are not"
        assertUsage("edit", "A", "--quantity", "2", "--status", "Sold", message: message)
        assertUsage(
            "add", "--artist=A", "--title=T", "--price=1", "--currency=EUR", "--status=sold", "--quantity=2",
            message: message)
        XCTAssertNoThrow(try Invocation(["edit", "A", "--quantity", "0", "--status", "sold"]))
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
        assertUsage("edit", "A", "--sku", "B", message: "there is no option \"--sku\"")
        assertUsage("edit", "A", message: "edit requires a field to change, such as --location A-12")
        assertUsage(
            "edit", "A", "--clear", "title", message: "title cannot be cleared: every record has one")
        assertUsage(
            "edit", "A", "--label", "L", "--clear", "label", message: "--label and --clear label contradict each other")
        assertUsage("edit", "A", "--clear", "notes", "--clear=notes", message: "--clear notes is given twice")
        assertUsage("edit", "A", "--clear", "lable", message: "there is no field \"lable\"; did you mean label?")
    }

    func testASKUIsAnyTextOfAtMost64Characters() throws {
        XCTAssertEqual(try command("show", "サンプル 1/2"), ShowCommand(code: try SKU("サンプル 1/2")))
        XCTAssertEqual(
            try command("delete", "--yes", "--", "-x"), DeleteCommand(code: try SKU("-x"), isConfirmed: true))
        XCTAssertEqual(try command("delete", "x"), DeleteCommand(code: try SKU("x"), isConfirmed: false))
        XCTAssertThrowsError(try Invocation(["show", String(repeating: "x", count: 65)]))
        assertUsage("show", message: "show requires a SKU")
        assertUsage("show", "", message: "show requires a SKU")
        assertUsage("undo", "", message: "undo requires an ID")
    }

    func testSellAndRestockCount() throws {
        func line(_ count: Int) throws -> [CopyMove.Line] { [CopyMove.Line(code: try SKU("A"), count: count)] }
        XCTAssertEqual(try command("sell", "A"), SellCommand(move: CopyMove(kind: .sale, lines: try line(1))))
        XCTAssertEqual(
            try command("restock", "-n", "3", "A"),
            RestockCommand(move: CopyMove(kind: .restock, lines: try line(3))))
        for count in ["0", "-1", "1.5", "", "1000001", "99999999999999999999"] {
            assertUsage(
                "sell", "A", "-n", count, message: "-n requires a whole number from 1 to 1000000; not \"\(count)\"")
        }
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

    func testAConditionThatMakesNoSense() {
        assertUsage("list", "--where", "quantty=1", message: "there is no field \"quantty\"; did you mean quantity?")
        assertUsage(
            "list", "--where", "min_quantty=1", message: "there is no field \"min_quantty\"; did you mean min_quantity?"
        )
        assertUsage(
            "list", "--where", "blue", message: "--where requires FIELD=VALUE, such as format=LP; not \"blue\"")
        assertUsage("list", "--where", "year=x", message: "--where year \"x\": not a whole number of at most 38 digits")
        assertUsage("list", "--where", "min_year=", message: "--where min_year requires a value")
        assertUsage("list", "--sort", "-prise", message: "there is no field \"prise\"; did you mean price?")
        assertUsage("list", "--where", "=5", message: "there is no field \"\"")
        assertUsage("list", "--where", "min_=5", message: "there is no field \"min_\"")
        assertUsage("list", "--sort", "title,", message: "there is no field \"\"")
        assertUsage("list", "--limit", "0", message: "--limit requires a whole number of at least 1; not \"0\"")
        assertUsage("list", "blue", message: "list takes no argument \"blue\"; to search, give --search TEXT")
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
