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
}
