import RecordKitJSON
import RecordKitSQLite
import TestSupport
import XCTest

@testable import RecordInventory

/// A record in the embedded store that is no longer JSON.
final class DamagedRecordTests: TimedTestCase {
    func testADamagedRecordIsLeftOutAndCanBeDeleted() async throws {
        for damage in [
            "''", "'[1]'", "'{\"sku\":\"LP-2\"'", "x'00ff'", "replace(data, 'Title', CAST(x'ff' AS TEXT))",
        ] {
            let till = try Till()
            for sku in ["LP-1", "LP-2", "LP-3"] { _ = await till.add(sku, "--barcode", "4006381333931") }
            let database = try SQLiteDatabase(file: till.folder.path("stock.sqlite"))
            try SearchIndex.addFunction(to: database)
            try database.execute("UPDATE objects SET data = \(damage) WHERE id = 'LP-2'")
            let said = "the record LP-2 cannot be read"
            let barcode = ["list", "--where", "barcode=4006381333931"]
            let filtered = await till.type(barcode)
            XCTAssertEqual(filtered.skus, ["LP-1", "LP-3"], "\(damage): \(filtered.messages)")
            for arguments in [["list"], ["export", till.folder.path("all.csv")]] {
                await till.type(arguments).expect(.partlyDone, said)
            }
            XCTAssertEqual(try till.folder.text(of: "all.csv").split(separator: "\n").count, 3, damage)
            let shown = await till.type("show", "LP-2")
            XCTAssertEqual(shown.exitCode, .failed, damage)
            XCTAssertTrue(shown.messages.contains(said), shown.messages)
            let file = try till.file("LP-2,A,T,1,EUR", "LP-\(damage.count)0,A,T,1,EUR")
            let imported = await till.type("import", file, "--on-duplicate", "update")
            XCTAssertEqual(imported.results, "1 created, 0 updated, 0 unchanged, 1 rejected\n", imported.messages)
            await till.type("delete", "LP-2", "--yes").expect(.done)
            await till.type("list").expect(.done)
        }
    }

    func testAPageMayEndWithADamagedRecord() {
        var query = ListQuery()
        query.order = [ListQuery.Order(name: "id", isDescending: false)]
        let last = StoredObject(id: "A", version: 7, data: Array("{\"title\":\"".utf8) + [0xFF] + Array("\"}".utf8))
        XCTAssertEqual(Data(base64Encoded: query.token(after: last)), Data(#"["A"]"#.utf8))
    }
}
