import RecordKitJSON
import Foundation
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordInventory

/// The commands that make movements, on a store of their own.
final class LedgerCommandTests: TimedTestCase {
    /// Checks that every quantity is the sum of its movements.
    private func check(_ till: Till, line: UInt = #line) async {
        let outcome = await till.type("doctor", "--dry-run")
        XCTAssertEqual(outcome.exitCode, .done, outcome.messages, line: line)
        XCTAssertEqual(outcome.messages, "Every quantity is the sum of its movements.\n", line: line)
    }

    private func quantity(_ sku: String, _ till: Till) async -> String? {
        await till.type("show", sku).rows.first?[13]
    }

    /// The kind and the quantity of each movement.
    private func history(_ till: Till, _ arguments: String...) async -> [[String]] {
        await till.type(["history"] + arguments).rows.map { [$0[2], $0[4]] }
    }

    func testEveryCommandThatChangesAQuantityMakesAMovement() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "3")
        for command in [
            ["sell", "A"], ["return", "A"], ["restock", "A", "-n", "2"], ["trade-in", "A", "--price", "4"],
            ["write-off", "A", "--reason", "broken"], ["count", "A", "9"], ["edit", "A", "--quantity", "4"],
            ["edit", "A", "--notes", "n"], ["reserve", "A", "--for", "Ada"], ["release", "A"],
        ] {
            let outcome = await till.type(command)
            XCTAssertEqual(outcome.exitCode, .done, "\(command): \(outcome.messages)")
            await check(till)
        }
        let found = await history(till, "A")
        XCTAssertEqual(
            found,
            [
                ["opening", "3"], ["sale", "-1"], ["return", "1"], ["restock", "2"], ["trade_in", "1"],
                ["write_off", "-1"], ["count", "4"], ["correction", "-5"], ["edit", "0"], ["reservation", "1"],
                ["release", "-1"],
            ])
        let deleted = await till.type("delete", "A", "--yes")
        XCTAssertEqual(deleted.exitCode, .done, deleted.messages)
        let last = await history(till, "A")
        XCTAssertEqual(last.last, ["deletion", "-4"])
        await check(till)
        _ = await till.add("A", "--quantity", "2")
        await check(till)
        let again = await history(till, "A")
        XCTAssertEqual(again.count, 13, "the earlier record's history is kept")
        _ = await till.add("EMPTY", "--quantity", "0")
        await check(till)
    }

    func testTheHistoryIsInOrderHoweverLongItIs() async throws {
        let till = try Till()
        // More than are sorted in memory.
        let rows = (0..<5_200).map { "LP-\(10_000 + $0),A,T,1,EUR" }
        _ = await till.type("import", try till.file(rows.joined(separator: "\n")))
        for sku in ["LP-14000", "LP-10001", "LP-12345"] { _ = await till.type("sell", sku) }
        let all = await till.type("history")
        XCTAssertEqual(all.rows.count, 5_203)
        XCTAssertEqual(all.rows.map { $0[1] }, all.rows.map { $0[1] }.sorted(), "by time")
        XCTAssertEqual(all.rows.suffix(3).map { $0[3] }, ["LP-14000", "LP-10001", "LP-12345"])
        let latest = await till.type("history", "--limit", "2")
        XCTAssertEqual(latest.rows, Array(all.rows.suffix(2)))
        let json = await till.type("history", "--limit", "1", "--json")
        XCTAssertEqual(
            try JSONValue(stored: Array(json.results.utf8)).array?.first?.object?["id"]?.string, all.rows.last?[0])
        let none = await till.type("history", "--day", "2020-02-29", "--json")
        XCTAssertEqual(none.results, "[]\n")
        XCTAssertEqual(none.messages, "There are no such movements.\n")
    }

    func testASaleOfSeveralRecordsIsMadeAsAWholeOrNotAtAll() async throws {
        let till = try Till()
        for sku in ["A", "B", "C"] { _ = await till.add(sku, "--quantity", "2", "--price", "10.00") }
        let short = await till.type("sell", "A", "B", "B", "B")
        XCTAssertEqual(short.exitCode, .conflict)
        XCTAssertTrue(short.messages.contains("not enough copies of B: 2 in stock, 3 wanted"), short.messages)
        let whole = await quantity("A", till)
        XCTAssertEqual(whole, "2", "nothing was sold")

        let sold = await till.type("sell", "A", "B", "B", "C", "--discount", "10.01", "--payment", "cash", "--id", "S1")
        XCTAssertEqual(sold.exitCode, .done, sold.messages)
        XCTAssertEqual(sold.rows.map { [$0[0], $0[13]] }, [["A", "1"], ["B", "0"], ["C", "1"]])
        let movements = await till.type("history", "--id", "S1").rows
        XCTAssertEqual(
            movements.map { [$0[0], $0[3], $0[4], $0[6], $0[8]] },
            [
                ["S1-1", "A", "-1", "2.50", "cash"], ["S1-2", "B", "-2", "5.01", "cash"],
                ["S1-3", "C", "-1", "2.50", "cash"],
            ])
        let report = await till.type("report")
        XCTAssertEqual(report.rows.first.map { Array($0.dropFirst()) }, ["takings", "4", "29.99", "EUR"])
        await check(till)
    }

    func testACommandWithAnIDIsMadeOnce() async throws {
        let till = try Till()
        for sku in ["A", "B"] { _ = await till.add(sku, "--quantity", "5") }
        for command in [
            ["sell", "A", "B", "--id", "one"], ["restock", "A", "--id", "two"],
            ["reserve", "A", "--for", "Ada", "--id", "three"],
            ["release", "A", "--id", "four"], ["write-off", "B", "--id", "five"],
        ] {
            let first = await till.type(command)
            XCTAssertEqual(first.exitCode, .done, "\(command): \(first.messages)")
            let before = await till.type("list")
            let second = await till.type(command)
            XCTAssertEqual(second.exitCode, .done, "\(command): \(second.messages)")
            XCTAssertTrue(
                second.messages.contains("Nothing was done again: \(command.last ?? "") was made at "), second.messages)
            let after = await till.type("list")
            XCTAssertEqual(after.results, before.results, "\(command)")
        }
        let bad = await till.type("sell", "A", "--id", "a b")
        XCTAssertEqual(bad.exitCode, .usage)
        await check(till)
    }

    func testUndoTakesBackOnce() async throws {
        let till = try Till()
        for sku in ["A", "B"] { _ = await till.add(sku, "--quantity", "1") }
        _ = await till.type("sell", "A", "B", "--id", "S1")
        for _ in 0..<2 {
            let undone = await till.type("undo", "S1")
            XCTAssertEqual(undone.exitCode, .done, undone.messages)
            let list = await till.type("list")
            XCTAssertEqual(list.rows.map { [$0[13], $0[14]] }, [["1", "for_sale"], ["1", "for_sale"]])
        }
        _ = await till.type("sell", "A")
        let last = await till.type("undo", answer: "y\n")
        XCTAssertEqual(last.exitCode, .done, last.messages)
        let nothing = await till.type("undo", answer: "y\n")
        XCTAssertEqual(nothing.exitCode, .conflict, "an undo is not taken back: \(nothing.messages)")
        _ = await till.type("sell", "A", "--id", "S2")
        _ = await till.type("return", "A", "--sale", "S2")
        let twice = await till.type("undo", "S2")
        XCTAssertEqual(twice.exitCode, .conflict, twice.messages)
        let opening = await till.type("undo", "opening-A")
        XCTAssertEqual(opening.exitCode, .conflict, opening.messages)
        let unknown = await till.type("undo", "none")
        XCTAssertEqual(unknown.exitCode, .notFound)
        let takings = await till.type("report").rows.first
        XCTAssertEqual(takings?[3], "0.00")
        await check(till)
    }

    func testAReturnHasThePriceOfItsSale() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "3", "--price", "10.00")
        _ = await till.type(
            "sell", "A", "-n", "2", "--price", "8.00", "--discount", "10%", "--payment", "card", "--id", "S1")
        _ = await till.type("edit", "A", "--price", "20")
        let back = await till.type("return", "A", "--sale", "S1")
        XCTAssertEqual(back.messages, "Took back 1 of A for 7.20 EUR; 2 in stock.\n")
        let more = await till.type("return", "A", "--sale", "S1", "-n", "2")
        XCTAssertEqual(more.exitCode, .conflict, more.messages)
        let report = await till.type("report")
        XCTAssertEqual(
            report.rows.prefix(2).map { Array($0.dropFirst()) },
            [
                ["takings", "1", "7.20", "EUR"], ["payment card", "1", "7.20", "EUR"],
            ])
    }

    func testReservedCopiesAreSoldToTheirCustomerAlone() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "2")
        let reserved = await till.type("reserve", "A", "-n", "2", "--for", "Ada")
        XCTAssertTrue(reserved.messages.contains("0 of 2 available"), reserved.messages)
        for command in [["sell", "A"], ["reserve", "A", "--for", "Bob"], ["sell", "A", "--for", "Bob"]] {
            let outcome = await till.type(command)
            XCTAssertEqual(outcome.exitCode, .conflict, "\(command): \(outcome.messages)")
        }
        let sold = await till.type("sell", "A", "--for", "Ada")
        XCTAssertEqual(sold.exitCode, .done, sold.messages)
        _ = await till.type("release", "A", "--for", "Ada")
        let rest = await till.type("sell", "A")
        XCTAssertEqual(rest.exitCode, .done, rest.messages)
        let passed = await till.type("reserve", "A", "--for", "Ada", "--until", "2020-01-01")
        XCTAssertEqual(passed.exitCode, .usage)
        await check(till)
    }

    func testDoctorEntersWhatAnotherProgramChanged() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "3")
        try await till.patch("A", ["quantity": 7])
        let found = await till.type("doctor", "--dry-run")
        XCTAssertEqual(found.exitCode, .failed)
        XCTAssertTrue(found.messages.contains("A has 7 in stock, but its movements add up to 3."), found.messages)
        let mended = await till.type("doctor")
        XCTAssertEqual(mended.exitCode, .done, mended.messages)
        await check(till)
        let sold = await till.type("sell", "A")
        XCTAssertEqual(sold.exitCode, .done, sold.messages)
        await check(till)
    }

    /// A lock without the mark of a complete ledger.
    func testALedgerThatIsNotCompleteIsBuiltBeforeTheNextChange() async throws {
        let till = try Till()
        for sku in ["A", "B"] { _ = await till.add(sku, "--quantity", "3") }
        try await till.patch("A", ["quantity": 1])
        let store = EmbeddedStore(file: till.folder.url.appending(path: "stock.sqlite"))
        for path in ["locks/records/stock", "records/records/C"] {
            let fields: JSONValue =
                path.hasPrefix("locks")
                ? [:]
                : [
                    "sku": "C", "artist": "A", "title": "T", "quantity": 4, "status": "for_sale",
                    "price": ["amount": 1, "currency": "EUR"],
                ]
            _ = try await store.respond(
                to: StoreRequest(
                    method: .put, path: "/v1/buckets/shop/collections/\(path)", body: .json(["data": fields])))
        }
        let sold = await till.type("sell", "B")
        XCTAssertEqual(sold.exitCode, .done, sold.messages)
        await check(till)
        let entered = await history(till)
        XCTAssertTrue(entered.contains(["correction", "-2"]) && entered.contains(["opening", "4"]), "\(entered)")
    }

    func testTheTillSellsWhatIsScanned() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "2", "--barcode", "4006381333931", "--price", "10.00")
        _ = await till.add("B", "--quantity", "1", "--price", "5.00")
        let shift = await till.scan(
            ["till"], "4006381333931\nA\nB\nundo\nA\nnope\ndiscount 10%\npay cash\nundo\nB\nprice 3\npay card\n")
        XCTAssertEqual(shift.exitCode, .partlyDone, "one code was unknown, and one copy too many")
        XCTAssertTrue(
            shift.results.contains("A  Artist: Title  10.00 EUR  1 left\nTotal: 1 for 10.00 EUR\n"), shift.results)
        XCTAssertTrue(shift.results.contains("18.00 EUR"), shift.results)
        XCTAssertTrue(shift.messages.contains("there are not enough copies of A: 2 can be sold"), shift.messages)
        XCTAssertTrue(shift.messages.contains("there is no record nope"), shift.messages)
        let list = await till.type("list")
        XCTAssertEqual(list.rows.map { $0[13] }, ["2", "0"], "the first sale was taken back")
        let report = await till.type("report")
        XCTAssertEqual(
            report.rows.map { Array($0.dropFirst()) }.prefix(3),
            [
                ["takings", "1", "3.00", "EUR"], ["payment card", "1", "3.00", "EUR"],
                ["payment cash", "0", "0.00", "EUR"],
            ])
        let open = await till.scan(["till"], "A\n")
        XCTAssertEqual(open.exitCode, .failed)
        XCTAssertTrue(open.messages.contains("ended without pay"), open.messages)
        await check(till)
    }

    func testAShelfIsCountedWithoutReadingTheWholeStock() async throws {
        let server = try LoopbackServer.kinto { request in .json(#"{"data":[]}"#) }
        let till = try Till(server: server)
        for (location, query) in [("A-12", "location=%22A-12%22"), ("Töpfe", "_sort=id&_limit=1000")] {
            let outcome = await till.scan(["count", "--location", location], "")
            XCTAssertEqual(outcome.exitCode, .done, outcome.messages)
            let target = try XCTUnwrap(server.requests.last { $0.path.hasSuffix("/collections/records/records") })
                .target
            XCTAssertTrue(target.contains("?" + query), target)
        }
    }

    func testAShelfIsCountedBeforeAnythingIsChanged() async throws {
        let till = try Till()
        for (sku, count) in [("A", "2"), ("B", "1"), ("C", "1")] {
            _ = await till.add(sku, "--quantity", count, "--location", "S 1")
        }
        _ = await till.add("D", "--location", "S 2")
        let shown = await till.scan(["count", "--location", "S 1"], "A\nA\nA\nB\nD\n")
        XCTAssertEqual(shown.exitCode, .failed)
        XCTAssertEqual(
            shown.rows.map { [$0[0], $0[3], $0[4], $0[5]] }, [["A", "2", "3", "1"], ["C", "1", "0", "-1"]])
        XCTAssertTrue(
            shown.messages.contains("\"D\" was not counted: D, Artist: Title, belongs to S 2"), shown.messages)
        let before = await quantity("A", till)
        XCTAssertEqual(before, "2")
        let counted = await till.scan(["count", "--location", "S 1", "--commit"], "A\nA\nA\nB\n")
        XCTAssertEqual(counted.exitCode, .done, counted.messages)
        let list = await till.type("list")
        XCTAssertEqual(list.rows.map { $0[13] }, ["3", "1", "0", "1"])
        await check(till)
    }

    func testAMistypedDiscountAtTheTillLeavesTheEarlierOne() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "3", "--price", "10.00")
        let sale = await till.scan(["till"], "A\ndiscount 10%\ndiscount 500%\ndiscount x\npay cash\n")
        XCTAssertEqual(sale.exitCode, .partlyDone)
        XCTAssertTrue(sale.results.contains("Total                           9.00 EUR"), sale.results)
        let none = await till.scan(["till"], "A\ndiscount 10%\ndiscount\npay cash\n")
        XCTAssertTrue(none.results.contains("Total                          10.00 EUR"), none.results)
    }

    func testWithJSONTheTillPrintsOnlySales() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "3")
        let sale = await till.scan(["till", "--json"], "A\ntotal\npay cash\nA\npay card\n")
        let lines = sale.results.split(separator: "\n")
        XCTAssertEqual(lines.count, 2, sale.results)
        for line in lines { XCTAssertNotNil(try JSONValue(stored: Array(line.utf8)).object?["movements"]) }
        XCTAssertTrue(sale.messages.contains("Total: 1 for 10.00 EUR"), sale.messages)
    }

    func testATerminalShowsWhatIsReserved() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "3")
        _ = await till.type("reserve", "A", "-n", "2", "--for", "Ada", "--until", "2190-01-01")
        let shown = await till.type("show", "A", answer: "")
        XCTAssertTrue(shown.results.contains("reserved  2 for Ada until 2190-01-01"), shown.results)
        let short = await till.type("sell", "A", "-n", "2")
        XCTAssertTrue(short.messages.contains("of which 2 are reserved for Ada"), short.messages)
    }

    func testTheReportOfAnOpenRangeNamesItsEnd() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "3")
        _ = await till.type("sell", "A")
        for (options, range, first, last) in [
            (["--from", "2020-01-01"], "since 2020-01-01", JSONValue("2020-01-01"), JSONValue.null),
            (["--to", "2190-01-01"], "until 2190-01-01", .null, "2190-01-01"),
            (["--from", "2020-01-01", "--to", "2190-01-01"], "2020-01-01 to 2190-01-01", "2020-01-01", "2190-01-01"),
        ] {
            let report = await till.type(["report"] + options)
            XCTAssertEqual(report.rows.first, [range, "takings", "1", "10.00", "EUR"])
            let json = try JSONValue(stored: Array(await till.type(["report", "--json"] + options).results.utf8)).object
            XCTAssertEqual(json?["from"], first)
            XCTAssertEqual(json?["to"], last)
        }
    }
}
