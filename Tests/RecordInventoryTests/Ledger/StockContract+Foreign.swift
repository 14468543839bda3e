import RecordKitJSON
import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

extension JSONValue {
    fileprivate subscript(name: String) -> JSONValue? { object?[name] }
}

/// A record as other programs see it.
private struct ObjectData: KintoReadable {
    let object: JSONObject

    init(_ response: KintoResponse) throws { object = try response.data() }

    subscript(name: String) -> JSONValue? { object[name] }
}

// Records of other programs.
extension StockContract {
    private func path(_ id: String, _ stock: Stock) -> RequestPath {
        ShopPath.object(id, of: ShopPath.records, in: stock.bucket)
    }

    func checkForeignMembers(_ stock: Stock) async throws {
        let record = try Self.record("A")
        _ = try await stock.create(record)
        try await stock.server.value(
            for: Write(path: path("A", stock), data: ["mood": .string("blue")], method: .patch))
        func expectMood(_ change: String) async throws {
            let mood = try await stock.server.value(for: Get<ObjectData>(path: path("A", stock)))["mood"]
            XCTAssertEqual(mood, .string("blue"), "after \(change)")
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
        let row = ImportRow(number: 2, record: try Self.record("A", title: "Imported"))
        try await ImportWriter(stock: stock, policy: .update).write([row], &summary)
        XCTAssertEqual(summary.rejected.map(\.row), [])
        XCTAssertEqual(summary.updated, 1)
        let imported = try await stock.fetch(record.sku)
        XCTAssertEqual(imported.record, row.record, "fields without a value in the row are removed")
        try await expectMood("an import")
    }

    /// Members that other programs add to an object in the record are kept too.
    func checkForeignMembersOfMembers(_ stock: Stock) async throws {
        let own = try Self.record("A")
        _ = try await stock.create(own)
        let others: [(String, JSONValue)] = [
            (
                "deep",
                [
                    "list": [
                        .integer(1), .number(try XCTUnwrap(JSONNumber("2.5"))), .null, .bool(true),
                        ["text": .string("ü")],
                    ]
                ]
            ),
            ("number", .integer(Int64.max)), ("text", .string("x")),
        ]
        let members = others.map { JSONObject.Member(name: $0, value: $1) }
        let price: JSONValue = ["amount": .integer(1_000), "currency": .string("EUR")]
        try await stock.server.value(
            for: Write(
                path: path("A", stock),
                data: ["price": price.adding(members)],
                method: .patch))
        for (listing, amount) in [(7, 1_000), (7, 2_000), (nil, 3_000)] as [(Int?, Int64)] {
            _ = try await stock.update(own.sku) { current in
                var changed = current
                (changed.discogsListing, changed.price.amount) = (listing, amount)
                return changed
            }
            let stored = try await stock.server.value(for: Get<ObjectData>(path: path("A", stock)))
            for (name, value) in others {
                XCTAssertEqual(stored["price"]?[name], value, "\(name) of the price at \(amount)")
            }
            XCTAssertEqual(stored["price"]?["amount"], .integer(amount))
        }
        assertNil(try await stock.fetch(own.sku).record.discogsListing)
    }

    /// A record is found if its barcode is stored in another form of the same number.
    func checkForeignBarcodes(_ stock: Stock) async throws {
        let barcodes = ["0036000291452", "036000291452", "00036000291452", "4006381333931", "000096385074", "96385074"]
        for (index, barcode) in barcodes.enumerated() {
            _ = try await stock.create(try Self.record("R-\(index)"))
            try await stock.server.value(
                for: Write(
                    path: path("R-\(index)", stock), data: ["barcode": .string(barcode)], method: .patch))
        }
        for (barcode, skus) in [
            ("036000291452", ["R-0", "R-1", "R-2"]), ("4006381333931", ["R-3"]), ("96385074", ["R-4", "R-5"]),
            ("5012394144777", []),
        ] {
            let found = try await Self.all(stock, RecordFilter(conditions: [.barcode(try Barcode(barcode))]))
            XCTAssertEqual(found.map(\.sku.text), skus, barcode)
        }
    }

    /// A stored quantity may exceed the maximum of a record. Its copies can be sold.
    func checkForeignQuantity(_ stock: Stock) async throws {
        let record = try Self.record("MANY")
        _ = try await stock.create(record)
        for quantity in [2_000_000, Int.max] {
            try await stock.server.value(
                for: Write(
                    path: path("MANY", stock), data: ["quantity": .integer(Int64(quantity))], method: .patch))
            do {
                _ = try await stock.move(record.sku, by: 1)
                XCTFail("accepted a quantity over the limit")
            } catch is StockShortage {}
            assertEqual(try await stock.move(record.sku, by: -1).quantity, quantity - 1)
        }
    }

    /// Another program may have written to the same collection.
    func checkForeignRecords(_ stock: Stock) async throws {
        _ = try await stock.create(try Self.record("GOOD"))
        let stranger = try Self.record("OTHER").json
        for (id, data) in [("empty", [:]), ("liar", stranger)] as [(String, JSONValue)] {
            try await stock.server.value(for: Write(path: path(id, stock), data: data))
        }
        var page: RecordPage?
        try await stock.eachPage {
            page = $0
            return true
        }
        XCTAssertEqual(page?.items.map(\.record.sku.text), ["GOOD"])
        XCTAssertEqual(page?.unreadable.map(\.id), ["empty", "liar"])
        XCTAssertEqual(page?.unreadable.first?.reason, "it has no sku")
        do {
            _ = try await stock.fetch(try SKU("empty"))
            XCTFail("read an unreadable record")
        } catch InventoryError.unreadable(let record) {
            XCTAssertEqual(record.id, "empty")
        }
        var summary = ImportSummary()
        let row = ImportRow(number: 2, record: try Self.record("empty"))
        try await ImportWriter(stock: stock, policy: .update).write([row], &summary)
        XCTAssertEqual(summary.rejected.map(\.row), [2], "a record of another program is not overwritten")
        for id in ["empty", "liar"] { assertNil(try await stock.delete(try SKU(id))) }
        assertNil(try await stock.find(try SKU("empty")))
    }
}
