import RecordKitJSON
import Foundation
import RecordKit
import Synchronization
import TestSupport
import XCTest

@testable import RecordInventory

/// A record and its first movement are created together, whatever is there already.
final class CreationTests: TimedTestCase {
    private let movements = "/v1/buckets/shop/collections/movements/records"

    private func store(_ till: Till) -> EmbeddedStore {
        EmbeddedStore(file: till.folder.url.appending(path: "stock.sqlite"))
    }

    func testARecordWithoutCopiesHasAFirstMovementToo() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "0")
        let history = await till.type("history", "A")
        XCTAssertEqual(history.rows.map { Array($0[2...4]) }, [["opening", "A", "0"]], history.messages)
    }

    /// As an older version of the tool created it: without a movement. Importing again used to write a movement of five
    /// copies, and to remove it afterwards.
    func testImportingAgainWritesNoMovementWithoutItsRecord() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "0")
        let deleted = try await store(till).answer(StoreRequest(method: .delete, path: "\(movements)/opening-A"))
        XCTAssertEqual(deleted.status, 200)
        let recorder = WriteRecorder(EmbeddedTransport(store(till)))
        let stock = Stock(over: recorder)
        var changed = try StockContract.record("A", quantity: 5)
        let answers = try await stock.write([(changed, nil)])
        guard case .failure(.conflict(let stored?)) = answers[0] else { return XCTFail("\(answers)") }
        XCTAssertEqual(recorder.writes, 0, "what exists is not created")
        changed.quantity = 5
        let updated = try await stock.write([(changed, stored)])
        XCTAssertTrue(updated[0].isMade, "\(updated)")
        let differences = try await stock.differences()
        XCTAssertEqual(differences, [])
    }

    func testAFirstMovementLeftByADeletedRecordIsNotInTheWay() async throws {
        let till = try Till()
        _ = await till.add("OTHER")
        for (id, quantity) in [("opening-A", 5), ("A-deletion", -5)] as [(String, Int64)] {
            let left: JSONValue = [
                "sku": "A", "kind": quantity > 0 ? "opening" : "deletion", "quantity": .integer(quantity), "at": 1,
            ]
            let written = try await store(till).answer(
                StoreRequest(method: .put, path: "\(movements)/\(id)", body: .json(["data": left])))
            XCTAssertEqual(written.status, 201)
        }
        let recorder = WriteRecorder(EmbeddedTransport(store(till)))
        let stock = Stock(over: recorder)
        _ = try await stock.create(try StockContract.record("A", quantity: 3))
        XCTAssertEqual(recorder.batches, 1, "nothing is entered afterwards")
        let own = try await stock.movements(MovementFilter(sku: try SKU("A")))
        XCTAssertEqual(own.map(\.id).sorted(), ["A-deletion", "opening-A", "opening-A-again"])
        let differences = try await stock.differences()
        XCTAssertEqual(differences, [])
        for quantity in [2, 4] {
            _ = try await stock.delete(try SKU("A"))
            _ = try await stock.create(try StockContract.record("A", quantity: quantity))
            let differences = try await stock.differences()
            XCTAssertEqual(differences, [])
        }
    }

    /// Two that enter what a deleted record left must not both do it.
    func testMovementsOfADeletedRecordAreBalancedOnce() async throws {
        let till = try Till()
        _ = await till.add("OTHER")
        let left: JSONValue = ["sku": "GONE", "kind": "opening", "quantity": 5, "at": 1]
        _ = try await store(till).answer(
            StoreRequest(method: .put, path: "\(movements)/opening-GONE", body: .json(["data": left])))
        let transport = EmbeddedTransport(store(till))
        let other = Stock(over: transport)
        let found = try await other.differences()
        XCTAssertEqual(found.map(\.sum), [5])
        // The other one enters it between this one's look and its write.
        let overtaken = OvertakenTransport(transport, before: "/batch") {
            _ = try? await other.mend(found, reason: "other")
        }
        let count = try await Stock(over: overtaken).mend(found, reason: "this")
        XCTAssertEqual(count, 0)
        let differences = try await other.differences()
        XCTAssertEqual(differences, [])
    }

    /// A sale between the look and the write of `doctor` must not be counted twice.
    func testDoctorWritesOnlyAtTheVersionThatItRead() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "5")
        _ = try await store(till).answer(StoreRequest(method: .delete, path: "\(movements)/opening-A"))
        let transport = EmbeddedTransport(store(till))
        let other = Stock(over: transport)
        let found = try await other.differences()
        XCTAssertEqual(found.map(\.isNew), [true])
        let store = store(till)
        let overtaken = OvertakenTransport(transport, before: "/batch") {
            // As another program does, without a movement.
            _ = try? await store.answer(
                StoreRequest(
                    method: .patch, path: "/v1/buckets/shop/collections/records/records/A",
                    body: .json(["data": ["quantity": 2]])))
        }
        _ = try await Stock(over: overtaken).mend(found, reason: "this")
        let differences = try await other.differences()
        XCTAssertEqual(differences, [])
    }
}

/// Passes calls on, and counts those that may write.
private final class WriteRecorder: NetworkTransport {
    private let transport: any NetworkTransport
    private let counts = Counts()

    init(_ transport: any NetworkTransport) {
        self.transport = transport
    }

    var writes: Int { counts.writes.withLock { $0 } }
    var batches: Int { counts.batches.withLock { $0 } }

    private final class Counts: Sendable {
        let writes = Mutex(0)
        let batches = Mutex(0)
    }

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        if call.method != .get { counts.writes.withLock { $0 += 1 } }
        if call.isChange { counts.batches.withLock { $0 += 1 } }
        return try await transport.exchange(call)
    }
}
