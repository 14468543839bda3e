import TestSupport
import XCTest

@testable import RecordInventory

/// What random returns of random sales give back. No store is asked.
final class ReturnedMoneyTests: TimedTestCase {
    private var generator = SeededGenerator(seed: 49)
    private var till = 0
    private var returned = 0

    private func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    /// The source of the next command, a second later.
    private func source() -> MovementSource {
        till += 1
        let time = MovementTime(milliseconds: Int64(till) * 1_000, offset: 0)
        return MovementSource(till: "till", command: "C\(till)", now: { time })
    }

    private func movements(_ move: CopyMove, _ look: StockSnapshot) throws -> [Movement] {
        try move.plan(look, source()).flatMap { $0.kind == .change ? $0.movements : [] }
    }

    /// A sale of up to three records, with a discount or without.
    private func sale() throws -> (records: [StoredRecord], movements: [Movement]) {
        let (records, move, _) = try basket()
        return (records, try movements(move, StockSnapshot(records)))
    }

    private func basket() throws -> (records: [StoredRecord], move: CopyMove, total: Int64) {
        var records: [StoredRecord] = []
        var move = CopyMove(kind: .sale, lines: [])
        for number in 0..<random(1...3) {
            var record = try StockContract.record("A\(number)", quantity: 9)
            record.status = .forSale
            record.price.amount = Int64(random(1...3_000))
            records.append(StoredRecord(record: record, version: Version(1)))
            move.lines.append(CopyLine(code: record.sku, count: random(1...9)))
        }
        let total = zip(records, move.lines).map { $0.record.price.amount * Int64($1.count) }.reduce(0, +)
        switch random(0...3) {
        case 0: break
        case 1:
            let part = Money(amount: Int64.random(in: 0...total, using: &generator), currency: try Currency("EUR"))
            move.discount = try Discount(part.decimalText)
        default: move.discount = try Discount("\(random(0...100)).\(random(10...99))%".replacing("100.", with: "99."))
        }
        let made = try move.movements(of: move.parts(StockSnapshot(records)), source(), StockSnapshot())
        return (records, move, try made.total().first?.amount ?? 0)
    }

    /// A sale in parts, whose kinds may be named twice, comes back bit by bit: by `return`, or at the counter.
    func testEachKindHasNothingLeftWhenAllIsBack() throws {
        for number in 0..<5_000 {
            var (records, move, rest) = try basket()
            var look = StockSnapshot(records)
            let coin = [0, 5, 10, 100][random(0...3)]
            if coin > 0 { look.shop.smallestCoin = coin == 100 ? "1.00" : coin == 5 ? "0.05" : "0.10" }
            let kinds = ["cash", "card", "voucher"]
            for _ in 0..<random(0...4) where rest > 1 {
                let kind = kinds[random(0...2)]
                var part = Int64.random(in: 1..<rest, using: &generator)
                if coin > 0, kind == "cash" { part -= part % Int64(coin) }
                if part == 0 { continue }
                let amount = Money(amount: part, currency: try Currency("EUR")).decimalText
                move.firstPayments.append(CopyMove.PaymentPart(kind: kind, amount: amount))
                rest -= part
            }
            move.payment = kinds[random(0...2)]
            let sold = try movements(move, look)
            look.sales = sold
            var sums: [String?: Int64] = [:]
            var rounding: Int64 = 0
            func add(_ movements: [Movement]) throws {
                for movement in movements {
                    for share in try movement.shares(of: movement.paid?.amount ?? 0) {
                        sums[share.kind, default: 0] += share.amount
                    }
                    rounding += movement.rounding ?? 0
                }
            }
            try add(sold)
            while sold.contains(where: { $0.copiesLeft(after: look.returns) > 0 }) {
                var back = CopyMove(kind: random(0...1) == 0 ? .return : .sale, lines: [])
                back.givesBack = true
                back.sale = back.kind == .return ? sold[0].command : nil
                for sale in sold where random(0...2) > 0 && (back.lines.isEmpty || back.kind == .sale) {
                    let left = sale.copiesLeft(after: look.returns)
                    guard left > 0 else { continue }
                    let isNamed = back.kind == .sale
                    back.lines.append(
                        CopyLine(
                            code: sale.sku, count: random(1...left), kind: isNamed ? .return : nil,
                            sale: isNamed ? sale.id : nil))
                }
                if back.lines.isEmpty { continue }
                let made = try movements(back, look)
                let cash = try made.flatMap { try $0.shares(of: $0.paid?.amount ?? 0) }.filter { $0.kind == "cash" }
                let given = cash.map(\.amount).reduce(0, +)
                XCTAssertEqual(coin == 0 ? 0 : given % Int64(coin), 0, "sale \(number): \(made)")
                try add(made)
                look.returns += made
                XCTAssertTrue(sums.values.allSatisfy { $0 >= 0 }, "sale \(number) gave \(sums)")
            }
            XCTAssertTrue(sums.values.allSatisfy { $0 == 0 } && rounding == 0, "sale \(number): \(sums), \(rounding)")
        }
    }

