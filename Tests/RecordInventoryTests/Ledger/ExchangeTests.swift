import RecordKit
import RecordKitJSON
import RecordKitSQLite
import TestSupport
import XCTest

@testable import RecordInventory

/// How often a command asks the store: each look, and each change.
final class ExchangeTests: TimedTestCase {
    private func exchanges(_ arguments: [String], _ till: Till, answer: String? = nil) async throws -> [Bool] {
        let recorder = CannedTransport(over: till.transport)
        await till.type(arguments, answer: answer, over: recorder).expect(.done)
        return recorder.calls.map(\.isChange)
    }

    func testOneLookAndOneChange() async throws {
        let till = try Till()
        for sku in ["A", "B", "C"] { _ = await till.add(sku, "--quantity", "9") }
        _ = await till.type("edit", "A", "--barcode", "4006381333931")
        for (arguments, answer, looks) in [
            (["sell", "A"], nil, 1), (["sell", "4006381333931"], nil, 1),
            (["sell", "A", "B", "C", "--id", "S1", "--payment", "cash"], nil, 1),
            (["restock", "A", "--id", "R1"], nil, 1),
            (["edit", "A", "--notes", "n"], nil, 1), (["count", "A", "4"], nil, 1),
            (["reserve", "A", "--for", "Ada", "--id", "V1"], nil, 1), (["release", "A"], nil, 1),
            (["trade-in", "A", "--price", "1"], nil, 1), (["return", "A", "--sale", "S1", "--id", "R2"], nil, 2),
            (["undo", "R2"], nil, 2), (["sell", "A", "B", "C", "--id", "S2"], nil, 1), (["undo", "S2"], nil, 2),
            (["sell", "A", "B", "C"], nil, 1),
            (["undo"], "y\n", 5), (["delete", "B", "--yes"], nil, 1), (["delete", "C"], "y\n", 1),
        ] as [([String], String?, Int)] {
            let changes = try await exchanges(arguments, till, answer: answer)
            XCTAssertEqual(changes, Array(repeating: false, count: looks) + [true], "\(arguments)")
        }
        assertEqual(try await exchanges(["show", "4006381333931"], till), [false])
    }

    /// A till that finds others waiting for its record looks twice. It waits for no other record, and for no old note.
    func testATillLetsThoseThatWaitGoFirst() async throws {
        let till = try Till()
        for sku in ["A", "B"] { _ = await till.add(sku, "--quantity", "9") }
        for (sku, age, looks) in [("A", 0, 2), ("B", 0, 1), ("A", 60_000, 1), ("A", -60_000, 1)]
            as [(String, Int64, Int)]
        {
            let now = MovementSource().now().milliseconds - age
            let note: JSONValue = ["ledger": .integer(Ledger.format), "waiting": ["at": .integer(now), "ids": ["A"]]]
            try await till.send(.put, "locks/stock", note)
            let changes = try await exchanges(["sell", sku], till)
            XCTAssertEqual(changes, Array(repeating: false, count: looks) + [true], "\(sku), \(age)")
            let left = try await till.send(.get, "locks/stock")
            let text = String(decoding: left.body, as: UTF8.self)
            XCTAssertEqual(text.contains("waiting"), age == 0, "a note that stands is kept: \(text)")
        }
    }

    /// A till that another one overtook notes that it waits, sells, and leaves the record to others with its next sale.
    func testATillThatWasOvertakenNotesThatItWaits() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "9")
        let transport = CannedTransport(over: till.transport, before: #""kind":"sale""#) {
            _ = await till.type("sell", "A")
        }
        let stock = Stock(over: transport)
        let sku = try SKU("A")
        let source = stock.source.numbered
        let made = try await stock.change {
            try await stock.look(skus: [sku])
        } plan: { look in
            let stored = try look.record(sku)
            let sale = source.movement(1, of: sku, .sale, -1)
            return [.change(stored, to: try stored.record.moved(by: -1), [sale])]
        }
        XCTAssertEqual(made.changes.first?.record.quantity, 7)
        let look = try await stock.look(skus: [sku])
        XCTAssertEqual(look.lock.waiting(at: source.now())?.ids, ["A"])
    }

    /// A batch that reads takes no lock that a writer needs, and creates no file.
    func testALookIsARead() async throws {
        let till = try Till()
        await till.type("show", "A").expect(.notFound)
        XCTAssertFalse(FileManager.default.fileExists(atPath: till.folder.path("stock.sqlite")))
        _ = await till.add("A")
        let database = try SQLiteDatabase(file: till.folder.path("stock.sqlite"))
        try database.execute("BEGIN IMMEDIATE")
        assertEqual(try await exchanges(["show", "A"], till), [false], "while another process writes")
        try database.execute("ROLLBACK")
    }
}
