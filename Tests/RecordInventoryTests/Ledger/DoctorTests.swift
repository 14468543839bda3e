import RecordKitJSON
import Foundation
import RecordKit
import RecordKitSQLite
import TestSupport
import XCTest

@testable import RecordInventory

/// `doctor` beside other tills, and movements that cannot be read.
final class DoctorTests: TimedTestCase {
    func testSalesDuringTheCheckAreNoDifferences() async throws {
        let folder = try TemporaryFolder()
        let transport = EmbeddedTransport(EmbeddedStore(file: folder.url.appending(path: "stock.sqlite")))
        let till = Stock(over: transport)
        let skus = try ["GONE", "NEW", "SOLD"].map { try SKU($0) }
        for sku in [skus[0], skus[2]] { _ = try await till.create(try StockContract.record(sku.text, quantity: 9)) }
        // The movements have been read by then.
        let overtaken = OvertakenTransport(transport, before: "/records/records?") {
            _ = try? await till.delete(skus[0])
            _ = try? await till.create(try StockContract.record("NEW", quantity: 4))
            _ = try? await till.move(skus[2], by: -1)
        }
        let first = try await Stock(over: overtaken).differences()
        XCTAssertEqual(first.map(\.sku.text).sorted(), ["GONE", "NEW", "SOLD"], "read at different times")

        // The first such request asks whether there is a shop. The movements have been read before the second one.
        let again = OvertakenTransport(transport, before: "/records/records?", skipping: 1) {
            _ = try? await till.move(skus[2], by: -1)
        }
        let messages = Transcript()
        var checked = Stock(over: again)
        checked.isDryRun = true
        let context = CommandContext(
            stock: checked, place: .store(path: folder.path("stock.sqlite")),
            console: Console(results: Transcript().output(), messages: messages.output(), input: .texts()))
        let exitCode = try await context.run(DoctorCommand())
        XCTAssertEqual(exitCode, .done, messages.text)
    }

    func testMovementsThatCannotBeReadAreReportedAndLeft() async throws {
        let till = try Till()
        for sku in ["A", "B"] { _ = await till.add(sku, "--quantity", "3") }
        _ = await till.type("sell", "A", "--id", "S1")
        try await write(till, "S1-2", ["sku": "A", "kind": "sale", "quantity": "two", "at": 1, "command": "S1"])
        try await till.patch("A", ["quantity": 1])
        try await till.patch("B", ["quantity": 5])
        let said = "the movement S1-2 of A cannot be read: its quantity has the wrong type"
        for command in [["history"], ["history", "A"], ["history", "--id", "S1"], ["report"]] {
            if command == ["report"] {
                try await write(
                    till, "S2-1",
                    ["sku": "A", "kind": "sale", "quantity": true, "at": JSONValue.integer(now), "command": "S2"])
            }
            let outcome = await till.type(command)
            XCTAssertEqual(outcome.exitCode, .partlyDone, "\(command): \(outcome.messages)")
            XCTAssertTrue(
                outcome.messages.contains(command == ["report"] ? "the movement S2-1 of A" : said), outcome.messages)
            XCTAssertTrue(outcome.results.contains("10.00"), outcome.results)
        }
        let undone = await till.type("undo", "S1")
        XCTAssertEqual(undone.exitCode, .failed, "a part alone is not taken back: \(undone.messages)")
        XCTAssertTrue(undone.messages.contains(said), undone.messages)

        let checked = await till.type("doctor")
        XCTAssertEqual(checked.exitCode, .partlyDone, checked.messages)
        XCTAssertTrue(checked.messages.contains("\(said); A is left as it is"), checked.messages)
        XCTAssertTrue(checked.messages.contains("1 correction entered"), checked.messages)
        let corrected = await till.type("history")
        XCTAssertEqual(corrected.rows.filter { $0[2] == "correction" }.map { $0[3] }, ["B"])

        try await write(till, "X", ["kind": "sale"])
        try await till.patch("B", ["quantity": 2])
        let unknown = await till.type("doctor")
        XCTAssertEqual(unknown.exitCode, .partlyDone, unknown.messages)
        XCTAssertTrue(unknown.messages.contains("nothing was corrected"), unknown.messages)
    }

    func testAQuietDryRunSaysInOneLineWhatThereIsToDo() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "3")
        let whole = await till.type("doctor", "-q", "--dry-run")
        XCTAssertEqual(whole.exitCode, .done)
        XCTAssertEqual(whole.messages, "")
        try await till.patch("A", ["quantity": 1])
        let outcome = await till.type("doctor", "-q", "--dry-run")
        XCTAssertEqual(outcome.exitCode, .failed)
        XCTAssertEqual(outcome.messages, "record-inventory: 1 correction would be entered\n")
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
            XCTAssertEqual(outcome.exitCode, .failed, outcome.messages)
            XCTAssertTrue(outcome.messages.contains("the store \(file) is damaged ("), outcome.messages)
            XCTAssertTrue(outcome.messages.contains("restore a backup or an export"), outcome.messages)
        }
        let after = try await movements(till)
        XCTAssertEqual(after, before, "nothing is entered")
    }

    private func movements(_ till: Till) async throws -> Int {
        let store = EmbeddedStore(file: till.folder.url.appending(path: "stock.sqlite"))
        let list = StoreRequest(method: .get, path: "/v1/buckets/shop/collections/movements/records")
        return try JSONValue(stored: try await store.respond(to: list).body).object?["data"]?.array?.count ?? 0
    }

    private var now: Int64 { MovementTime.now().milliseconds }

    /// Stores a movement as another program may.
    private func write(_ till: Till, _ id: String, _ movement: JSONValue) async throws {
        let store = EmbeddedStore(file: till.folder.url.appending(path: "stock.sqlite"))
        _ = try await store.respond(
            to: StoreRequest(
                method: .put, path: "/v1/buckets/shop/collections/movements/records/\(id)",
                body: .json(["data": movement])))
    }
}
