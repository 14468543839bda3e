import RecordKitJSON
import Foundation
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
        XCTAssertTrue(lists.0.contains(#""notes":"""#), "an empty string differs from a missing value")
    }

    func testTheStoreItselfIsNoFileToExportTo() async throws {
        let till = try Till()
        try till.makeStore()
        let store = till.folder.path("stock.sqlite")
        let link = till.folder.path("link.csv")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store)
        for isEmpty in [true, false] {
            if !isEmpty { _ = await till.add("LP-1") }
            for path in [store, till.folder.path("./stock.sqlite"), link] {
                let outcome = await till.type("export", path)
                XCTAssertEqual(outcome.exitCode, .usage)
                XCTAssertTrue(outcome.messages.contains("\(path) is the store itself"), outcome.messages)
            }
        }
        let list = await till.type("list")
        XCTAssertEqual(list.skus, ["LP-1"])
    }

    /// SQLite keeps the latest changes there while a till has the store open. Without these files the store is damaged.
    func testNorIsAFileThatTheStoreKeepsBesideIt() async throws {
        let till = try Till()
        let store = EmbeddedStore(file: till.folder.url.appending(path: "stock.sqlite"))
        _ = try await store.respond(to: StoreRequest(method: .put, path: "/v1/buckets/shop"))
        _ = await till.add("LP-1")
        let names = ["stock.sqlite-wal", "./stock.sqlite-shm", "stock.sqlite-journal"]
        for path in names.map(till.folder.path) {
            let outcome = await till.type("export", path)
            XCTAssertEqual(outcome.exitCode, .usage, path)
            XCTAssertTrue(outcome.messages.contains("\(path) belongs to the store itself"), outcome.messages)
        }
        let link = till.folder.path("link.sqlite")
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: till.folder.path("stock.sqlite"))
        let path = till.folder.path("stock.sqlite-wal")
        let messages = Transcript()
        let shell = Shell(
            results: Transcript().output(), messages: messages.output(), input: .texts(), environment: [:])
        let exitCode = await shell.run(["--store", link, "export", path], run: CommandContext.run)
        XCTAssertEqual(exitCode, .usage, "a file beside the target of a link: \(messages.text)")
        let list = await till.type("list")
        XCTAssertEqual(list.skus, ["LP-1"], list.messages)
        withExtendedLifetime(store) {}
    }

    func testTheStoreBelowTheHomeFolderIsNoFileToExportTo() async throws {
        let till = try Till()
        _ = await till.add("LP-1")
        let link = till.folder.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: till.folder.url.path)
        let home = FileManager.default.homeDirectoryForCurrentUser.pathComponents
        let store = "~" + String(repeating: "/..", count: home.count - 1) + till.folder.path("stock.sqlite")
        for command in [["show", "LP-1"], ["export", "\(link)/stock.sqlite"]] {
            let messages = Transcript()
            let shell = Shell(
                results: Transcript().output(), messages: messages.output(), input: .texts(), environment: [:])
            let exitCode = await shell.run(["--store", store] + command, run: CommandContext.run)
            XCTAssertEqual(exitCode, command[0] == "show" ? .done : .usage, messages.text)
        }
        let list = await till.type("list")
        XCTAssertEqual(list.skus, ["LP-1"])
    }
}
