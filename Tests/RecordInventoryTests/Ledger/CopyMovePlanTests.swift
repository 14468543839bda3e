import TestSupport
import XCTest

@testable import RecordInventory

/// What is planned for what was looked at. No store is asked.
final class CopyMovePlanTests: TimedTestCase {
    private let source = MovementSource(
        till: "till", command: "C", now: { MovementTime(milliseconds: 1_000, offset: 0) })

    /// A stored record of 10.00 EUR.
    private func stored(_ sku: String, _ quantity: Int, _ change: (inout Record) throws -> Void = { _ in }) throws
        -> StoredRecord
    {
        var record = try StockContract.record(sku, quantity: quantity)
        record.status = .forSale
        try change(&record)
        return StoredRecord(record: record, version: Version(Int64(quantity)))
    }

    private func line(
        _ sku: String, _ count: Int = 1, price: Money? = nil, _ kind: Movement.Kind? = nil, sale: Movement? = nil
    ) throws -> CopyMove.Line {
        CopyMove.Line(code: try SKU(sku), count: count, price: price, kind: kind, sale: sale)
    }

    private func move(
        _ kind: Movement.Kind, _ lines: CopyMove.Line..., change: (inout CopyMove) throws -> Void = { _ in }
    ) rethrows -> CopyMove {
        var move = CopyMove(kind: kind, lines: lines)
        try change(&move)
        return move
    }

    /// A sale that was made before.
    private func sale(_ id: String, _ sku: String, _ count: Int, discount: Int64? = nil) throws -> Movement {
        var sale = MovementSource(till: "till", command: id).movement(1, of: try SKU(sku), .sale, -count)
        sale.price = Money(amount: 1_000, currency: try Currency("EUR"))
        (sale.payment, sale.discount) = ("card", discount)
        return sale
    }

    private func back(_ sale: Movement, _ count: Int, discount: Int64? = nil) -> Movement {
        var back = MovementSource(till: "till", command: "R0").movement(1, of: sale.sku, .return, count)
        (back.undoes, back.discount) = (sale.id, discount)
        return back
    }

    /// The plan in words: a line for each record and each movement, or the error.
    private func plan(_ move: CopyMove, _ look: StockSnapshot) -> [String] {
        do {
            return try move.plan(look, source).flatMap { change -> [String] in
                guard case .change(let stored, let record, let movements) = change else { return ["\(change)"] }
                let head =
                    "\(record.sku.text) \(stored.record.quantity) -> \(record.quantity) \(record.status.rawValue)"
                return [head + (record.cost.map { " cost \($0)" } ?? "")]
                    + movements.map { movement in
                        let parts = [
                            " \(movement.id) \(movement.kind.rawValue) \(movement.quantity)",
                            movement.price.map { "at \($0.amount)" }, movement.discount.map { "less \($0)" },
                            movement.payment, movement.undoes.map { "of \($0)" },
                        ]
                        return parts.compactMap(\.self).joined(separator: " ")
                    }
            }
        } catch let error as CommandFailure {
            return ["\(error.exitCode): \(error.message.prefix(40))"]
        } catch let error as UsageError {
            return ["usage: \(error.message.prefix(40))"]
        } catch {
            return ["\(type(of: error))"]
        }
    }

