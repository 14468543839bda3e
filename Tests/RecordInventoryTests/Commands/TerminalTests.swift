import TestSupport
import XCTest

@testable import RecordInventory

/// The output on a terminal with 100 columns.
final class TerminalTests: TimedTestCase {
    /// A phone, or a narrow window beside another one.
    func testEveryTableIsLegibleOn40Columns() async throws {
        let till = try Till()
        _ = await till.add(
            "LP-0042", "--artist", "Miles Davis", "--title", "Kind of Blue", "--quantity", "3", "--location", "A-12")
        _ = await till.type("sell", "LP-0042", "--payment", "cash", "--reason", "a friend of the house")
        _ = await till.type("reserve", "LP-0042", "--for", "Ada Lovelace", "--until", "2100-12-24")
        for (arguments, input, titles) in [
            (["list"], "", ["SKU", "artist", "title", "price"]),
            (["history"], "", ["kind", "+/-", "SKU", "paid"]),
            (["count", "--location", "A-12", "--dry-run"], "LP-0042\n", ["SKU", "title", "counted", "difference"]),
            (["reserve"], "", ["SKU", "title", "copies", "for"]),
            (["report"], "", ["what", "copies", "amount", "currency"]),
        ] {
            let outcome = await till.type(arguments, answer: input, columns: 40)
            let lines = outcome.results.split(separator: "\n").map(String.init)
            XCTAssertGreaterThan(lines.count, 1, "\(arguments): \(outcome.messages)")
            XCTAssertEqual(lines.first?.split(separator: " ").map(String.init), titles, "\(arguments)")
            for line in lines {
                XCTAssertLessThanOrEqual(line.displayWidth, 40, line)
                // What is cut keeps enough to be known by.
                for cell in line.split(separator: "  ") where cell.hasSuffix("…") {
                    XCTAssertGreaterThanOrEqual(String(cell).displayWidth, 8, line)
                }
            }
        }
        let history = await till.type(["history"], answer: "", columns: 80).results
        let id = await till.type("history").rows[1][0]
        XCTAssertTrue(history.contains(id), "undo takes the id: \(history)")
    }

    func testATitleThatHoldsWhatDrivesATerminalIsEscapedThere() async throws {
        let till = try Till()
        _ = await till.add("LP-3", "--title", "\u{1B}[2J")
        let command = ["show", "LP-3", "--output", "csv", "--fields", "title"]
        assertEqual(await till.type(command, answer: "").results, "title\n\\u001b[2J\n")
        assertEqual(await till.type(command).results, "title\n\u{1B}[2J\n")
    }
}
