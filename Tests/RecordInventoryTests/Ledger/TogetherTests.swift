import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

/// Sales of several records at once, by several tills at the same moment.
final class TogetherTests: TimedTestCase {
    func testEmbedded() async throws {
        let folder = try TemporaryFolder()
        let transport = EmbeddedTransport(EmbeddedStore(file: folder.url.appending(path: "stock.sqlite")))
        try await check(Stock(over: transport))
    }

    func testKinto() async throws {
        guard let kinto = try LiveKinto.find(for: "sales of several records", needsTransactions: true) else { return }
        try await check(Stock(kinto.network, bucket: "together-\(UUID().uuidString.lowercased())"))
    }

    /// Each till sells pairs of its own, until one of the records is sold out. Every record is in the pairs of several.
    private func check(_ stock: Stock) async throws {
        let copies = 12
        let skus = try ["A", "B", "C"].map { try SKU($0) }
        for sku in skus { _ = try await stock.create(try StockContract.record(sku.text, quantity: copies)) }
        let sales = try await withThrowingTaskGroup(of: Int.self) { group in
            for till in 0..<4 {
                group.addTask {
                    let order = (0..<2).map { skus[($0 + till) % 3] }
                    var count = 0
                    while true {
                        let source = stock.source.numbered
                        do {
                            _ = try await stock.change {
                                try await stock.look(skus: order)
                            } plan: { look in
                                try order.enumerated().map { index, sku in
                                    let stored = try look.record(sku)
                                    let movement = source.movement(index + 1, of: sku, .sale, -1)
                                    return .change(stored, to: try stored.record.moved(by: -1), [movement])
                                }
                            }
                            count += 1
                        } catch is StockShortage {
                            return count
                        }
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        let movements = try await stock.movements(MovementFilter(kinds: [.sale]))
        XCTAssertEqual(movements.count, 2 * sales)
        let commands = Dictionary(grouping: movements) { $0.command }
        XCTAssertTrue(commands.values.allSatisfy { $0.count == 2 }, "both records, or none")
        let left = try await StockContract.all(stock).map(\.quantity).reduce(0, +)
        XCTAssertEqual(left, 3 * copies - 2 * sales)
        XCTAssertLessThanOrEqual(left, 2 * copies)
        assertEqual(try await stock.differences(), [])
    }
}
