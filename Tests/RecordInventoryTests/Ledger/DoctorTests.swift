import RecordKitJSON
import RecordKit
import RecordKitSQLite
import TestSupport
import XCTest

@testable import RecordInventory

/// `doctor` beside other tills, and movements that cannot be read.
final class DoctorTests: TimedTestCase {
    func testSalesDuringTheCheckAreNoDifferences() async throws {
        let shop = try Till()
        let till = Stock(over: shop.transport)
        let skus = try ["GONE", "NEW", "SOLD"].map { try SKU($0) }
        for sku in [skus[0], skus[2]] { _ = try await till.create(try StockContract.record(sku.text, quantity: 9)) }
        // The movements have been read by then.
        let overtaken = CannedTransport(over: shop.transport, before: "/records/records?") {
            _ = try? await till.delete(skus[0])
            _ = try? await till.create(try StockContract.record("NEW", quantity: 4))
            _ = try? await till.move(skus[2], by: -1)
        }
        let first = try await Stock(over: overtaken).differences()
        XCTAssertEqual(first.map(\.sku.text).sorted(), ["GONE", "NEW", "SOLD"], "read at different times")

        // The first such request asks whether there is a shop. The movements have been read before the second one.
        let again = CannedTransport(over: shop.transport, before: "/records/records?", skipping: 1) {
            _ = try? await till.move(skus[2], by: -1)
        }
        await shop.type(["doctor", "--dry-run"], over: again).expect(.done)
    }

    /// A damaged index answers wrongly: the movements would seem to be missing.
    func testADamagedStoreIsFoundFirst() async throws {
        let till = try Till()
        for sku in ["A", "B"] { _ = await till.add(sku, "--quantity", "3") }
        let file = till.folder.path("stock.sqlite")
        do {
            let database = try SQLiteDatabase(file: file)
            try database.execute(
                """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = replace(sql, 'IS NOT NULL', 'IS NULL') WHERE name = 'openings';
                PRAGMA writable_schema = OFF;
                """)
        }
        let before = try await movements(till)
        for options in [[], ["--dry-run"]] {
            let outcome = await till.type(["doctor"] + options)
            outcome.expect(.failed, "the store \(file) is damaged (", "restore a backup or an export")
        }
        assertEqual(try await movements(till), before, "nothing is entered")
    }

    private func movements(_ till: Till) async throws -> Int {
        let list = StoreRequest(method: .get, path: "/v1/buckets/shop/collections/movements/records")
        return try JSONValue(stored: try await till.store.respond(to: list).body).object?["data"]?.array?.count ?? 0
    }
}
