import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

// Concurrent clients.
extension StockContract {
    func checkSelling(_ stock: Stock) async throws {
        let copies = 40
        let sku = try SKU("LAST")
        _ = try await stock.create(try Self.record("LAST", quantity: copies))
        let sold = try await withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var left: [Int] = []
                    for _ in 0...copies {
                        do {
                            left.append(try await stock.move(sku, by: -1).quantity)
                        } catch is StockShortage {
                            return left
                        }
                    }
                    return left
                }
            }
            return try await group.reduce(into: [Int]()) { $0 += $1 }
        }
        XCTAssertEqual(sold.sorted(), Array(0..<copies), "each copy is sold once")
        assertEqual(try await stock.fetch(sku).record.quantity, 0)
    }

    func checkChangesAtOnce(_ stock: Stock) async throws {
        let sku = try SKU("BUSY")
        _ = try await stock.create(try Self.record("BUSY", quantity: 100))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for _ in 0..<5 {
                        switch task % 3 {
                        case 0: _ = try await stock.move(sku, by: 3)
                        case 1: _ = try await stock.move(sku, by: -2)
                        default:
                            _ = try await stock.update(sku) { current in
                                var changed = current
                                changed.notes = (current.notes ?? "") + "x"
                                return changed
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let record = try await stock.fetch(sku).record
        XCTAssertEqual(record.quantity, 100 + 3 * 5 * 3 - 3 * 5 * 2, "no change is lost")
        XCTAssertEqual(record.notes, String(repeating: "x", count: 2 * 5), "no change is lost")
    }

    private func rows(_ count: Int, title: String = "Title") throws -> [ImportRow] {
        try (0..<count).map { index in
            let name =
                index.isMultiple(of: 4) ? "batch-\(index)" : index.isMultiple(of: 5) ? "R \(index)" : "R-\(index)"
            return ImportRow(number: index + 2, record: try Self.record(name, title: title))
        }
    }

    private func write(
        _ rows: [ImportRow], to stock: Stock, _ policy: DuplicatePolicy = .skip
    ) async throws -> ImportSummary {
        var summary = ImportSummary()
        let writer = ImportWriter(stock: stock, policy: policy)
        let limit = try await stock.batchLimit()
        for start in stride(from: 0, to: rows.count, by: limit) {
            try await writer.write(Array(rows[start..<min(start + limit, rows.count)]), &summary)
        }
        return summary
    }

    func checkBatches(_ stock: Stock) async throws {
        let rows = try rows(30)
        for (policy, title, expected) in [
            (.skip, "Title", "30 created, 0 updated, 0 unchanged, 0 rejected"),
            (.skip, "Other", "0 created, 0 updated, 30 unchanged, 0 rejected"),
            (.fail, "Title", "0 created, 0 updated, 0 unchanged, 30 rejected"),
            (.update, "Title", "0 created, 0 updated, 30 unchanged, 0 rejected"),
            (.update, "Other", "0 created, 30 updated, 0 unchanged, 0 rejected"),
        ] as [(DuplicatePolicy, String, String)] {
            let summary = try await write(try self.rows(30, title: title), to: stock, policy)
            XCTAssertEqual(summary.text, expected, "\(policy) in \(stock.bucket)")
        }
        assertEqual(Set(try await Self.all(stock).map(\.title)), ["Other"])
        let listed = try await Self.all(stock)
        XCTAssertEqual(Set(listed.map(\.sku)), Set(rows.map(\.record.sku)))
    }

    func checkImportsAtOnce(_ stock: Stock) async throws {
        let rows = try rows(120)
        let summaries = try await withThrowingTaskGroup(of: ImportSummary.self) { group in
            for _ in 0..<3 { group.addTask { try await write(rows.shuffled(), to: stock) } }
            return try await group.reduce(into: [ImportSummary]()) { $0.append($1) }
        }
        XCTAssertEqual(summaries.map(\.created).reduce(0, +), rows.count, "each record is created once")
        XCTAssertTrue(summaries.allSatisfy { $0.created + $0.unchanged == rows.count && $0.rejected.isEmpty })
        assertEqual(try await Self.all(stock).count, rows.count)
    }
}
