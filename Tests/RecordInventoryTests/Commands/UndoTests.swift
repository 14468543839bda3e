import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

/// `undo` of commands that change many records, in processes that are killed.
final class UndoTests: TimedTestCase {
    private func file(_ folder: TemporaryFolder, _ count: Int) throws -> String {
        let rows = (0..<count).map { "\($0),A,T,10,EUR,1\n" }.joined()
        return try folder.write("sku,artist,title,price,currency,quantity\n\(rows)".utf8, to: "stock.csv")
    }

    func testAnEditAndItsUndoThatAreKilledAreFinishedByTheNext() async throws {
        let folder = try TemporaryFolder()
        let tool = Tool(store: folder.path("stock.sqlite"))
        let store = EmbeddedStore(file: URL(filePath: tool.store))
        let count = 2_000
        try tool.run("import", try file(folder, count)).expect(0)
        for (command, old, new) in [
            (["edit", "--where", "artist=A", "--price", "+10%", "--id", "E1", "--yes"], "1000", "1100"),
            (["undo", "E1"], "1100", "1000"),
        ] {
            let process = try tool.start(command)
            while process.isRunning, try await store.records("price.amount=\(new)") == 0 {}
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            let midway = try await store.records("price.amount=\(new)")
            XCTAssertTrue(1..<count ~= midway, "\(command): \(midway) were changed before the kill")
            assertEqual(try await store.records("price.amount=\(old)"), count - midway, "none is changed twice")
            let finished = try tool.run(command).expect(0)
            assertEqual(try await store.records("price.amount=\(new)"), count, finished.messages)
            XCTAssertEqual(try LedgerReader.differences(inStore: tool.store, bucket: "shop"), [:])
        }
        try tool.run("undo", "E1", "--quiet").expect(0)
        let kinds = try tool.run("history", "--fields", "kind").results.split(separator: "\n")
        XCTAssertEqual(kinds.count { $0 == "edit" }, 2 * count, "each once")
    }

    func testTwoTillsThatUndoAtOnceFindEachOther() async throws {
        let folder = try TemporaryFolder()
        try await run(Tool(store: folder.path("stock.sqlite")), folder)
        guard let kinto = try LiveKinto.find(for: "undo", needsTransactions: true) else { return }
        try await run(try kinto.tool(folder, bucket: "undo-\(UUID().uuidString.lowercased())"), folder)
    }

    private func run(_ tool: Tool, _ folder: TemporaryFolder) async throws {
        func type(_ arguments: String...) throws -> String {
            let outcome = try tool.run(arguments).expect(0)
            return outcome.results
        }
        let prices = ["list", "--fields", "sku,price,quantity"]
        _ = try type("import", try file(folder, 30), "--id", "I1")
        let before = try tool.run(prices).results
        _ = try type("edit", "--where", "artist=A", "--price", "-5%", "--round", "x.99", "--id", "E1", "--yes")
        _ = try type("sell", "7", "--id", "S1")
        _ = try type("delete", "--where", "max_price=100", "--id", "D1", "--yes")
        XCTAssertEqual(try tool.run(prices).results, "")
        for id in ["D1", "E1"] {
            let both = try (0..<2).map { _ in try tool.start(["undo", id]) }
            for process in both {
                process.waitUntilExit()
                XCTAssertEqual(process.terminationStatus, 0, id)
            }
        }
        _ = try type("undo", "S1")
        XCTAssertEqual(try tool.run(prices).results, before)
        XCTAssertTrue(try tool.run("doctor", "--dry-run").messages.contains("Every quantity is the sum"))
        try tool.run("undo", "I1").expect(7)
        XCTAssertEqual(try tool.run("list", "--fields", "sku").results, "7\n", "it was sold since")
        let history = try tool.run("history", "--fields", "id").results.split(separator: "\n")
        XCTAssertEqual(Set(history).count, history.count)
        XCTAssertEqual(history.count { $0.hasPrefix("undo-E1-of-") }, 30, "each once")
    }
}
