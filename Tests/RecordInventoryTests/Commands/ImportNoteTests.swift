import TestSupport
import XCTest

@testable import RecordInventory

/// The messages of an import, other than its summary.
final class ImportNoteTests: TimedTestCase {
    func testAnUpdateTellsOfCopiesThatItPutsBack() async throws {
        let till = try Till()
        let file = try till.file(
            "LP-1,A,T,1,EUR,1", "LP-2,A,T,1,EUR,2", "LP-3,A,T,1,EUR,0",
            header: "sku,artist,title,price,currency,quantity")
        _ = await till.type("import", file)
        _ = await till.type("sell", "LP-1")
        _ = await till.type("sell", "LP-2")
        let update = ["import", file, "--on-duplicate", "update", "--set-quantity"]
        for (arguments, said) in [
            (update + ["--dry-run"], "row 2 (LP-1): was sold out; the file puts 1 back\n"),
            (update, "row 2 (LP-1): was sold out; the file puts 1 back\n"), (update, ""),
        ] {
            let outcome = await till.type(arguments)
            XCTAssertEqual(outcome.messages, said, "\(arguments)")
        }
    }

    func testAnUpdateLeavesWhatWasSoldSinceTheExport() async throws {
        let till = try Till()
        let header = "sku,artist,title,price,currency,quantity,status"
        let file = try till.file("LP-1,A,New,1,EUR,1,for_sale", "LP-2,A,T,1,EUR,5,for_sale", header: header)
        _ = await till.add("LP-1", "--quantity", "1")
        _ = await till.add("LP-2", "--quantity", "5")
        _ = await till.type("sell", "LP-1")
        _ = await till.type("sell", "LP-2", "-n", "2")
        for options in [["--dry-run"], []] {
            let kept = await till.type(["import", file, "--on-duplicate", "update"] + options)
            XCTAssertTrue(kept.messages.contains("2 quantities differ from the stock"), kept.messages)
            XCTAssertTrue(kept.results.contains("2 updated, 0 unchanged, 0 rejected\n"), kept.results)
        }
        let list = await till.type("list")
        XCTAssertEqual(list.rows.map { [$0[2], $0[13], $0[14]] }, [["New", "0", "sold"], ["T", "3", "for_sale"]])

        let set = await till.type("import", file, "--on-duplicate", "update", "--set-quantity")
        XCTAssertTrue(set.results.contains("2 updated, 0 unchanged, 0 rejected; 2 quantities set"), set.results)
        let history = await till.type("history", "LP-2")
        XCTAssertEqual(
            history.rows.map { [$0[2], $0[4]] },
            [["opening", "5"], ["sale", "-2"], ["edit", "0"], ["correction", "2"]])
        let checked = await till.type("doctor")
        XCTAssertEqual(checked.messages, "Every quantity is the sum of its movements.\n")
        let wrong = await till.type("import", file, "--set-quantity")
        XCTAssertEqual(wrong.exitCode, .usage)
    }

    func testRowsThatAreLeftOutForWhatIsInStockAreToldOf() async throws {
        let till = try Till()
        try await till.addUnreadable("OTHER")
        _ = await till.type("import", try till.file("A,Artist,Old,1,EUR", "B,Artist,Same,1,EUR"))
        let file = try till.file("A,Artist,New,2,EUR", "B,Artist,Same,1,EUR", "OTHER,Artist,Title,1,EUR")
        let said =
            "1 SKU is in stock with other values, which stay as they are; --on-duplicate update takes the file's.\n"
        for (options, messages) in [
            (["--dry-run"], said), ([], said), (["--json"], said), (["--quiet"], ""),
            (["--on-duplicate", "skip"], said),
        ] {
            let outcome = await till.type(["import", file] + options)
            XCTAssertEqual(outcome.messages, messages, "\(options)")
            XCTAssertEqual(outcome.exitCode, .done, "\(options)")
        }
        let several = await till.type("import", try till.file("A,Artist,New,1,EUR", "B,Artist,New,1,EUR"))
        XCTAssertTrue(several.messages.hasPrefix("2 SKUs are in stock with other values"), several.messages)
        let failing = await till.type("import", file, "--on-duplicate", "fail")
        XCTAssertFalse(failing.messages.contains("other values"), failing.messages)
    }
}
