import RecordKit
import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

/// The contract of the stock, for the embedded store and for a live Kinto. Each check has a shop of its own, which does
/// not exist yet.
struct StockContract: Sendable {
    let network: NetworkConfiguration

    static let checks: [(name: String, run: @Sendable (StockContract, Stock) async throws -> Void)] = [
        ("new shop", { try await $0.checkNewShop($1) }), ("records", { try await $0.checkRecords($1) }),
        ("awkward SKUs", { try await $0.checkAwkwardSKUs($1) }), ("filters", { try await $0.checkFilters($1) }),
        ("pages", { try await $0.checkPages($1) }), ("movements", { try await $0.checkMovements($1) }),
        ("selling", { try await $0.checkSelling($1) }), ("changes at once", { try await $0.checkChangesAtOnce($1) }),
        ("batches", { try await $0.checkBatches($1) }), ("imports at once", { try await $0.checkImportsAtOnce($1) }),
        ("foreign records", { try await $0.checkForeignRecords($1) }),
        ("foreign members", { try await $0.checkForeignMembers($1) }),
        ("foreign members of members", { try await $0.checkForeignMembersOfMembers($1) }),
        ("foreign barcodes", { try await $0.checkForeignBarcodes($1) }),
        ("foreign quantity", { try await $0.checkForeignQuantity($1) }),
    ]

    func run() async throws {
        for check in Self.checks {
            // Kinto treats a path that contains /batch differently. A shop with that prefix must work too.
            for prefix in check.name == "batches" ? ["stock", "batch"] : ["stock"] {
                try await check.run(self, Stock(network, bucket: "\(prefix)-\(UUID().uuidString.lowercased())"))
            }
        }
    }

    /// Returns a record with default values for the fields that do not matter.
    static func record(_ sku: String, title: String = "Title", quantity: Int = 1) throws -> Record {
        Record(
            sku: try SKU(sku), artist: "Artist", title: title,
            price: Money(amount: 1_000, currency: try Currency("EUR")), quantity: quantity)
    }

    static func all(_ stock: Stock, _ filter: RecordFilter = RecordFilter()) async throws -> [Record] {
        var records: [Record] = []
        try await stock.eachPage(filter) { page in
            records += page.items.map(\.record)
            return true
        }
        return records
    }
}

// One client.
extension StockContract {
    func checkNewShop(_ stock: Stock) async throws {
        let sku = try SKU("A")
        assertNil(try await stock.find(sku))
        for read in [{ _ = try await Self.all(stock) }, { _ = try await stock.fetch(sku) }] {
            do {
                try await read()
                XCTFail("read from a shop that does not exist")
            } catch InventoryError.noShop {}
        }
        try await stock.makeShop()
        try await stock.makeShop()
        assertEqual(try await Self.all(stock), [])
    }

    func checkRecords(_ stock: Stock) async throws {
        let record = try Self.record("A", title: "First")
        let created = try await stock.create(record)
        XCTAssertEqual(created.record, record)
        do {
            _ = try await stock.create(try Self.record("A", title: "Second"))
            XCTFail("created a record with a SKU that is in use")
        } catch {
            guard case InventoryError.conflict(let existing) = error else { throw error }
            XCTAssertEqual(existing, created)
        }
        let updated = try await stock.update(record.sku) { current in
            var changed = current
            (changed.title, changed.notes, changed.discogsListing) = ("Third", "", 5)
            return changed
        }
        XCTAssertEqual(updated.record.title, "Third")
        XCTAssertEqual(updated.record.notes, "")
        assertEqual(try await stock.update(record.sku) { $0 }, updated, "nothing is sent when nothing changes")
        let found = try await stock.fetch(record.sku)
        XCTAssertEqual(found, updated)
        let deleted = try await stock.delete(record.sku)
        XCTAssertEqual(deleted, updated.record)
        for action in [
            { _ = try await stock.delete(record.sku) }, { _ = try await stock.move(record.sku, by: 1) },
            { _ = try await stock.update(record.sku) { $0 } },
        ] {
            do {
                try await action()
                XCTFail("found a deleted record")
            } catch InventoryError.notFound {}
        }
        let again = try await stock.create(record)
        XCTAssertEqual(again.record, record, "a deleted id can be used again")
    }

