import TestSupport
import XCTest

@testable import RecordInventory

/// Copies that are put aside, and then are gone without a sale.
final class ReservedCopyTests: TimedTestCase {
    func testLostReservedCopiesAreTold() async throws {
        let commands: [(arguments: [String], isTold: Bool)] = [
            (["write-off", "A", "-n", "2"], true), (["write-off", "A"], false), (["count", "A", "1"], true),
            (["count", "A", "2"], false), (["edit", "A", "--quantity", "1"], true),
            (["edit", "A", "--location", "B"], false), (["undo", "R1"], true),
            (["edit", "--where", "sku=A", "--quantity", "1", "--yes"], true),
            (["count", "--location", "L", "--commit"], true), (["--quiet", "write-off", "A", "-n", "2"], true),
            (["write-off", "A", "-n", "2", "--dry-run"], true),
        ]
        for (arguments, isTold) in commands {
            let till = try Till()
            _ = await till.add("A", "--quantity", "1", "--location", "L")
            _ = await till.type("restock", "A", "-n", "2", "--id", "R1")
            _ = await till.type("reserve", "A", "-n", "2", "--for", "Ada")
            let outcome = await till.scan(arguments, "A\n")
            XCTAssertEqual(outcome.exitCode, .done, "\(arguments): \(outcome.messages)")
            let told = "2 copies of A are reserved for Ada, and 1 is in stock; tell the customer"
            XCTAssertEqual(outcome.messages.contains(told), isTold, "\(arguments): \(outcome.messages)")
        }
    }

    /// A customer's reservation that has ended is none.
    func testAnEndedReservationIsNotTold() async throws {
        var till = try Till()
        till.day = try CalendarDay("2026-11-01")
        _ = await till.add("A", "--quantity", "2")
        _ = await till.type("reserve", "A", "-n", "2", "--for", "Ada", "--until", "2026-11-02")
        till.day = try CalendarDay("2026-11-03")
        let outcome = await till.type("write-off", "A")
        XCTAssertFalse(outcome.messages.contains("reserved"), outcome.messages)
    }
}
