import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

/// The tool as a process: its exit codes, streams, signals and files.
final class ToolTests: TimedTestCase {
    private static let header = "sku,artist,title,price,currency,quantity\n"

    private func tool(_ folder: TemporaryFolder) -> Tool { Tool(store: folder.path("stock.sqlite")) }

    func testExitCodesAndStreams() throws {
        let folder = try TemporaryFolder()
        let tool = tool(folder)
        let bad = try Sample.url("inventory-bad-rows.csv").path
        let foreign = try Sample.url("inventory-windows1252-semicolon.csv").path
        let discogs = try Sample.url("discogs-inventory-export-bom.csv").path
        for (arguments, exitCode) in [
            (["--version"], 0), (["list"], 3), (["show", "SKU-1"], 3), (["import", bad], 7), (["list"], 0),
            (["show", "SKU-1"], 0),
            (["import", foreign], 65), (["import", discogs], 64), (["import", discogs, "--currency", "EUR"], 0),
            (["sell", "SKU-1", "-n", "9"], 5), (["lst"], 64), (["import", folder.path("missing.csv")], 1),
            (["delete", "SKU-1"], 64), (["list", "--server", "http://127.0.0.1:1/v1"], 2),
            (["list", "--store", "http://127.0.0.1:1/v1"], 64),
        ] as [([String], Int32)] {
            let outcome = try tool.run(arguments)
            XCTAssertEqual(outcome.exitCode, exitCode, "\(arguments)")
            if exitCode != 0, exitCode != 7 {
                // A wait of more than a second is said first.
                let lines = outcome.messages.split(separator: "\n")
                XCTAssertTrue(
                    lines.drop { $0.hasPrefix("Waiting for ") }.first?.hasPrefix("record-inventory: ") == true,
                    "\(arguments): \(lines)")
                XCTAssertEqual(outcome.results, "", "\(arguments)")
            }
        }
    }

    func testPipesCarryTheStockFromOneStoreToAnother() throws {
        let folders = (try TemporaryFolder(), try TemporaryFolder())
        let rows = (1...200).map { "batch-\($0),Die Übungsgruppe,\"Title \"\"\($0)\"\"\",1.50,EUR,2" }
        let imported = try tool(folders.0).run("import", "-", input: Self.header + rows.joined(separator: "\n"))
        XCTAssertEqual(imported.results, "200 created, 0 updated, 0 unchanged, 0 rejected\n", imported.messages)
        let exported = try tool(folders.0).run("export", "-")
        XCTAssertEqual(exported.messages, "Exported 200 records.\n")
        XCTAssertEqual(try tool(folders.1).run("import", "-", input: exported.results).results, imported.results)
        XCTAssertEqual(try tool(folders.1).run("export", "-").results, exported.results)
    }

    func testTheStoreIsInTheDataFolder() throws {
        let folder = try TemporaryFolder()
        for (variables, path) in [
            (["XDG_DATA_HOME": folder.path("data")], "data/record-inventory/stock.sqlite"),
            (["RECORD_INVENTORY_STORE": folder.path("own.sqlite")], "own.sqlite"),
        ] {
            let tool = Tool(store: "", environment: variables.merging(["HOME": folder.url.path]) { own, _ in own })
            try tool.run("add", "--artist", "A", "--title", "T", "--price", "1", "--currency", "EUR").expect(0)
            XCTAssertTrue(FileManager.default.fileExists(atPath: folder.path(path)), path)
        }
    }

