import TestSupport
import XCTest

@testable import RecordInventory

/// Listings of Discogs that got their own SKU after they were imported.
final class ImportListingTests: TimedTestCase {
    func testAListingThatGotItsOwnSKUDoesNotComeInTwice() async throws {
        let till = try Till()
        let header = "listing_id,artist,title,price,quantity,external_id"
        let old = try till.file("5,A,T,1,1,", "6,A,T,1,1,LP-6", "7,A,T,1,1,", header: header)
        let first = await till.type("import", old, "--currency", "EUR")
        XCTAssertEqual(first.results, "3 created, 0 updated, 0 unchanged, 0 rejected\n", first.messages)
        try await till.addUnreadable("discogs-8")
        let new = try till.file(
            "5,A,T,1,1,LP-5", "6,A,T,1,1,LP-6", "7,A,T,1,1,", "8,A,T,1,1,LP-8", "9,A,T,1,1,discogs-9", header: header)
        let said = "this listing already has the SKU discogs-5: delete that one, or make it the row's external_id"
        for (options, summary) in [
            (["--dry-run"], "1 created, 0 updated, 2 unchanged, 2 rejected\n"),
            ([], "1 created, 0 updated, 2 unchanged, 2 rejected\n"),
            (["--on-duplicate", "update"], "0 created, 0 updated, 3 unchanged, 2 rejected\n"),
        ] {
            let outcome = await till.type(["import", new, "--currency", "EUR"] + options)
            XCTAssertTrue(outcome.results.hasSuffix(summary), "\(options): \(outcome.results)")
            XCTAssertEqual(outcome.exitCode, .partlyDone, "\(options)")
            XCTAssertTrue(outcome.messages.contains("row 2 (LP-5): " + said), outcome.messages)
            XCTAssertTrue(outcome.messages.contains("row 5 (LP-8): "), outcome.messages)
        }
        _ = await till.type("delete", "discogs-5", "--yes")
        let again = await till.type("import", new, "--currency", "EUR")
        XCTAssertTrue(again.results.hasPrefix("1 created, "), again.results)
    }

    func testAListingThatLosesOrChangesItsSKUDoesNotComeInTwice() async throws {
        let till = try Till()
        let header = "listing_id,artist,title,price,quantity,external_id"
        let file = try till.file("5,A,T,1,2,LP-5", header: header)
        _ = await till.type("import", file, "--currency", "EUR")
        for row in ["5,A,T,1,2,", "5,A,T,1,2,OTHER", "005,A,T,1,2,"] {
            for options in [[], ["--dry-run"]] {
                let file = try till.file(row, header: header)
                let outcome = await till.type(["import", file, "--currency", "EUR"] + options)
                XCTAssertEqual(outcome.exitCode, .partlyDone, "\(row): \(outcome.results)")
                XCTAssertTrue(outcome.messages.contains("this listing already has the SKU LP-5: "), outcome.messages)
            }
        }
        let again = try till.file("5,A,T,1,2,LP-5", header: header)
        let same = await till.type("import", again, "--currency", "EUR")
        XCTAssertEqual(same.results, "0 created, 0 updated, 1 unchanged, 0 rejected\n", same.messages)
        _ = await till.type("sell", "LP-5", "-n", "2")
        let other = try till.file("5,A,T,1,1,OTHER", header: header)
        let relisted = await till.type("import", other, "--currency", "EUR")
        XCTAssertEqual(relisted.results, "1 created, 0 updated, 0 unchanged, 0 rejected\n", relisted.messages)
    }

    func testAListingThatOneFileHasTwiceDoesNotComeInTwice() async throws {
        let till = try Till()
        let header = "listing_id,artist,title,price,quantity,external_id"
        let file = try till.file(
            "5,A,T,1,1,LP-5", "5,A,T,1,1,OTHER", "6,A,T,1,0,LP-6", "6,A,T,1,1,NEW", "5,A,T,1,1,", "6,A,T,1,1,",
            header: header)
        for options in [["--dry-run"], []] {
            let outcome = await till.type(["import", file, "--currency", "EUR"] + options)
            XCTAssertTrue(outcome.results.hasSuffix("3 created, 0 updated, 0 unchanged, 3 rejected\n"), outcome.results)
            for said in [
                "row 3 (OTHER): this listing already has the SKU LP-5: ",
                "row 6 (discogs-5): this listing already has the SKU LP-5: ",
                "row 7 (discogs-6): this listing already has the SKU NEW: ",
            ] {
                XCTAssertTrue(outcome.messages.contains(said), outcome.messages)
            }
        }
    }

    func testOurOwnFileMayHoldAListingTwice() async throws {
        let till = try Till()
        _ = await till.add("discogs-5", "--discogs-listing", "5")
        let file = try till.file("LP-5,A,T,1,EUR,5", header: "sku,artist,title,price,currency,discogs_listing")
        let outcome = await till.type("import", file)
        XCTAssertEqual(outcome.results, "1 created, 0 updated, 0 unchanged, 0 rejected\n", outcome.messages)
    }
}