    func checkAwkwardSKUs(_ stock: Stock) async throws {
        let skus = ["batch-7", "batch", "a/b c", "Ü 1", "..", "x--y", "%2F", "_u", "日本", "q'\"<>&", "1999", "zebra"]
        for sku in skus { _ = try await stock.create(try Self.record(sku, title: sku)) }
        for sku in skus {
            let sold = try await stock.move(try SKU(sku), by: -1)
            var expected = try Self.record(sku, title: sku, quantity: 0)
            expected.status = .sold
            XCTAssertEqual(sold, expected)
        }
        let listed = try await Self.all(stock)
        XCTAssertEqual(listed.map(\.sku.text).sorted(), skus.sorted())
        let escaped = try await Self.all(stock, RecordFilter(ids: SKU.escapedIDs))
        XCTAssertEqual(escaped.map(\.sku), listed.map(\.sku).filter { !$0.isRecordID })
    }

    func checkFilters(_ stock: Stock) async throws {
        var barcode = try Self.record("A", title: "1999", quantity: 5)
        barcode.barcode = try Barcode("4006381333931")
        barcode.discogsListing = 900_000_001
        _ = try await stock.create(barcode)
        _ = try await stock.create(try Self.record("B", title: "true \"or\" not, null"))
        let conditions: [(RecordField, RecordFilter.Comparison, JSONValue)] = [
            (.barcode, .equal, "4006381333931"), (.title, .equal, "1999"), (.quantity, .atLeast, 2),
            (.quantity, .equal, 5), (.discogsListing, .equal, 900_000_001), (.sku, .equal, "A"),
        ]
        for (field, comparison, value) in conditions {
            let condition = RecordFilter.Condition(field: field, comparison: comparison, values: [value])
            let found = try await Self.all(stock, RecordFilter(conditions: [condition]))
            XCTAssertEqual(found.map(\.sku.text), ["A"], "\(field)")
        }
        let quoted = RecordFilter.Condition(field: .title, comparison: .equal, values: ["true \"or\" not, null"])
        let found = try await Self.all(stock, RecordFilter(conditions: [quoted]))
        XCTAssertEqual(found.map(\.sku.text), ["B"])
        // A record without a year, and two with one price.
        var year = try Self.record("C", quantity: 7)
        year.year = 1979
        _ = try await stock.create(year)
        var withYear = RecordFilter(order: (.year, true))
        withYear.require(.year)
        for (filter, skus) in [
            (RecordFilter(order: (.quantity, true)), ["C", "A", "B"]),
            (RecordFilter(order: (.price, false)), ["A", "B", "C"]),
            (withYear, ["C"]),
            (RecordFilter(otherCurrencies: ["USD"]), ["A", "B", "C"]),
            (RecordFilter(otherCurrencies: ["USD", "EUR"]), []),
        ] as [(RecordFilter, [String])] {
            let sorted = try await Self.all(stock, filter)
            XCTAssertEqual(sorted.map(\.sku.text), skus, "\(filter.query)")
        }
    }

