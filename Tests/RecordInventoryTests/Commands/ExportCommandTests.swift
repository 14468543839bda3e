import RecordKitJSON
import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

final class ExportCommandTests: TimedTestCase {
    func testImportingItElsewhereGivesTheSameStock() async throws {
        let till = try Till()
        let sample = try Sample.url("discogs-inventory-export-utf8.csv").path
        _ = await till.type("import", sample, "--currency", "EUR")
        _ = await till.add("a/b c", "--notes", "", "--price", "1500", "--currency", "JPY", "--label", " \"x\",\ny ")
        let outcome = await till.type("export", till.folder.path("one.csv")).expect(.done)
        XCTAssertEqual(outcome.results, "")
        XCTAssertTrue(outcome.messages.hasPrefix("Exported 4 records to "), outcome.messages)

        let other = try Till()
        let imported = await other.type("import", till.folder.path("one.csv"))
        XCTAssertEqual(imported.results, "4 created, 0 updated, 0 unchanged, 0 rejected\n", imported.messages)
        _ = await other.type("export", other.folder.path("two.csv"))
        XCTAssertEqual(try other.folder.text(of: "two.csv"), try till.folder.text(of: "one.csv"))
        let lists = (await till.type("list", "--json").results, await other.type("list", "--json").results)
        XCTAssertEqual(lists.0, lists.1)
        XCTAssertTrue(lists.0.contains(#""notes":"""#), "an empty string differs from a missing value")
    }

    /// `Backups.txt` shows the other names of the store, and of the files that SQLite keeps beside it.
    func testTheStoreBehindALinkIsNoFileToExportTo() async throws {
        var till = try Till()
        _ = await till.add("LP-1")
        let (file, link, folder) = ("stock.sqlite", till.folder.path("link.sqlite"), till.folder.path("link"))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: till.folder.path(file))
        try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: till.folder.url.path)
        let home = FileManager.default.homeDirectoryForCurrentUser.pathComponents
        let path = till.folder.path(file)
        for store in [path, link, "~" + String(repeating: "/..", count: home.count - 1) + path] {
            till.place = ["--store", store]
            for target in [path, link, "\(folder)/\(file)", path + "-wal"] {
                await till.type("export", target).expect(.usage)
            }
            assertEqual(await till.type("list").skus, ["LP-1"], store)
        }
    }
}
