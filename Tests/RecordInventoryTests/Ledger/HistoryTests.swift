import RecordKitJSON
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordInventory

final class HistoryTests: TimedTestCase {
    func testTheHistoryIsInOrderHoweverLongItIs() async throws {
        let till = try Till()
        // More than are sorted in memory.
        let rows = (0..<5_200).map { "LP-\(10_000 + $0),A,T,1,EUR" }
        _ = await till.type("import", try till.file(rows.joined(separator: "\n")))
        for sku in ["LP-14000", "LP-10001", "LP-12345"] { _ = await till.type("sell", sku) }
        let all = await till.type("history")
        XCTAssertEqual(all.rows.count, 5_203)
        XCTAssertEqual(all.rows.map { $0[1] }, all.rows.map { $0[1] }.sorted(), "by time")
        XCTAssertEqual(all.rows.suffix(3).map { $0[3] }, ["LP-14000", "LP-10001", "LP-12345"])
        assertEqual(await till.type("history", "--limit", "2").rows, Array(all.rows.suffix(2)))
    }
}
