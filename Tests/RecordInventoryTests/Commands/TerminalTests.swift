import TestSupport
import XCTest

@testable import RecordInventory

/// The output on a terminal with 100 columns.
final class TerminalTests: TimedTestCase {
    private let sku = "discogs-" + String(repeating: "1234567890", count: 4)

    func testAListShowsTheWholeSKUWhichTheOtherCommandsWant() async throws {
        let till = try Till()
        let text = String(repeating: "long ", count: 12)
        _ = await till.add(sku, "--artist", text, "--title", text, "--price", "12345.00")
        let list = await till.type(["list"], answer: "")
        let line = try XCTUnwrap(list.results.split(separator: "\n").last)
        XCTAssertTrue(line.hasPrefix(sku + "  "), "\(line)")
        XCTAssertTrue(line.contains("12345.00 EUR"), "\(line)")
        XCTAssertLessThanOrEqual(line.count, 100)
        XCTAssertEqual(line.count { $0 == "…" }, 2, "\(line)")
    }

    func testShowCutsNothing() async throws {
        let till = try Till()
        let notes = String(repeating: "scratched, plays well; ", count: 10) + "end"
        _ = await till.add("LP-1", "--notes", notes)
        let shown = await till.type(["show", "LP-1"], answer: "")
        XCTAssertTrue(shown.results.contains("notes     \(notes)\n"), shown.results)
    }
}
