import TestSupport
import XCTest

@testable import RecordInventory

/// What a day brought, and what waits.
final class ReportCommandTests: TimedTestCase {
    func testTheReportKnowsMarginsAndStock() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "2", "--price", "10.00", "--cost", "6.00", "--genre", "Jazz")
        _ = await till.add("B", "--quantity", "9", "--price", "1000", "--currency", "JPY")
        _ = await till.type("sell", "A", "B")
        let report = await till.type("report", "--by", "genre", "--low-stock", "1", "--dead-stock", "1", "--json")
        for part in [
            #""currency":"EUR","takings":1000,"sold":1"#, #""margin":400,"copies_with_cost":1"#,
            #"{"name":"Jazz","copies":1,"takings":1000}"#, #""currency":"JPY","takings":1000"#,
            #""low_stock":[{"sku":"A","#, #""dead_stock":[]"#,
        ] { XCTAssertTrue(report.results.contains(part), "\(part): \(report.results)") }
        let earlier = await till.type("report", "--day", "2020-02-29")
        XCTAssertEqual(earlier.messages, "2020-02-29: nothing was sold.\n")
        let wrong = await till.type("report", "--day", "2021-02-29")
        XCTAssertEqual(wrong.exitCode, .usage)
        XCTAssertTrue(wrong.messages.contains("there is no such day"), wrong.messages)
    }

    /// The discount of a copy that came back was none.
    func testTheReportTakesReturnedDiscountsOff() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "9", "--price", "10.00")
        let steps = [
            (["sell", "A", "-n", "3", "--discount", "10%", "--id", "S"], 300),
            (["return", "A", "--sale", "S"], 200), (["sell", "A", "--discount", "1.50"], 350),
            (["return", "A", "-n", "2", "--sale", "S"], 150),
        ]
        for (command, discounts) in steps {
            let outcome = await till.type(command)
            XCTAssertEqual(outcome.exitCode, .done, outcome.messages)
            let report = await till.type("report", "--json")
            XCTAssertTrue(report.results.contains(#""discounts":\#(discounts),"#), "\(command): \(report.results)")
        }
    }

    func testTakingsAreAddedUpByFormat() async throws {
        let till = try Till()
        for (sku, format) in [("A", "LP, Album"), ("B", "CD"), ("C", "LP, Album")] {
            _ = await till.add(sku, "--quantity", "2", "--format", format)
        }
        _ = await till.add("D")
        _ = await till.type("sell", "A", "B", "B", "C", "D")
        let report = await till.type("report", "--by", "format")
        XCTAssertEqual(
            report.rows.prefix(4).map { Array($0.dropFirst()) },
            [
                ["takings", "5", "50.00", "EUR"], ["format (no format)", "1", "10.00", "EUR"],
                ["format CD", "2", "20.00", "EUR"], ["format LP, Album", "2", "20.00", "EUR"],
            ])
    }

    func testDeadStockIsWhatWasNotSoldForThatManyDays() async throws {
        var till = try Till()
        for (day, commands) in [
            ("2026-01-01", [["A", "9"], ["B", "9"], ["C", "9"], ["D", "1"], ["E", "9"]]), ("2026-01-20", [["F", "9"]]),
        ] {
            till.day = try CalendarDay(day)
            for command in commands { _ = await till.add(command[0], "--quantity", command[1]) }
        }
        for (day, command) in [
            ("2026-01-05", ["sell", "B"]), ("2026-01-21", ["restock", "C"]), ("2026-01-05", ["sell", "D"]),
            // Neither is a customer's interest.
            ("2026-01-21", ["count", "A", "8"]), ("2026-01-21", ["edit", "E", "--notes", "n"]),
        ] {
            till.day = try CalendarDay(day)
            let outcome = await till.type(command)
            XCTAssertEqual(outcome.exitCode, .done, outcome.messages)
        }
        till.day = try CalendarDay("2026-01-31")
        for (limit, skus) in [("12", ["A", "E", "B"]), ("27", ["A", "E"]), ("30", ["A", "E"]), ("31", [])] {
            let report = await till.type("report", "--dead-stock", limit)
            XCTAssertEqual(report.rows.map { $0[1] }, skus, "\(limit) days, the longest first")
        }
    }

    func testAReservationEndsAfterItsLastDay() async throws {
        var till = try Till()
        till.day = try CalendarDay("2026-12-23")
        _ = await till.add("A", "--quantity", "2")
        _ = await till.type("reserve", "A", "--for", "Ada", "--until", "2026-12-24")
        _ = await till.type("reserve", "A", "--for", "Bob", "--until", "2026-12-31")
        till.day = try CalendarDay("2026-12-24")
        let early = await till.type("sell", "A")
        XCTAssertEqual(early.exitCode, .conflict)
        XCTAssertTrue(early.messages.contains("2 are reserved for Ada, Bob"), early.messages)
        till.day = try CalendarDay("2026-12-25")
        let late = await till.type("sell", "A", "-n", "2")
        XCTAssertEqual(late.exitCode, .conflict)
        XCTAssertTrue(late.messages.contains("1 is reserved for Bob"), late.messages)
        let sold = await till.type("sell", "A")
        XCTAssertEqual(sold.exitCode, .done, sold.messages)
        let last = await till.type("sell", "A")
        XCTAssertEqual(last.exitCode, .conflict, "Bob's copy stays: \(last.messages)")
        till.day = try CalendarDay("2027-01-01")
        let free = await till.type("sell", "A")
        XCTAssertEqual(free.exitCode, .done, free.messages)
    }
}
