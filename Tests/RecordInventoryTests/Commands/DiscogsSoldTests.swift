import Foundation
import TestSupport
import XCTest

@testable import RecordInventory

/// The file with which Discogs deletes what was sold here.
final class DiscogsSoldTests: TimedTestCase {
    private func add(_ sku: String, _ listing: String?, copies: String = "1", to till: Till) async {
        let listing = listing.map { ["--discogs-listing", $0] } ?? []
        let needed = ["--artist", "A", "--title", "T", "--price", "10", "--currency", "EUR", "--quantity", copies]
        let added = await till.type(["add", "--sku", sku] + needed + listing)
        XCTAssertEqual(added.exitCode, .done, added.messages)
    }

    private func run(_ till: Till, _ commands: [String]...) async {
        for command in commands {
            let outcome = await till.type(command)
            XCTAssertEqual(outcome.exitCode, .done, "\(command): \(outcome.messages)")
        }
    }

    func testAListingIsDeletedOnceAndOnlyWhenNoCopyIsLeft() async throws {
        var till = try Till()
        till.day = try CalendarDay("2026-11-20")
        await add("sold", "900000001", copies: "2", to: till)
        await add("left", "900000002", copies: "2", to: till)
        await add("returned", "900000003", to: till)
        await add("undone", "900000004", to: till)
        await add("restocked", "900000005", to: till)
        await add("broken", "900000006", to: till)
        await add("missing", "900000007", to: till)
        await add("unlisted", nil, to: till)
        await add("unsold", "900000008", copies: "0", to: till)
        await add("before", "900000009", to: till)
        // Two records of one listing, of which one still has a copy; and two that are both gone.
        await add("shared-1", "900000010", to: till)
        await add("shared-2", "900000010", to: till)
        await add("pair-1", "900000011", to: till)
        await add("pair-2", "900000011", to: till)
        till.day = try CalendarDay("2026-11-21")
        await run(till, ["sell", "before"])
        till.day = try CalendarDay("2026-11-22")
        await run(
            till, ["sell", "sold"], ["sell", "left"], ["sell", "returned", "--id", "R"],
            ["sell", "undone", "--id", "U"],
            ["sell", "restocked"], ["write-off", "broken"], ["count", "missing", "0"], ["sell", "unlisted"],
            ["sell", "shared-2"], ["sell", "pair-1"])
        till.day = try CalendarDay("2026-11-23")
        await run(
            till, ["sell", "sold"], ["return", "returned", "--sale", "R"], ["undo", "U"], ["restock", "restocked"],
            ["sell", "pair-2"])

        let outcome = await till.type("discogs-sold", "--since", "2026-11-22")
        XCTAssertEqual(outcome.exitCode, .done, outcome.messages)
        XCTAssertEqual(outcome.results, "listing_id\n900000001\n900000006\n900000007\n900000011\n")
        XCTAssertEqual(outcome.messages, "4 listings to delete at Discogs.\n")
        let day = await till.type("discogs-sold", "--since", "2026-11-23")
        XCTAssertEqual(day.results, "listing_id\n900000001\n900000011\n")
        let later = await till.type("discogs-sold", "--since", "2026-11-24")
        XCTAssertEqual(later.results, "listing_id\n")

        let path = till.folder.path("gone.csv")
        await run(till, ["discogs-sold", "--since", "2026-11-21", path])
        XCTAssertEqual(
            try String(contentsOfFile: path, encoding: .utf8),
            "listing_id\n900000001\n900000006\n900000007\n900000009\n900000011\n")
    }

    func testWhatIsWrongIsSaid() async throws {
        let till = try Till()
        await add("A", "900000001", to: till)
        for (arguments, exitCode) in [
            (["discogs-sold"], .usage), (["discogs-sold", "--since", "yesterday"], .usage),
            (["discogs-sold", "--since", "2026-11-22", till.folder.path("stock.sqlite")], .usage),
        ] as [([String], ExitCode)] {
            let outcome = await till.type(arguments)
            XCTAssertEqual(outcome.exitCode, exitCode, "\(arguments): \(outcome.messages)")
        }
        // A record that cannot be read may have a copy.
        try await till.addUnreadable("other")
        let outcome = await till.type("discogs-sold", "--since", "2026-11-22")
        XCTAssertEqual(outcome.exitCode, .partlyDone, outcome.messages)
    }
}
