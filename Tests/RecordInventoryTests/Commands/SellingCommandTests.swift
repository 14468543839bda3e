import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

final class SellingCommandTests: TimedTestCase {
    func testAFullDiskDoesNotHideThatItWasDone() async throws {
        let till = try Till()
        _ = await till.add("LP-1", "--quantity", "3")
        let new = ["--artist", "B", "--title", "C", "--price", "1", "--currency", "EUR"]
        for (command, said) in [
            (["sell", "LP-1"], "Sold 1 of LP-1, Artist: Title, for 10.00 EUR; 2 left."),
            (["edit", "LP-1", "--notes", "n"], "LP-1 is changed."),
            (["delete", "LP-1", "--yes", "--json"], "Deleted LP-1."), (["add", "--sku", "LP-2"] + new, "Added LP-2."),
            (["add", "--sku", "LP-3", "--json"] + new, "Added LP-3."),
            (["restock", "LP-3"], "Restocked 1 of LP-3; 2 in stock."),
            (["import", try till.file("LP-4,B,C,1,EUR")], "1 created, 0 updated, 0 unchanged, 0 rejected"),
        ] {
            let messages = Transcript()
            let shell = Shell(results: .failing(ENOSPC), messages: messages.output(), input: .texts(), environment: [:])
            let place = ["--store", till.folder.path("stock.sqlite"), "--quiet"]
            assertEqual(await shell.run(place + command), .partlyDone, "\(command)")
            XCTAssertTrue(messages.text.contains("the disk is full"), messages.text)
            XCTAssertTrue(messages.text.contains(said), "\(command): \(messages.text)")
        }
        for command in [["list"], ["import", try till.file("LP-5,B,C,1,EUR"), "--dry-run"]] {
            let shell = Shell(
                results: .failing(ENOSPC), messages: Transcript().output(), input: .texts(), environment: [:])
            let exitCode = await shell.run(["--store", till.folder.path("stock.sqlite")] + command)
            XCTAssertEqual(exitCode, .failed, "\(command) changes nothing")
        }
    }
}
