import TestSupport
import XCTest

@testable import RecordInventory

/// Commands that report what they would do.
final class DryRunTests: TimedTestCase {
    /// The commands that write nothing to the stock.
    private static let readers = [
        "export", "lookup", "backup", "discogs-sold", "show", "list", "history", "report", "labels", "receipt",
        "config", "completions", "man",
    ]

    func testEveryCommandThatWritesTakesTheOption() {
        for command in CommandList.all.map({ $0.usage }) where !Self.readers.contains(command.name) {
            XCTAssertTrue(command.options.contains { $0.name == "--dry-run" }, command.name)
        }
    }
}
