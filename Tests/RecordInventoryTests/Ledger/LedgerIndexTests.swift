import RecordKitJSON
import RecordKit
import RecordKitSQLite
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordInventory

/// What is asked of the ledger.
final class LedgerIndexTests: TimedTestCase {
    /// The queries of a command for lists of movements.
    private func requests(_ arguments: [String], _ till: Till) async throws -> [String] {
        let recorder = CannedTransport(over: till.transport)
        await till.type(arguments, answer: "y\n", over: recorder).expect(.done)
        let targets = recorder.calls.flatMap { call in
            call.reads ?? (call.method == .get ? [call.url.path + "?" + (call.url.query ?? "")] : [])
        }
        return targets.map { $0.split(separator: "?", maxSplits: 1).map(String.init) }
            .filter { $0[0].hasSuffix("/\(Ledger.collection)/records") }.map { $0.count > 1 ? $0[1] : "" }
    }

    func testNoCommandReadsTheWholeLedgerToFindOneMovement() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "9")
        _ = await till.add("B", "--quantity", "9")
        _ = await till.type("sell", "A", "B", "--id", "S1")
        _ = await till.type("sell", "A", "B", "--id", "S2")
        for command in [
            ["history", "--id", "S1"], ["history", "--id", "S1-1"],
            ["sell", "A", "B", "--id", "S1", "--payment", "card"],
            ["history", "--limit", "3"], ["return", "A", "--sale", "S1"], ["undo"], ["undo", "S2"],
            ["sell", "B", "--id", "S3", "--payment", "card"], ["undo", "S3"],
        ] {
            let lists = try await requests(command, till)
            for list in lists {
                let isNarrow = ["command=", "in_undoes=", "sku="].contains { list.contains($0) }
                let isShort = list.contains("in_kind=") && list.contains("_sort=-time.at") && list.contains("_limit=")
                XCTAssertTrue(isNarrow || isShort, "\(command): \(list)")
            }
        }
    }
}
