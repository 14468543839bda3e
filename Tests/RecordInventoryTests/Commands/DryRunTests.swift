import TestSupport
import XCTest

@testable import RecordInventory

/// Commands that report what they would do.
final class DryRunTests: TimedTestCase {
    /// The commands that write nothing to the stock.
    private static let readers = [
        "export", "lookup", "backup", "discogs-sold", "show", "list", "history", "report", "config", "completions",
        "man",
    ]

    func testNothingIsWritten() async throws {
        let till = try Till()
        _ = await till.add("LP-1", "--price", "18.50", "--location", "A-1")
        for (arguments, exitCode, said) in [
            (
                ["add", "--sku", "LP-2", "--artist", "A", "--title", "T", "--price", "1", "--currency", "EUR"], .done,
                "It would be added: LP-2, A: T.\n"
            ),
            (
                ["add", "--sku", "LP-1", "--artist", "A", "--title", "T", "--price", "1", "--currency", "EUR"],
                .conflict,
                "LP-1 exists already"
            ),
            (
                ["edit", "LP-1", "--price", "16", "--location", ""], .done,
                "It would be changed: LP-1: price: \"18.50\" becomes \"16.00\"; location: \"A-1\" becomes \"\".\n"
            ),
            (["edit", "LP-1", "--price", "18.50"], .done, "It would be changed: LP-1: nothing.\n"),
            (["edit", "LP-9", "--price", "16"], .notFound, "no record LP-9"),
            (["delete", "LP-1"], .done, "It would be deleted: LP-1, Artist: Title, with 1 copy in stock.\n"),
            (["delete", "LP-9"], .notFound, "no record LP-9"),
        ] as [([String], ExitCode, String)] {
            let before = await till.type("list", "--json").results
            let outcome = await till.type(arguments + ["--dry-run"])
            XCTAssertEqual(outcome.exitCode, exitCode, "\(arguments)")
            XCTAssertTrue(outcome.messages.contains(said), "\(arguments): \(outcome.messages)")
            let after = await till.type("list", "--json").results
            XCTAssertEqual(after, before, "\(arguments)")
        }
    }

    func testNothingIsEntered() async throws {
        let till = try Till()
        for sku in ["A", "B"] { _ = await till.add(sku, "--quantity", "3", "--location", "S") }
        _ = await till.type("sell", "A", "--id", "S1")
        _ = await till.type("reserve", "B", "--for", "Ada")
        for (arguments, lines, said) in [
            (
                ["sell", "A", "B", "--id", "S2"], nil,
                "It would be: Sold 1 of A, Artist: Title, for 10.00 EUR; 1 left.\n"
            ),
            (["till"], "A\npay\n", "This is a dry run"),
            (["till", "open", "--float", "5"], nil, "Nothing was written. It would be: Opened the till "),
            (["till", "close", "--z"], nil, "Nothing was written.\n"),
            (["undo"], nil, "It would be: Released 1 of B."),
            (["undo", "S1"], nil, "It would be: Undone: S1-1. A has 3 in stock."),
            (["return", "A", "--sale", "S1"], nil, "It would be: Took back 1 of A for 10.00 EUR; 3 in stock."),
            (["restock", "A"], nil, "It would be: Restocked 1 of A; 3 in stock."),
            (["trade-in", "A", "--price", "4"], nil, "It would be: Bought 1 of A for 4.00 EUR; 3 in stock."),
            (["write-off", "A"], nil, "It would be: Wrote off 1 of A; 1 left."),
            (["reserve", "A", "--for", "Ada"], nil, "It would be: Reserved 1 of A for Ada; 1 of 2 available."),
            (["release", "B"], nil, "It would be: Released 1 of B; 3 of 3 available."),
            (["count", "A", "7"], nil, "It would be: Counted 7 of A, in place of 2."),
            (["count", "--location", "S", "--commit"], "A\n", "Nothing was written."),
        ] as [([String], String?, String)] {
            let before = await [till.type("list", "--json").results, till.type("history", "--json").results]
            let outcome = await till.type(arguments + ["--dry-run"], input: lines)
            XCTAssertEqual(outcome.exitCode, .done, "\(arguments): \(outcome.messages)")
            XCTAssertTrue(outcome.messages.contains(said), "\(arguments): \(outcome.messages)")
            let after = await [till.type("list", "--json").results, till.type("history", "--json").results]
            XCTAssertEqual(after, before, "\(arguments)")
        }
        let unopened = await till.type("till", "close")
        XCTAssertEqual(unopened.rows.last, ["X", "total", "10.00", "EUR"], "neither float nor close")
        let short = await till.type("sell", "A", "-n", "3", "--dry-run")
        XCTAssertEqual(short.exitCode, .conflict, "as without --dry-run: \(short.messages)")
        // Every command that writes takes it.
        for command in CommandList.all.map({ $0.usage })
        where !Self.readers.contains(command.name) {
            XCTAssertTrue(command.options.contains { $0.name == "--dry-run" }, command.name)
        }
    }

    func testImportListsRowsAndFieldsOnRequest() async throws {
        let till = try Till()
        _ = await till.add("LP-1", "--price", "18.50")
        _ = await till.add("LP-2", "--price", "5.00")
        let file = try till.file(
            "LP-1,Artist,Title,16,EUR", "LP-2,Artist,Title,5,EUR", "LP-3,A,T,1,EUR", "LP-4,A,,1,EUR")
        let command = ["import", file, "--on-duplicate", "update", "--dry-run", "--details"]
        let outcome = await till.type(command)
        XCTAssertEqual(
            outcome.results,
            "row 2 (LP-1): updated; price: \"18.50\" becomes \"16.00\"\nrow 3 (LP-2): unchanged\nrow 4 (LP-3): created\n"
                + "Nothing was written. It would be: 1 created, 1 updated, 1 unchanged, 1 rejected\n")
        let json = await till.type(command + ["--json"]).results.split(separator: "\n")
        XCTAssertEqual(
            json.first,
            #"{"row":2,"sku":"LP-1","result":"updated","changes":{"price":{"old":"18.50","new":"16.00"}}}"#)
        let alone = await till.type("import", file, "--details")
        XCTAssertEqual(alone.exitCode, .usage)
    }
}
