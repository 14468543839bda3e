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

    /// As another program created it: without a movement.
    func testImportingAgainWritesNoMovementWithoutItsRecord() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "0")
        let deleted = try await store(till).respond(to: StoreRequest(method: .delete, path: "\(movements)/opening-A"))
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

    /// As another program deletes it: without a movement. The first movement stays, also after `doctor`.
    func testARecordThatAnotherProgramDeletedCanBeAddedAgain() async throws {
        for isMended in [false, true] {
            let till = try Till()
            _ = await till.add("A", "--quantity", "5")
            let path = "/v1/buckets/shop/collections/records/records/A"
            let deleted = try await store(till).respond(to: StoreRequest(method: .delete, path: path))
            XCTAssertEqual(deleted.status, 200)
            if isMended { _ = await till.type("doctor") }
            for quantity in [3, 4] {
                let added = await till.add("A", "--quantity", "\(quantity)")
                XCTAssertEqual(added.exitCode, .done, added.messages)
                let differences = try await Stock(over: EmbeddedTransport(store(till))).differences()
                XCTAssertEqual(differences, [])
                _ = await till.type("delete", "A", "--yes")
            }
        }
    }

    /// Two that enter what a deleted record left must not both do it.
    func testMovementsOfADeletedRecordAreBalancedOnce() async throws {
        let till = try Till()
        _ = await till.add("OTHER")
        let left: JSONValue = ["sku": "GONE", "kind": "opening", "quantity": 5, "at": 1]
        _ = try await store(till).respond(
            to: StoreRequest(method: .put, path: "\(movements)/opening-GONE", body: .json(["data": left])))
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
        _ = try await store(till).respond(to: StoreRequest(method: .delete, path: "\(movements)/opening-A"))
        let transport = EmbeddedTransport(store(till))
        let other = Stock(over: transport)
        let found = try await other.differences()
        XCTAssertEqual(found.map(\.isNew), [true])
        let store = store(till)
        let overtaken = OvertakenTransport(transport, before: "/batch") {
            // As another program does, without a movement.
            _ = try? await store.respond(
                to: StoreRequest(
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
    private let count = Mutex(0)

    init(_ transport: any NetworkTransport) {
        self.transport = transport
    }

    var writes: Int { count.withLock { $0 } }

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        if call.method != .get { count.withLock { $0 += 1 } }
        return try await transport.exchange(call)
    }
}
