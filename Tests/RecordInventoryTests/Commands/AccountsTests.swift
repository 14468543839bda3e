import TestSupport
import XCTest

@testable import RecordInventory

/// The lists for the accountant add up to the report of the same days.
final class AccountsTests: TimedTestCase {
    /// The rows of a CSV file by their headings.
    private func table(_ till: Till, _ arguments: String...) async -> [[String: String]] {
        let outcome = await till.type(arguments + ["--output", "csv"]).expect(.done)
        let lines = outcome.results.split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        return lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(lines[0], $0)) }
    }

    private func sum(_ rows: [[String: String]], _ columns: String...) throws -> Int64 {
        let euro = try Currency("EUR")
        return try rows.reduce(0) { sum, row in
            try columns.reduce(sum) { sum, column in
                guard let text = row[column], !text.isEmpty else { return sum }
                let amount = try Money(String(text.trimmingPrefix("-")), in: euro).amount
                return sum + (text.hasPrefix("-") ? -amount : amount)
            }
        }
    }

    func testEachListAddsUpToTheReport() async throws { try await check(Till()) }

    func testKinto() async throws {
        guard let kinto = try LiveKinto.find(for: "lists for the accountant") else { return }
        try await check(Till(kinto))
    }

    private func check(_ till: Till) async throws {
        var till = till
        till.day = try CalendarDay("2026-03-02")
        _ = await till.add("A", "--price", "9.99", "--cost", "4.00", "--quantity", "20", "--genre", "Jazz")
        _ = await till.add("B", "--price", "12.36", "--quantity", "20", "--consignor", "Ada")
        let commands = [
            ["payments", "--smallest-coin", "0.05"],
            ["sell", "A", "-n", "3", "--payment", "cash", "--discount", "7%", "--id", "S1"],
            ["sell", "A", "B", "--payment", "card:5", "--payment", "cash", "--id", "S2"],
            ["sell", "B", "--person", "Bo", "--payment", "transfer", "--id", "S3"],
            ["return", "A", "--sale", "S1", "--payment", "cash"], ["sell", "B", "--id", "S4"], ["undo", "S4"],
            ["trade-in", "B", "--price", "3.33", "--payment", "cash"], ["till", "close", "--z"],
            ["sell", "A", "--payment", "cash"],
        ]
        for (minute, command) in commands.enumerated() {
            till.minutes = 600 + minute
            await till.type(command).expect(.done)
        }
        till.day = try CalendarDay("2026-03-03")
        _ = await till.type("sell", "A", "--payment", "card")
        let day = ["--day", "yesterday"]
        let report = await table(till, "report", day[0], day[1])
        let total = report.filter { $0["sum"] == "total" }
        let history = await table(till, "history", day[0], day[1])
        let payments = await table(till, "history", "--payments", day[0], day[1])
        XCTAssertFalse(total.isEmpty)
        let sold = history.filter { ["sale", "return"].contains($0["kind"]) }
        XCTAssertEqual(try sum(sold, "amount", "rounding"), try sum(total, "amount"))
        XCTAssertEqual(try sum(sold, "rounding"), try sum(total, "rounding"))
        XCTAssertNotEqual(try sum(sold, "rounding"), 0)
        XCTAssertEqual(try sum(sold, "margin"), try sum(total, "margin"))
        XCTAssertEqual(try sum(history.filter { $0["kind"] == "trade_in" }, "amount"), -333)
        XCTAssertEqual(sold.filter { $0["note"] == "no cost" }.map { $0["sku"] }, ["B", "B", "B", "B"])
        XCTAssertEqual(
            history.filter { $0["close"] == "1" }.count, sold.count, "the sale after the close, the trade-in")
        let taken = payments.filter { $0["kind"] != "trade_in" }
        XCTAssertEqual(try sum(taken, "amount"), try sum(total, "amount"))
        XCTAssertEqual(try sum(taken, "rounding"), try sum(total, "rounding"))
        for kind in ["cash", "card", "transfer", ""] {
            let name = kind.isEmpty ? "(not named)" : kind
            XCTAssertEqual(
                try sum(taken.filter { $0["payment"] == kind }, "amount"),
                try sum(report.filter { $0["name"] == name }, "amount"), name)
        }
        XCTAssertEqual(
            payments.filter { $0["command"] == "S2" }.map { $0["payment"] }, ["card", "cash"], "a line for each part")
        for group in ["kind", "person", "day", "genre", "consignor"] {
            let rows = await table(till, "report", "--by", group, "--from", "2026-03-01")
            let groups = rows.filter { $0["sum"] == group }
            let total = rows.filter { $0["sum"] == "total" }
            XCTAssertEqual(groups.count, 2, group)
            for column in ["amount", "rounding", "margin", "discounts"] {
                XCTAssertEqual(try sum(groups, column), try sum(total, column), "\(group) \(column)")
            }
        }
    }
}
