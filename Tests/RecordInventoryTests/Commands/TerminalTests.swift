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

    func testWhoACopyIsKeptForIsShown() async throws {
        var till = try Till()
        try till.makeStore()
        let missing = await till.type("reserve", "--json")
        XCTAssertEqual(missing.exitCode, .done, missing.messages)
        XCTAssertEqual(missing.results, "[]\n")
        for sku in ["A", "B", "C"] { _ = await till.add(sku, "--quantity", "3") }
        till.day = try CalendarDay("2000-01-01")
        _ = await till.type("reserve", "A", "--for", "Eve", "--until", "2000-01-02")
        till.day = nil
        let none = await till.type("reserve")
        XCTAssertEqual(none.messages, "No copies are reserved.\n")
        _ = await till.type("reserve", "A", "--for", "Ada", "-n", "2", "--until", "2100-12-24")
        _ = await till.type("reserve", "A", "--for", "Bob")
        _ = await till.type("reserve", "C", "--for", "Ada")
        let shown = await till.type(["show", "A"], answer: "")
        XCTAssertTrue(
            shown.results.contains("reserved  2 for Ada until 2100-12-24\nreserved  1 for Bob\n"), shown.results)
        let all = await till.type("reserve")
        XCTAssertEqual(
            all.rows,
            [
                ["A", "Artist", "Title", "2", "Ada", "2100-12-24"], ["A", "Artist", "Title", "1", "Bob", ""],
                ["C", "Artist", "Title", "1", "Ada", ""],
            ])
        let json = await till.type("reserve", "--json")
        XCTAssertTrue(json.results.hasPrefix(#"[{"sku":"A","id":""#), json.results)
        XCTAssertTrue(json.results.contains(#""name":"Ada","quantity":2,"until":"2100-12-24"}"#), json.results)
        let stray = await till.type("reserve", "--for", "Ada")
        XCTAssertEqual(stray.exitCode, .usage, "which record?")
    }

    func testShowCutsNothing() async throws {
        let till = try Till()
        let notes = String(repeating: "scratched, plays well; ", count: 10) + "end"
        _ = await till.add("LP-1", "--notes", notes)
        let shown = await till.type(["show", "LP-1"], answer: "")
        XCTAssertTrue(shown.results.contains("notes     \(notes)\n"), shown.results)
    }
}
