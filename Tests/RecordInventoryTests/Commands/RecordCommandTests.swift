import RecordKitJSON
import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

/// The commands `add`, `edit`, `delete` and `show`.
final class RecordCommandTests: TimedTestCase {
    func testAddMakesAndPrintsASKU() async throws {
        let till = try Till()
        let outcome = await till.type("add", "--artist", "A", "--title", "T", "--price", "1", "--currency", "EUR")
        XCTAssertEqual(outcome.exitCode, .done, outcome.messages)
        let sku = outcome.results.trimmed
        XCTAssertNotNil(sku.wholeMatch(of: /[A-Z][A-Z2-9]{3}-[A-Z2-9]{4}/), sku)
        let shown = await till.type("show", sku)
        XCTAssertEqual(shown.rows.first?[2], "T")
    }

    func testVerboseNamesNoHostForTheStore() async throws {
        let till = try Till()
        _ = await till.add("A")
        let shown = await till.type("show", "A", "--verbose")
        XCTAssertTrue(shown.messages.contains("/batch: 200"), shown.messages)
        XCTAssertFalse(shown.messages.contains("invalid"), shown.messages)
    }
}
