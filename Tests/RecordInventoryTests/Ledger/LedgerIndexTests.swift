import RecordKitJSON
import Foundation
import RecordKit
import RecordKitSQLite
import RecordKitTesting
import Synchronization
import TestSupport
import XCTest

@testable import RecordInventory

/// What is asked of the ledger, and how the embedded store finds it.
final class LedgerIndexTests: TimedTestCase {
    /// Returns the steps by which the store reads a page of movements.
    private func plan(_ filter: MovementFilter, after: JSONValue? = nil) throws -> [String] {
        let table = ObjectTable(try StoreFile.empty())
        var query = try ListQuery(filter.query)
        if let after { query.after = [after, 1] }
        let select = ObjectTable.select(query, in: ObjectTable.List(number: 1, version: 1))
        var plan: [String] = []
        try table.database.statement("EXPLAIN QUERY PLAN " + select.sql).forEachRow(select.values) {
            plan.append($0.text(3))
        }
        return plan
    }

    func testMovementsAreFoundByTheirCommandAndByWhatTheyTakeBack() throws {
        for (filter, index) in [
            (MovementFilter(sku: try SKU("A")), "skus"), (MovementFilter(command: "C"), "commands"),
            (MovementFilter(undone: ["C-1", "C-2"]), "undone"),
        ] {
            let plan = try plan(filter)
            XCTAssertTrue(plan.contains { $0.contains("USING INDEX \(index) (list=? AND <expr>=?)") }, "\(plan)")
            XCTAssertTrue(plan.contains { $0.contains("(list=? AND id=?)") }, "\(plan)")
        }
    }

    func testTheLatestMovementsAreReadInTheOrderOfTheirIndex() throws {
        for isLatestFirst in [true, false] {
            for after in [nil, 5] as [JSONValue?] {
                let plan = try plan(
                    MovementFilter(till: "T", kinds: [.sale], times: 1..<9, isLatestFirst: isLatestFirst), after: after)
                XCTAssertTrue(
                    plan[0].contains("objects USING INDEX times (list=? AND <expr>>? AND <expr><?)"), "\(plan)")
                // Only those of the same time are sorted.
                XCTAssertFalse(plan.contains("USE TEMP B-TREE FOR ORDER BY"), "\(plan)")
            }
        }
        let openings = try plan(MovementFilter(kinds: [.opening], times: 1..<9, isLatestFirst: true))
        XCTAssertTrue(
            openings[0].contains("objects USING INDEX openings (list=? AND <expr>>? AND <expr><?)"), "\(openings)")
        XCTAssertFalse(openings.contains("USE TEMP B-TREE FOR ORDER BY"), "\(openings)")
        let all = try plan(MovementFilter(times: 1..<9))
        XCTAssertFalse(all.contains { $0.contains("times") }, "the index has no openings: \(all)")
    }

    /// The queries of a command for lists of movements.
    private func requests(_ arguments: [String], _ till: Till) async throws -> [String] {
        let recorder = CannedTransport(over: till.transport)
        let outcome = await till.type(arguments, answer: "y\n", over: recorder)
        XCTAssertEqual(outcome.exitCode, .done, "\(arguments)")
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
            ["history", "--id", "S1"], ["history", "--id", "S1-1"], ["sell", "A", "B", "--id", "S1"],
            ["history", "--limit", "3"], ["return", "A", "--sale", "S1"], ["undo"], ["undo", "S2"],
            ["sell", "B", "--id", "S3"], ["undo", "S3"],
        ] {
            let lists = try await requests(command, till)
            for list in lists {
                let isNarrow = ["command=", "in_undoes=", "sku="].contains { list.contains($0) }
                let isShort = list.contains("in_kind=") && list.contains("_sort=-at") && list.contains("_limit=")
                XCTAssertTrue(isNarrow || isShort, "\(command): \(list)")
            }
        }
    }
}
