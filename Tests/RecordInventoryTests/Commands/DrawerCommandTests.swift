import TestSupport
import XCTest

@testable import RecordInventory

/// Cash that goes into the drawer and out of it without a sale.
final class DrawerCommandTests: TimedTestCase {
    private func lines(_ outcome: Till.Outcome) -> [String] { outcome.rows.map { $0.joined(separator: " ") } }

    func testExactlyOneCloseCountsAMove() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "9", "--price", "10.00")
        _ = await till.type("till", "open", "--float", "100.00")
        let out = await till.type("drawer", "out", "4.50", "stamps", "and", "envelopes")
        XCTAssertEqual(out.exitCode, .done, out.messages)
        XCTAssertTrue(out.messages.contains("Took 4.50 EUR out of the drawer of"), out.messages)
        XCTAssertTrue(out.messages.contains(": stamps and envelopes."), out.messages)
        // At the counter, also with a basket.
        let shift = await till.scan(["till"], "A\ndrawer in 50 change from the bank\npay cash\n")
        XCTAssertEqual(shift.exitCode, .done, shift.messages)
        let dry = await till.type("drawer", "out", "1", "nothing", "--dry-run")
        XCTAssertTrue(dry.messages.contains("Nothing was written"), dry.messages)
        let other = await till.type("drawer", "in", "9.00", "other", "--till", "other")
        XCTAssertEqual(other.exitCode, .done, other.messages)
        let closed = await till.type("till", "close", "--z", "--counted", "155.50")
        XCTAssertEqual(closed.exitCode, .done, closed.messages)
        XCTAssertEqual(
            lines(closed).filter { !$0.contains("payment") && !$0.contains("sales") && !$0.contains("total") },
            [
                "Z 1 float 100.00 EUR", "Z 1 drawer in 50.00 EUR", "Z 1 drawer out -4.50 EUR",
                "Z 1 cash expected 155.50 EUR", "Z 1 cash counted 155.50 EUR",
            ])
        let again = await till.type("report", "--z", "1")
        XCTAssertEqual(lines(again), lines(closed))
        _ = await till.type("drawer", "out", "2.00", "milk")
        let next = await till.type("till", "close", "--z")
        XCTAssertEqual(lines(next), ["Z 2 float 0.00 EUR", "Z 2 drawer out -2.00 EUR", "Z 2 cash expected -2.00 EUR"])
        let json = await till.type("report", "--z", "2", "--json")
        XCTAssertNotNil(json.results.firstMatch(of: /"drawer":\["[-\w]+"\]/), json.results)
    }

    func testACommandWithAnIDIsMadeOnce() async throws {
        let till = try Till()
        _ = await till.add("A")
        for _ in 0..<2 {
            let made = await till.type("drawer", "in", "5.00", "change", "--id", "D1")
            XCTAssertEqual(made.exitCode, .done, made.messages)
        }
        let other = await till.type("drawer", "in", "6.00", "change", "--id", "D1")
        XCTAssertEqual(other.exitCode, .conflict, other.messages)
        let look = await till.type("till", "close")
        XCTAssertEqual(lines(look), ["X float 0.00 EUR", "X drawer in 5.00 EUR", "X cash expected 5.00 EUR"])
    }

    func testWrongMovesAreRefused() async throws {
        let till = try Till()
        _ = await till.add("A")
        for arguments in [
            ["drawer", "in", "5.00"], ["drawer", "up", "5.00", "x"], ["drawer", "in", "0", "x"],
            ["drawer", "in", "-1", "x"], ["drawer", "out", "4006381333931", "x"], ["drawer", "in", "5.00", " "],
        ] {
            let refused = await till.type(arguments)
            XCTAssertEqual(refused.exitCode, .usage, "\(arguments): \(refused.messages)")
        }
        let look = await till.type("till", "close")
        XCTAssertEqual(look.results, "")
    }
}
