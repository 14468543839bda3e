import RecordKitJSON
import RecordKit
import RecordKitSQLite
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordInventory

/// Searches in a store with an index, and on a server without one.
final class SearchIndexTests: TimedTestCase {
    /// A server has no index: the tool searches what it reads. `Searches.txt` shows searches of a store.
    func testAServerIsSearchedByTheTool() async throws {
        let till = try Till()
        _ = await till.add("B1", "--artist", "Björk", "--title", "Homogenic", "--catalogue-number", "TPLP 71")
        _ = await till.add("S2", "--artist", "Simon & Garfunkel", "--title", "Bookends")
        let all = await till.type("list", "--json").results
        let server = try LoopbackServer { request in
            .json(request.target.contains("min_id=") ? #"{"data":[]}"# : #"{"data":\#(all.withIDs)}"#)
        }
        let other = try Till(server: server)
        for (text, skus) in [("bjork homo", ["B1"]), ("tplp71", ["B1"]), ("simon and", ["S2"]), ("eatles", [])] {
            let outcome = await other.type("list", "--search", text)
            XCTAssertEqual(outcome.skus, skus, "\(text): \(outcome.messages)")
        }
        XCTAssertFalse(server.requests.contains { $0.target.contains("_search") })
    }

    /// What the index finds, without the tool's own filter.
    private func found(_ text: String, _ store: EmbeddedStore) async throws -> [String] {
        let response = try await store.respond(
            to: StoreRequest(
                method: .get, path: "/v1/buckets/shop/collections/records/records", query: "_search=\(text)&_sort=id"))
        let list = try JSONValue(stored: response.body).object?["data"]?.array
        return list?.compactMap { $0.object?["id"]?.string } ?? []
    }

    func testTheIndexFollowsEachChange() async throws {
        try XCTSkipUnless(SearchIndex.isAvailable)
        let till = try Till()
        // A process keeps what it found for the next page. Another one may change the stock between two searches.
        let open = till.store
        let edit = ["edit", "LP-1", "--artist", "Nína Simone", "--title", "Wild Is The Wind"]
        _ = await till.add("LP-2", "--artist", "Can", "--title", "Tago Mago")
        for (command, text, ids) in [
            (["add", "--sku", "LP-1", "--artist", "Nina Simone", "--title", "Pastel Blues"], "nina", ["LP-1"]),
            (edit, "pastel", []), ([], "wind%20nin", ["LP-1"]),
            (["sell", "LP-1"], "wind", ["LP-1"]), (["edit", "LP-2", "--title", "Wind"], "wind", ["LP-1", "LP-2"]),
            (["delete", "LP-1", "--yes"], "wind", ["LP-2"]),
            (["add", "--sku", "LP-1", "--artist", "Moondog", "--title", "T"], "moondog", ["LP-1"]),
        ] {
            let price = command.first == "add" ? ["--price", "1", "--currency", "EUR"] : []
            if !command.isEmpty { _ = await till.type(command + price) }
            for store in [open, till.store] {
                assertEqual(try await found(text, store), ids, "\(command) \(text)")
            }
        }
    }

    func testASearchOverManyPagesFindsEachRecordOnce() async throws {
        let till = try Till()
        let rows = (0..<2_500).map { "LP-\(10_000 + $0),Artist \($0 % 2 == 0 ? "Even" : "Odd"),Title,1,EUR" }
        _ = await till.type("import", try till.file(rows.joined(separator: "\n")))
        assertEqual(
            await till.type("list", "--search", "even artist").skus, (0..<1_250).map { "LP-\(10_000 + 2 * $0)" })
    }

    func testAnIndexThatAnotherSQLiteDidNotKeepIsMadeAgain() async throws {
        try XCTSkipUnless(SearchIndex.isAvailable)
        let till = try Till()
        _ = await till.add("LP-1", "--artist", "Nina Simone")
        let database = try SQLiteDatabase(file: till.folder.path("stock.sqlite"))
        // As a SQLite without FTS5 leaves it.
        try database.execute("DROP TRIGGER search_update; DROP TRIGGER search_delete")
        try database.execute(
            "INSERT INTO objects SELECT list, 'LP-2', 77, 0, replace(replace(data, 'LP-1', 'LP-2'), 'Nina', "
                + "'Nona') FROM objects WHERE id = 'LP-1'"
        )
        assertEqual(await till.type("list", "--search", "nona").skus, ["LP-2"])
    }
}

extension String {
    /// The JSON of a list with the ids and versions of a server.
    fileprivate var withIDs: String {
        replacing(/"sku":"([^"]*)"/) { #""id":"\#($0.output.1)","last_modified":7,\#($0.output.0)"# }
    }
}