    func testControlCEndsAnImportThatWaitsForItsInput() throws {
        let folder = try TemporaryFolder()
        let input = Pipe()
        let messages = Pipe()
        let process = try tool(folder).start(["import", "-", "--verbose"], input: input, messages: messages)
        XCTAssertEqual(messages.fileHandleForReading.waitForLines(with: "The stock is in", count: 1), 1)
        process.interrupt()
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 130)
        XCTAssertEqual(process.terminationReason, .exit)
        let said = try messages.fileHandleForReading.readToEnd() ?? Data()
        XCTAssertFalse(String(decoding: said, as: UTF8.self).contains("could not be read"), "the input is valid")
        try input.fileHandleForWriting.close()
    }

    func testAReaderThatLeavesIsNoFailure() throws {
        let folder = try TemporaryFolder()
        let text = String(repeating: "x", count: 1_000)
        let rows = (1...500).map { "S-\($0),\(text),T,1,EUR,1" }.joined(separator: "\n")
        let file = try folder.write((Self.header + rows).utf8)
        XCTAssertEqual(try tool(folder).run("import", file).exitCode, 0)
        for arguments in [["list"], ["export", "-"]] {
            let results = Pipe()
            let messages = Pipe()
            let process = try tool(folder).start(arguments, results: results, messages: messages)
            XCTAssertFalse(results.fileHandleForReading.availableData.isEmpty)
            try results.fileHandleForReading.close()
            let said = try messages.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            XCTAssertEqual(process.terminationStatus, 0, "\(arguments)")
            XCTAssertEqual(String(decoding: said, as: UTF8.self), "", "\(arguments)")
        }
    }

    func testAStreamThatIsClosedIsNotTakenForAnotherFile() throws {
        let folder = try TemporaryFolder()
        let rows = (1...3).map { "S-\($0),Artist,T,\($0 == 2 ? "much" : "1"),EUR,1" }.joined(separator: "\n")
        let file = try folder.write((Self.header + rows).utf8)
        for (arguments, redirections, exitCode, said) in [
            (["import", "-"], "<&-", 1, "standard input could not be read: Bad file descriptor\n"),
            (["import", file], ">&- 2>&-", 7, ""), (["import", file], "2>&-", 7, ""),
            (["list"], "<&- >&-", 1, "standard output could not be written: Bad file descriptor\n"),
            (["export", folder.path("all.csv")], "<&- >&- 2>&-", 0, ""),
        ] as [([String], String, Int32, String)] {
            let outcome = try tool(folder).run(arguments, redirections: redirections)
            XCTAssertEqual(outcome.exitCode, exitCode, "\(arguments) \(redirections)")
            XCTAssertEqual(outcome.messages, said.isEmpty ? "" : "record-inventory: " + said, redirections)
        }
        XCTAssertEqual(try folder.text(of: "all.csv").split(separator: "\n").count, 3)
    }

    func testAnArgumentThatIsNoUTF8IsUsage() throws {
        let folder = try TemporaryFolder()
        try tool(folder).run(
            ["add", "--artist", "A", "--price", "1", "--currency", "EUR"],
            redirections: #"--title "$(printf 'Bj\366rk')""#
        ).expect(64, "argument 9 is not UTF-8 text")
    }

    func testABadRowCountsWithoutAReaderToo() throws {
        let folder = try TemporaryFolder()
        // The longer summary is written before the command ends.
        for count in [1, 1_000] {
            let rows = (1...count).map { "S-\($0),Artist,T,much,EUR,1" }.joined(separator: "\n")
            let results = Pipe()
            try results.fileHandleForReading.close()
            let process = try tool(folder).start(
                ["import", try folder.write((Self.header + rows).utf8), "--json"], results: results)
            process.waitUntilExit()
            XCTAssertEqual(process.terminationStatus, 7, "\(count) bad rows")
        }
    }

    func testManyProcessesMayOpenANewStoreAtOnce() throws {
        let folder = try TemporaryFolder()
        let tool = Tool(store: folder.path("new/folder/stock.sqlite"))
        let tills = try (0..<8).map {
            try tool.start([
                "add", "--sku", "S-\($0)", "--artist", "A", "--title", "T", "--price", "1", "--currency", "EUR",
            ])
        }
        for till in tills { till.waitUntilExit() }
        XCTAssertEqual(tills.map(\.terminationStatus), Array(repeating: 0, count: 8))
        let list = try tool.run("list")
        XCTAssertEqual(list.results.split(separator: "\n").count, 8)
    }

    func testAnImportThatIsKilledIsFinishedByTheNext() throws {
        let folder = try TemporaryFolder()
        let count = 4_000
        let rows = (0..<count).map { "S-\($0),Artist,Title \($0),1.50,EUR,1" }.joined(separator: "\n")
        let file = try folder.write((Self.header + rows).utf8)
        let messages = Pipe()
        let process = try tool(folder).start(["import", file, "--verbose"], messages: messages)
        // The first response says that the shop does not exist yet.
        let batches = messages.fileHandleForReading.waitForLines(with: "POST /batch: 200", count: 2) - 1
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        XCTAssertEqual(process.terminationReason, .uncaughtSignal)

        try tool(folder).run("export", folder.path("between.csv")).expect(0)
        let stored = try folder.text(of: "between.csv").split(separator: "\n").count - 1
        XCTAssertGreaterThanOrEqual(stored, batches * 499, "acknowledged batches are stored")
        XCTAssertLessThan(stored, count)
        let again = try tool(folder).run("import", file)
        XCTAssertEqual(again.results, "\(count - stored) created, 0 updated, \(stored) unchanged, 0 rejected\n")
        let last = try tool(folder).run("import", file)
        XCTAssertEqual(last.results, "0 created, 0 updated, \(count) unchanged, 0 rejected\n")
    }
}
