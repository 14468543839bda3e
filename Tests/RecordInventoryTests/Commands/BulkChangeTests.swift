import RecordKitJSON
import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

/// `edit --where` and `delete --where`.
final class BulkChangeTests: TimedTestCase {
    private func filled() async throws -> Till {
        let till = try Till()
        let rows = (1...7).map { "LP-\($0),A,T\($0),10,EUR,2,\($0 < 7 ? "A-1" : "B-1")" }.joined(separator: "\n")
        let file = try till.file(rows, header: "sku,artist,title,price,currency,quantity,location")
        await till.type("import", file).expect(.done)
        return till
    }

    /// One record is sold, and one goes elsewhere, before the batch is written.
    func testARecordThatAnotherProgramChangesIsReadAgain() async throws {
        let till = try await filled()
        let overtaken = CannedTransport(over: till.transport, before: "\"location\":\"C-1\"") {
            _ = await till.type("sell", "LP-2")
            _ = await till.type("edit", "LP-3", "--location", "D-1")
        }
        let edited = await till.type(
            ["edit", "--where", "location=A-1", "--location", "C-1", "--yes"], over: overtaken
        ).expect(.done)
        XCTAssertTrue(edited.messages.hasPrefix("5 records are changed.\n"), edited.messages)
        let stock = Stock(over: till.transport)
        let after = await till.type("list", "--fields", "location,quantity").rows
        XCTAssertEqual(
            after,
            [["C-1", "2"], ["C-1", "1"], ["D-1", "2"], ["C-1", "2"], ["C-1", "2"], ["C-1", "2"], ["B-1", "2"]])
        let edits = try await stock.movements(MovementFilter(kinds: [.edit]))
        XCTAssertEqual(edits.map(\.sku.text).sorted(), (1...6).map { "LP-\($0)" }, "each once")
        assertEqual(try await stock.differences(), [])
        let stored = try await stock.find(try SKU("LP-1"))
        assertEqual(try await stock.deletion(of: try XCTUnwrap(stored), stock.source).size, 4, "the opening is renamed")
    }

    func testADeletionThatIsKilledIsFinishedByTheNext() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("stock.sqlite")
        let tool = Tool(store: file)
        let count = 2_000
        let csv = "sku,artist,title,price,currency,quantity\n" + (0..<count).map { "\($0),A,T,1,EUR,4\n" }.joined()
        try tool.run("import", try folder.write(csv.utf8, to: "stock.csv")).expect(0)
        let store = EmbeddedStore(file: URL(filePath: file))
        let command = ["delete", "--where", "artist=A", "--yes"]
        let process = try tool.start(command)
        while process.isRunning, try await store.records() == count {}
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        let midway = try await store.records()
        XCTAssertTrue(1..<count ~= midway, "\(midway) were left at the kill")
        try tool.run(command).expect(0, "\(midway) records are deleted.\n")
        assertEqual(try await store.records(), 0)
        XCTAssertEqual(try LedgerReader.differences(inStore: file, bucket: "shop"), [:])
        let kinds = try tool.run("history", "--fields", "kind,quantity").results.split(separator: "\n")
        XCTAssertEqual(kinds.count { $0 == "deletion\t-4" }, count, "each once")
    }
}
