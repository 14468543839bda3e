import RecordKitJSON
import Foundation
import TestSupport
import XCTest

@testable import RecordInventory

/// Returns, and commands that are taken back.
final class TakingBackTests: TimedTestCase {
    private func quantities(_ till: Till) async -> [String] {
        await till.type("list").rows.map { $0[13] }
    }

    func testPartialReturnsPayBackWhatWasPaid() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "3", "--price", "10.00")
        _ = await till.type("sell", "A", "-n", "3", "--discount", "10.00", "--id", "S1")
        for (id, amount) in [("R1", "6.67"), ("R2", "6.67"), ("R3", "6.66")] {
            let back = await till.type("return", "A", "--sale", "S1", "--id", id)
            XCTAssertTrue(back.messages.contains("for \(amount) EUR"), back.messages)
        }
        let report = await till.type("report")
        XCTAssertEqual(report.rows.first.map { Array($0.dropFirst()) }, ["takings", "0", "0.00", "EUR"])
    }

    func testACopyComesBackAgainAfterItsReturnIsTakenBack() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "3", "--price", "10.00")
        _ = await till.type("sell", "A", "-n", "3", "--discount", "10.00", "--id", "S1")
        for id in ["R1", "R2", "R3"] { _ = await till.type("return", "A", "--sale", "S1", "--id", id) }
        _ = await till.type("undo", "R1")
        let undo = await till.type("return", "A", "--sale", "undo-R1")
        XCTAssertEqual(undo.exitCode, .notFound, "it is no sale: \(undo.messages)")
        let more = await till.type("return", "A", "-n", "2", "--sale", "S1")
        XCTAssertEqual(more.exitCode, .conflict, more.messages)
        let again = await till.type("return", "A", "--sale", "S1", "--id", "R4")
        XCTAssertEqual(again.messages, "Took back 1 of A for 6.67 EUR; 3 in stock.\n")
        for id in ["R2", "R3", "R4"] { _ = await till.type("undo", id) }
        let whole = await till.type("undo", "S1")
        XCTAssertEqual(whole.messages, "Undone: S1-1. A has 3 in stock.\n", "no return of it stands")
        let report = await till.type("report")
        XCTAssertEqual(report.rows.first.map { Array($0.dropFirst()) }, ["takings", "0", "0.00", "EUR"])
    }

    func testAReturnOfASaleHasNoPriceOfItsOwn() async throws {
        let till = try Till()
        _ = await till.add("A")
        _ = await till.type("sell", "A", "--id", "S1")
        let back = await till.type("return", "A", "--sale", "S1", "--price", "4.00")
        XCTAssertEqual(back.exitCode, .usage)
        XCTAssertTrue(back.messages.contains("--price"), back.messages)
    }

    /// An earlier command may be another customer's sale.
    func testUndoTakesBackTheLastCommandOrNothing() async throws {
        let till = try Till()
        for sku in ["A", "B"] { _ = await till.add(sku, "--quantity", "5") }
        for (command, kind) in [
            (["edit", "A", "--notes", "n"], "edit of A"), (["delete", "B", "--yes"], "deletion of B"),
        ] {
            _ = await till.type("sell", "A")
            _ = await till.type(command)
            let undone = await till.type("undo", answer: "y\n")
            XCTAssertEqual(undone.exitCode, .conflict, undone.messages)
            XCTAssertTrue(undone.messages.contains("cannot be taken back: it is \(kind)"), undone.messages)
        }
        for (index, command) in [
            ["return", "A", "--sale", "S0"], ["edit", "A", "--quantity", "9"], ["count", "A", "9"], ["restock", "A"],
            ["sell", "A"],
        ].enumerated() {
            _ = await till.type("count", "A", "5")
            _ = await till.type("sell", "A", "--id", "S\(index)")
            let outcome = await till.type(command)
            XCTAssertEqual(outcome.exitCode, .done, outcome.messages)
            let undone = await till.type("undo", answer: "y\n")
            XCTAssertEqual(undone.exitCode, .done, "\(command): \(undone.messages)")
            let quantity = await quantities(till)
            XCTAssertEqual(quantity, ["4"], "\(command)")
            let twice = await till.type("undo", answer: "y\n")
            XCTAssertEqual(twice.exitCode, .conflict, "\(command): \(twice.messages)")
            XCTAssertTrue(twice.messages.contains("takes back something itself"), twice.messages)
        }
    }

    func testTheTillTakesBackItsLastSaleAlone() async throws {
        let till = try Till()
        for sku in ["A", "B"] { _ = await till.add(sku, "--quantity", "5") }
        _ = await till.type("sell", "A", "--id", "S1")
        _ = await till.type("restock", "A", "-n", "5")
        _ = await till.type("reserve", "A", "--for", "Ada")
        let other = await till.scan(["till"], "undo\n")
        XCTAssertEqual(other.exitCode, .partlyDone, "it is the sale of another run: \(other.messages)")
        XCTAssertTrue(other.messages.contains("this till has sold nothing since it was started"), other.messages)
        let shift = await till.scan(["till"], "A\npay\nB\npay\nundo\nundo\n")
        XCTAssertEqual(shift.exitCode, .done, shift.messages)
        XCTAssertTrue(shift.messages.contains("B has 5 in stock."), shift.messages)
        XCTAssertTrue(shift.messages.contains("Nothing was done again: undo-"), shift.messages)
        let quantities = await quantities(till)
        XCTAssertEqual(quantities, ["8", "5"], "the sale before it stays, and so does the restock")
    }

    private func reservations(_ till: Till) async throws -> [Reservation] {
        let shown = await till.type("show", "A", "--json")
        return try JSONView(stored: Array(shown.results.utf8)).optional("reservations") ?? []
    }

    func testUndoOfASalePutsReservedCopiesAsideAgain() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "3")
        _ = await till.type("reserve", "A", "-n", "2", "--for", "Ada", "--until", "2100-01-31", "--id", "R1")
        _ = await till.type("reserve", "A", "--for", "Ada", "--id", "R2")
        let before = try await reservations(till)
        for copies in ["1", "3"] {
            _ = await till.type("sell", "A", "-n", copies, "--for", "Ada", "--id", "S\(copies)")
            let early = await till.type("undo", "R1")
            XCTAssertEqual(early.exitCode, .conflict, "a copy of it is sold: \(early.messages)")
            let undone = await till.type("undo", "S\(copies)")
            XCTAssertEqual(undone.exitCode, .done, undone.messages)
            XCTAssertTrue(undone.messages.contains("Reserved 1 of A for Ada"), undone.messages)
            let after = try await reservations(till)
            XCTAssertEqual(Set(after), Set(before), copies)
        }
        let other = await till.type("sell", "A")
        XCTAssertEqual(other.exitCode, .conflict, "all are reserved: \(other.messages)")
        _ = await till.type("release", "A", "--id", "L1")
        _ = await till.type("undo", "L1")
        let released = try await reservations(till)
        XCTAssertEqual(Set(released), Set(before))
        let undone = await till.type("undo", "R1")
        XCTAssertEqual(undone.messages, "Released 2 of A.\n")
        let rest = try await reservations(till)
        XCTAssertEqual(rest.map(\.id), ["R2-1"])
        let checked = await till.type("doctor", "--dry-run")
        XCTAssertEqual(checked.exitCode, .done, checked.messages)
    }
}
