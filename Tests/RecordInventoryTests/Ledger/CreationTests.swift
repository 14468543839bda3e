import RecordKitJSON
import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

/// A record and its first movement are created together, whatever is there already.
final class CreationTests: TimedTestCase {
    /// As another program created it: without a movement.
    func testImportingAgainWritesNoMovementWithoutItsRecord() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "0")
        try await till.send(.delete, "movements/opening-A")
        let file = try till.file("A,B,C,1,EUR")
        let recorder = CannedTransport(over: till.transport)
        let other = Stock(over: recorder)
        do {
            _ = try await other.create(try StockContract.record("A"))
            XCTFail("created a record that is in stock")
        } catch InventoryError.conflict {}
        XCTAssertFalse(recorder.calls.contains(where: \.isChange), "what exists is not created")
        await till.type("import", file, "--on-duplicate", "update").expect(.done)
        assertEqual(try await other.differences(), [])
    }

    /// Two that enter what a deleted record left must not both do it.
    func testMovementsOfADeletedRecordAreBalancedOnce() async throws {
        let till = try Till()
        _ = await till.add("OTHER")
        try await till.send(
            .put, "movements/opening-GONE",
            ["sku": "GONE", "kind": "opening", "quantity": 5, "till": "T", "time": ["at": 1]])
        let transport = till.transport
        let other = Stock(over: transport)
        let found = try await other.differences()
        XCTAssertEqual(found.map(\.sum), [5])
        // The other one enters it between this one's look and its write.
        let overtaken = CannedTransport(over: transport, before: "/batch") {
            _ = try? await other.mend(found.map(\.sku), reason: "other")
        }
        assertEqual(try await Stock(over: overtaken).mend(found.map(\.sku), reason: "this"), 0)
        assertEqual(try await other.differences(), [])
    }

    /// A sale between the look and the write of `doctor` must not be counted twice.
    func testDoctorWritesOnlyAtTheVersionThatItRead() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "5")
        try await till.send(.delete, "movements/opening-A")
        let transport = till.transport
        let other = Stock(over: transport)
        let found = try await other.differences()
        let overtaken = CannedTransport(over: transport, before: "/batch") {
            // As another program does, without a movement.
            _ = try? await till.send(.patch, "A", ["quantity": 2])
        }
        _ = try await Stock(over: overtaken).mend(found.map(\.sku), reason: "this")
        assertEqual(try await other.differences(), [])
    }
}
