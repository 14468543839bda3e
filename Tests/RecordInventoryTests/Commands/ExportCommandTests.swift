import Foundation
import XCTest

@testable import RecordInventory

final class ExportCommandTests: XCTestCase {
    func testImportingItElsewhereGivesTheSameStock() async throws {
        let till = try Till()
        let sample = try Sample.url("discogs-inventory-export-utf8.csv").path
        _ = await till.type("import", sample, "--currency", "EUR")
        _ = await till.add("a/b c", "--notes", "", "--price", "1500", "--currency", "JPY", "--label", " \"x\",\ny ")
        let outcome = await till.type("export", till.folder.path("one.csv"))
        XCTAssertEqual(outcome.exitCode, .done, outcome.messages)
        XCTAssertEqual(outcome.results, "")
        XCTAssertTrue(outcome.messages.hasPrefix("Exported 4 records to "), outcome.messages)

        let other = try Till()
        let imported = await other.type("import", till.folder.path("one.csv"))
        XCTAssertEqual(imported.results, "4 created, 0 updated, 0 unchanged, 0 rejected\n", imported.messages)
        _ = await other.type("export", other.folder.path("two.csv"))
        XCTAssertEqual(try other.folder.text(of: "two.csv"), try till.folder.text(of: "one.csv"))
        let lists = (await till.type("list", "--json").results, await other.type("list", "--json").results)
        XCTAssertEqual(lists.0, lists.1)
        XCTAssertTrue(lists.0.contains(#""notes":"""#), "an empty text is not the same as none")
    }

    func testAFileThatCannotBeWrittenKeepsWhatItHolds() async throws {
        let till = try Till()
        let outcome = await till.type("export", till.folder.path("missing/stock.csv"))
        XCTAssertEqual(outcome.exitCode, .failed)
        XCTAssertTrue(outcome.messages.contains("could not be written: its folder does not exist"), outcome.messages)
    }

    func testANewStoreHasAHeaderToExport() async throws {
        let till = try Till()
        let outcome = await till.type("export", till.folder.path("empty.csv"))
        XCTAssertEqual(outcome.exitCode, .done)
        XCTAssertTrue(try till.folder.text(of: "empty.csv").hasPrefix("sku,artist,title,label,catalogue_number,"))
        XCTAssertEqual(try till.folder.text(of: "empty.csv").split(separator: "\n").count, 1)
    }
}