    func testSales() throws {
        let (a, b) = (try stored("A", 3), try stored("B", 1))
        let ada = Reservation(id: "r", name: "Ada", quantity: 2, until: nil)
        let kept = try stored("A", 3) { $0.reservations = [ada] }
        let draft = try stored("A", 3) { $0.status = .draft }
        let euros = Money(amount: 700, currency: try Currency("EUR"))
        let rows: [(CopyMove, StockSnapshot, [String])] = [
            (try move(.sale, line("A")), StockSnapshot([a]), ["A 3 -> 2 for_sale", " C-1 sale -1 at 1000"]),
            (
                try move(.sale, line("A"), line("B"), line("A")) { $0.payment = "cash" }, StockSnapshot([a, b]),
                ["A 3 -> 1 for_sale", " C-1 sale -2 at 1000 cash", "B 1 -> 0 sold", " C-2 sale -1 at 1000 cash"]
            ),
            (
                try move(.sale, line("A", 2), line("B")) { $0.discount = try Discount("10%") }, StockSnapshot([a, b]),
                [
                    "A 3 -> 1 for_sale", " C-1 sale -2 at 1000 less 200", "B 1 -> 0 sold",
                    " C-2 sale -1 at 1000 less 100",
                ]
            ),
            (
                try move(.sale, line("A")) { $0.price = "8.50" }, StockSnapshot([a]),
                ["A 3 -> 2 for_sale", " C-1 sale -1 at 850"]
            ),
            (try move(.sale, line("A", 4)), StockSnapshot([a]), ["StockShortage"]),
            (try move(.sale, line("C")), StockSnapshot([a]), ["MissingRecord"]),
            (
                try move(.sale, line("A")), StockSnapshot([draft]),
                ["conflict: A, Artist: Title, is a draft, so nothing"]
            ),
            (
                try move(.sale, line("A")) { $0.isForced = true }, StockSnapshot([draft]),
                ["A 3 -> 2 draft", " C-1 sale -1 at 1000"]
            ),
            (
                try move(.sale, line("A")) { $0.price = "1.234" }, StockSnapshot([a]),
                ["usage: --price \"1.234\" of A: too many decimals;"]
            ),
            (
                try move(.sale, line("A")) { $0.discount = try Discount("11.00") }, StockSnapshot([a]),
                ["usage: the discount: more than the total"]
            ),
            // Reserved copies.
            (try move(.sale, line("A")), StockSnapshot([kept]), ["A 3 -> 2 for_sale", " C-1 sale -1 at 1000"]),
            (
                try move(.sale, line("A", 2)), StockSnapshot([kept]),
                ["conflict: there are not enough copies of A: 3 in s"]
            ),
            (
                try move(.sale, line("A", 2)) { $0.customer = "Ada" }, StockSnapshot([kept]),
                ["A 3 -> 1 for_sale", " C-1 sale -2 at 1000", " C-2 release -2 of r"]
            ),
            (
                try move(.sale, line("A")) { $0.customer = "Bo" }, StockSnapshot([kept]),
                ["conflict: no copy of A is reserved for Bo; nothing"]
            ),
            // At the till, a customer was shown a price.
            (
                try move(.sale, line("A", price: euros), line("B", price: euros, .tradeIn)), StockSnapshot([a, b]),
                ["A 3 -> 2 for_sale", " C-1 sale -1 at 700", "B 1 -> 2 for_sale cost 700", " C-2 trade_in 1 at 700"]
            ),
            (
                try move(.sale, line("A", price: Money(amount: 1, currency: try Currency("USD")))), StockSnapshot([a]),
                ["conflict: A was changed from USD to EUR meanwhile;"]
            ),
        ]
        for (move, look, expected) in rows { XCTAssertEqual(plan(move, look), expected, "\(move)") }
    }

    func testReturns() throws {
        let (old, new) = (try sale("S1", "A", 2), try sale("S2", "A", 2, discount: 500))
        let a = try stored("A", 1)
        func look(_ sales: [Movement], _ returns: [Movement] = []) -> StockSnapshot {
            var look = StockSnapshot([a], returns: returns)
            look.sales = sales
            return look
        }
        let named = try move(.return, line("A", 2)) { $0.sale = "S2" }
        let newest = try move(.return, line("A", 3))
        let rows: [(CopyMove, StockSnapshot, [String])] = [
            (named, look([new]), ["A 1 -> 3 for_sale", " C-1 return 2 at 1000 less 500 card of S2-1"]),
            (
                try move(.return, line("A")) { ($0.sale, $0.payment) = ("S2", "cash") },
                look([new], [back(new, 1, discount: 250)]),
                ["A 1 -> 2 for_sale", " C-1 return 1 at 1000 less 250 cash of S2-1"]
            ),
            (named, look([new], [back(new, 1)]), ["conflict: the sale S2 had 2 of A, of which 1 came "]),
            (named, look([try sale("S2", "B", 1)]), ["notFound: the sale S2 has no copy of A"]),
            (
                newest, look([new, old]),
                [
                    "A 1 -> 4 for_sale", " C-1 return 2 at 1000 less 500 card of S2-1",
                    " C-2 return 1 at 1000 card of S1-1",
                ]
            ),
            (newest, look([new, old], [back(new, 2)]), ["conflict: only 2 of A were sold and did not come b"]),
            (
                try move(.return, line("A", 3)) { ($0.price, $0.isForced) = ("8.00", true) }, look([old]),
                ["A 1 -> 4 for_sale", " C-1 return 2 at 800 card of S1-1", " C-2 return 1 at 800"]
            ),
            // Within a sale it is paid as the sale.
            (
                try move(.sale, line("A", 1, .return, sale: new)) { $0.payment = "cash" }, look([]),
                ["A 1 -> 2 for_sale", " C-1 return 1 at 1000 less 250 cash of S2-1"]
            ),
        ]
        for (move, look, expected) in rows { XCTAssertEqual(plan(move, look), expected, "\(move)") }
    }

    func testWhatComesInAndGoesOut() throws {
        let rows: [(CopyMove, StoredRecord, [String])] = [
            (try move(.restock, line("A", 2)), try stored("A", 0), ["A 0 -> 2 for_sale", " C-1 restock 2"]),
            (try move(.writeOff, line("A")), try stored("A", 1), ["A 1 -> 0 sold", " C-1 write_off -1"]),
            (
                try move(.tradeIn, line("A")) { $0.price = "8.00" }, try stored("A", 3) { $0.cost = 400 },
                ["A 3 -> 4 for_sale cost 500", " C-1 trade_in 1 at 800"]
            ),
            (
                try move(.tradeIn, line("A")) { $0.price = "8.00" }, try stored("A", 0) { $0.cost = 400 },
                ["A 0 -> 1 for_sale cost 800", " C-1 trade_in 1 at 800"]
            ),
        ]
        for (move, stored, expected) in rows { XCTAssertEqual(plan(move, StockSnapshot([stored])), expected) }
    }
}