    func checkPages(_ stock: Stock) async throws {
        let skus = (100..<160).map { "P-\($0)" }
        try await stock.changeEach(skus.shuffled().map { try SKU($0) }, size: 2) { look in
            .create(
                try Self.record(look.sku.text), stock.source.opening(of: try Self.record(look.sku.text), isAdded: true))
        } made: { _ in
        }
        var pages: [Int] = []
        var seen: [String] = []
        try await stock.eachPage(RecordFilter(pageSize: 7)) { page in
            pages.append(page.items.count)
            seen += page.items.map(\.record.sku.text)
            return true
        }
        XCTAssertEqual(seen, skus, "all records, in order, once each")
        XCTAssertEqual(pages, Array(repeating: 7, count: 8) + [4])
        var count = 0
        try await stock.eachPage(RecordFilter(pageSize: 7)) { page in
            count += page.items.count
            return count < 14
        }
        XCTAssertEqual(count, 14, "the listing ends at the caller's request")

        let artist = "Salt & Pepper + 100% =1+1"
        for sku in skus.prefix(9) {
            _ = try await stock.update(try SKU(sku)) { current in
                var changed = current
                changed.artist = artist
                return changed
            }
        }
        let condition = RecordFilter.Condition(field: .artist, comparison: .equal, values: [.string(artist)])
        let found = try await Self.all(stock, RecordFilter(conditions: [condition], pageSize: 2))
        XCTAssertEqual(found.map(\.sku.text), Array(skus.prefix(9)), "each page has the same filter")
    }

    func checkMovements(_ stock: Stock) async throws {
        let sku = try SKU("A")
        _ = try await stock.create(try Self.record("A", quantity: 100))
        var source = MovementSource(till: "till ü", now: { MovementTime(milliseconds: 0, offset: 0) })
        func sell(_ command: String, at milliseconds: Int64, undoing undone: String? = nil) async throws {
            source.command = command
            source.now = { MovementTime(milliseconds: milliseconds, offset: 0) }
            _ = try await stock.change {
                try await stock.look(skus: [sku])
            } plan: { look in
                let current = try look.record(sku)
                var movement = source.movement(1, of: sku, undone == nil ? .sale : .return, undone == nil ? -1 : 1)
                movement.undoes = undone
                return [.change(current, to: try current.record.moved(by: movement.quantity), [movement])]
            }
        }
        // Two have the same time, and none is made in the order of times.
        let times: [Int64] = [5, 3, 8, 3, 9, 1, 7]
        for (index, time) in times.enumerated() { try await sell("c-\(index)", at: time) }
        try await sell("undo-c-4", at: 10, undoing: "c-4-1")
        for pageSize in [1, 2, 3, 100] {
            for isLatestFirst in [true, false] {
                let filter = MovementFilter(
                    till: "till ü", kinds: [.sale], times: 2..<9, isLatestFirst: isLatestFirst, pageSize: pageSize)
                var found: [Int64] = []
                try await stock.eachMovementPage(filter) { page in
                    found += page.items.map(\.time.milliseconds)
                    return true
                }
                XCTAssertEqual(found, isLatestFirst ? [8, 7, 5, 3, 3] : [3, 3, 5, 7, 8])
            }
        }
        assertEqual(try await stock.movements(MovementFilter(command: "c-2")).map(\.id), ["c-2-1"])
        assertEqual(try await stock.returns(of: ["c-3-1", "c-4-1", "none"]).standing.map(\.id), ["undo-c-4-1"])
        assertEqual(try await stock.movements(MovementFilter(till: "till", times: 0..<Int64.max)), [])
    }
}

extension Stock {
    /// Sells copies, or restocks them, as the commands do. Returns the record afterwards.
    @discardableResult
    func move(_ sku: SKU, by difference: Int) async throws -> Record {
        let line = CopyLine(code: sku, count: abs(difference))
        let move = CopyMove(kind: difference < 0 ? .sale : .restock, lines: [line])
        let source = source.numbered
        let made = try await change {
            try await look(skus: [sku])
        } plan: { look in
            // The errors of the requests.
            _ = try look.record(sku)
            return try move.plan(look, source)
        }
        return made.changes[0].record
    }

    /// Changes the fields of a record, as `edit` does. Returns it as it is afterwards.
    @discardableResult
    func update(_ sku: SKU, _ change: (Record) throws -> Record) async throws -> StoredRecord {
        let source = source.numbered
        _ = try await self.change {
            try await look(skus: [sku])
        } plan: { look in
            let stored = try look.record(sku)
            let new = try change(stored.record)
            return new == stored.record
                ? [] : [.change(stored, to: new, [source.correction(1, from: stored.record, to: new)])]
        }
        return try await fetch(sku)
    }
}