    /// Takes back some copies of a movement in one of the three ways: of the newest sale, of a named one, at the till.
    private func takeBack(
        _ count: Int, _ sale: Movement, _ records: [StoredRecord], after returns: [Movement], price: String? = nil
    ) throws -> Movement {
        returned += 1
        var look = StockSnapshot(records, returns: returns.shuffled(using: &generator))
        look.sales = [sale]
        var move = CopyMove(kind: .return, lines: [CopyLine(code: sale.sku, count: count)])
        move.price = price
        switch price == nil ? random(0...2) : 0 {
        case 0: break
        case 1: move.sale = sale.command
        default:
            move = CopyMove(
                kind: .sale,
                lines: [CopyLine(code: sale.sku, count: count, kind: .return, sale: sale.id)])
        }
        let made = try movements(move, look)
        XCTAssertEqual(made.count, 1)
        return try XCTUnwrap(made.first)
    }

    func testReturnsAddUpToWhatWasPaid() throws {
        for number in 0..<10_000 {
            let (records, sold) = try sale()
            for sale in sold {
                let paid = try XCTUnwrap(sale.paid?.amount)
                var returns: [Movement] = []
                while sale.copiesLeft(after: returns) > 0 {
                    let count = random(1...sale.copiesLeft(after: returns))
                    returns.append(try takeBack(count, sale, records, after: returns))
                    // Sometimes a return is taken back itself, so it does not count.
                    if random(0...9) == 0 { returns.remove(at: random(0...returns.count - 1)) }
                }
                let back = returns.compactMap(\.paid?.amount).reduce(0, +)
                XCTAssertEqual(-back, paid, "sale \(number): \(sale), \(returns)")
                if -back != paid { return }
            }
        }
        XCTAssertGreaterThan(returned, 10_000)
    }

    /// A copy gives back its part of what was paid, whatever others gave back.
    func testReturnsWithAPriceChangeNoOther() throws {
        for number in 0..<10_000 {
            let (records, sold) = try sale()
            for sale in sold {
                let paid = Int128(try XCTUnwrap(sale.paid?.amount))
                let copies = Int128(-sale.quantity)
                let (low, high) = (paid / copies, (paid + copies - 1) / copies)
                var returns: [Movement] = []
                while sale.copiesLeft(after: returns) > 0 {
                    let count = random(1...sale.copiesLeft(after: returns))
                    let price = random(0...1) == 0 ? "\(random(0...30)).\(random(10...99))" : nil
                    let back = try takeBack(count, sale, records, after: returns, price: price)
                    returns.append(back)
                    guard price == nil else { continue }
                    let amount = -Int128(try XCTUnwrap(back.paid?.amount))
                    let range = low * Int128(count)...high * Int128(count)
                    XCTAssertTrue(range.contains(amount), "sale \(number): \(sale), \(returns): \(range)")
                    if !range.contains(amount) { return }
                }
            }
        }
        XCTAssertGreaterThan(returned, 10_000)
    }
}
