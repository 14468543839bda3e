import RecordKitJSON
import Foundation
import RecordKit
import Synchronization
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
        let recorder = CannedTransport(over: till.transport)
        let stock = Stock(over: recorder)
        var changed = try StockContract.record("A", quantity: 5)
        let answers = try await stock.write([(changed, nil)])
        guard case .failure(.conflict(let stored?)) = answers[0] else { return XCTFail("\(answers)") }
        XCTAssertFalse(recorder.calls.contains { $0.method != .get }, "what exists is not created")
        changed.quantity = 5
        let updated = try await stock.write([(changed, stored)])
        XCTAssertTrue(updated[0].isMade, "\(updated)")
        assertEqual(try await stock.differences(), [])
    }

    /// Two that enter what a deleted record left must not both do it.
    func testMovementsOfADeletedRecordAreBalancedOnce() async throws {
        let till = try Till()
        _ = await till.add("OTHER")
        try await till.send(
            .put, "movements/opening-GONE", ["sku": "GONE", "kind": "opening", "quantity": 5, "at": 1])
        let transport = till.transport
        let other = Stock(over: transport)
        let found = try await other.differences()
        XCTAssertEqual(found.map(\.sum), [5])
        // The other one enters it between this one's look and its write.
        let overtaken = CannedTransport(over: transport, before: "/batch") {
            _ = try? await other.mend(found, reason: "other")
        }
        assertEqual(try await Stock(over: overtaken).mend(found, reason: "this"), 0)
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
        XCTAssertEqual(found.map(\.isNew), [true])
        let overtaken = CannedTransport(over: transport, before: "/batch") {
            // As another program does, without a movement.
            _ = try? await till.send(.patch, "A", ["quantity": 2])
        }
        _ = try await Stock(over: overtaken).mend(found, reason: "this")
        assertEqual(try await other.differences(), [])
    }
}
