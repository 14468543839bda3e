import RecordKit
import XCTest

@testable import RecordInventory

/// What another program writes.
private struct Foreign: InventoryEndpoint {
    typealias ValueType = Void
    let id: String
    let data: OrderedJSON
    var method: HTTPMethod = .put
    var path: RequestPath { "records/\(id)" }
    var body: (any NetworkEncodable)? { OrderedJSON.wrapped(data) }
}

/// The member of another program's.
private struct Mood: InventoryEndpoint {
    struct Value: Decodable {
        let mood: String?
    }

    typealias ValueType = Wrapped<Value>
    let id: String
    var path: RequestPath { "records/\(id)" }
}

// Beside other programs.
extension StockContract {
    func checkForeignMembers(_ stock: Stock) async throws {
        let record = try Self.record("A")
        _ = try await stock.create(record)
        try await stock.shop.value(for: Foreign(id: "A", data: ["mood": .string("blue")], method: .patch))
        func expectMood(_ change: String) async throws {
            let mood = try await stock.shop.value(for: Mood(id: "A")).data.mood
            XCTAssertEqual(mood, "blue", "after \(change)")
        }
        let edited = try await stock.update(record.sku) { current in
            var changed = current
            (changed.title, changed.year) = ("Edited", 1_999)
            return changed
        }
        XCTAssertEqual(edited.record.title, "Edited")
        XCTAssertEqual(edited.record.year, 1_999)
        try await expectMood("an edit")
        var summary = ImportSummary()
        let row = ImportWriter.Row(number: 2, record: try Self.record("A", title: "Imported"))
        let rejected = try await ImportWriter(stock: stock, policy: .update).write([row], &summary)
        XCTAssertEqual(rejected.map(\.row), [])
        XCTAssertEqual(summary.updated, 1)
        let imported = try await stock.fetch(record.sku)
        XCTAssertEqual(imported.record, row.record, "what the row has no value for is gone")
        try await expectMood("an import")
    }

    /// Somebody else may have written to the same collection.
    func checkForeignRecords(_ stock: Stock) async throws {
        _ = try await stock.create(try Self.record("GOOD"))
        let stranger = try Self.record("OTHER").json
        for (id, data) in [("empty", [:]), ("liar", stranger)] as [(String, OrderedJSON)] {
            try await stock.shop.value(for: Foreign(id: id, data: data))
        }
        var page: RecordPage?
        try await stock.eachPage {
            page = $0
            return true
        }
        XCTAssertEqual(page?.records.map(\.record.sku.text), ["GOOD"])
        XCTAssertEqual(page?.unreadable.map(\.id), ["empty", "liar"])
        XCTAssertEqual(page?.unreadable.first?.reason, "it has no sku")
        do {
            _ = try await stock.fetch(try SKU("empty"))
            XCTFail("it cannot be read")
        } catch InventoryError.unreadable(let record) {
            XCTAssertEqual(record.id, "empty")
        }
        var summary = ImportSummary()
        let row = ImportWriter.Row(number: 2, record: try Self.record("empty"))
        let rejected = try await ImportWriter(stock: stock, policy: .update).write([row], &summary)
        XCTAssertEqual(rejected.map(\.row), [2], "what somebody else wrote is not written over")
        for id in ["empty", "liar"] {
            let deleted = try await stock.delete(try SKU(id))
            XCTAssertNil(deleted)
        }
        let left = try await stock.find(try SKU("empty"))
        XCTAssertNil(left)
    }
}
