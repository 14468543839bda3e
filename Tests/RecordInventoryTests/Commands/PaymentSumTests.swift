import TestSupport
import XCTest

@testable import RecordInventory

/// What random sales, returns and trade-ins bring in each kind of payment. No store is asked.
final class PaymentSumTests: TimedTestCase {
    private var generator = SeededGenerator(seed: 12)

    private func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    private func money(_ amount: Int64) throws -> Money { Money(amount: amount, currency: try Currency("EUR")) }

    /// A basket of up to four lines, of which copies of an earlier sale may be one.
    private func basket(_ earlier: Movement?) throws -> (records: [StoredRecord], move: CopyMove) {
        var records: [StoredRecord] = []
        var move = CopyMove(kind: .sale, lines: [])
        for number in 0..<random(1...4) {
            var record = try StockContract.record("A\(number)", quantity: 50)
            record.status = .forSale
            record.price.amount = Int64(random(1...3_000))
            records.append(StoredRecord(record: record, version: Version(1)))
            switch random(0...5) {
            case 0:
                let price = try money(Int64(random(1...900)))
                move.lines.append(CopyLine(code: record.sku, price: price, kind: .tradeIn))
            case 1 where earlier?.sku == record.sku:
                move.lines.append(CopyLine(code: record.sku, kind: .return, sale: earlier?.id))
            default: move.lines.append(CopyLine(code: record.sku, count: random(1...3)))
            }
        }
        if random(0...2) == 0 { move.discount = try Discount("\(random(0...40)).5%") }
        return (records, move)
    }

    func testPartsAddUpAndEveryKindHasWhatItBrought() throws {
        var closing = Closing(till: "T", number: 1, time: MovementTime(milliseconds: 0, offset: 0), token: "")
        var sums = MovementSums(skus: nil)
        var brought: [String?: Int64] = [:]
        var sold: [Movement.Kind: Int64] = [:]
        var earlier: Movement?
        var (inParts, rounding) = (0, Int64(0))
        for number in 0..<10_000 {
            let source = MovementSource(
                till: "T", command: "C\(number)", now: { MovementTime(milliseconds: 0, offset: 0) })
            var (records, move) = try basket(earlier)
            var look = StockSnapshot(records)
            look.sales = [earlier].compactMap(\.self)
            let coin = [0, 5, 10, 100][random(0...3)]
            if coin > 0 { look.shop.smallestCoin = try money(Int64(coin)).decimalText }
            let total = try move.movements(of: move.parts(look), source, look).total().first?.amount ?? 0
            let kinds = ["cash", "card", "voucher"].shuffled(using: &generator)
            var rest = total
            if total > 2 {
                for kind in kinds.prefix(random(0...2)) where rest > 1 {
                    var part = Int64.random(in: 1..<rest, using: &generator)
                    if coin > 0, kind == "cash" { part -= part % Int64(coin) }
                    if part == 0 { continue }
                    move.firstPayments.append(CopyMove.PaymentPart(kind: kind, amount: try money(part).decimalText))
                    brought[kind, default: 0] += part
                    rest -= part
                }
            }
            move.payment = move.firstPayments.isEmpty && random(0...4) == 0 ? nil : kinds[2]
            // The nearest amount that can be paid in coins.
            let isRounded = coin > 0 && move.payment == "cash"
            let paid = isRounded ? Int64((Double(rest) / Double(coin)).rounded()) * Int64(coin) : rest
            brought[move.payment, default: 0] += paid
            rounding += paid - rest
            let movements = try move.plan(look, source).flatMap(\.movements)
            if !move.firstPayments.isEmpty { inParts += 1 }
            // Each line has its own parts, and no kind gives and takes in one line.
            for movement in movements {
                let parts = movement.payments?.map(\.amount) ?? []
                let due = (movement.paid?.amount ?? 0) + (movement.rounding ?? 0)
                if movement.payments != nil { XCTAssertEqual(parts.reduce(0, +), due, "sale \(number): \(movement)") }
                XCTAssertTrue(parts.allSatisfy { ($0 < 0) == (due < 0) }, "sale \(number): \(movement)")
            }
            for movement in movements {
                sold[movement.kind, default: 0] += movement.paid?.amount ?? 0
                try sums.add(movement)
            }
            try closing.add(movements, of: source.command ?? "")
            if let sale = movements.first(where: { $0.kind == .sale }) { earlier = sale }
        }
        XCTAssertGreaterThan(inParts, 3_000)
        XCTAssertEqual(Dictionary(uniqueKeysWithValues: closing.sums.map { ($0.payment, $0.total) }), brought)
        XCTAssertEqual(closing.cash.map(\.expected), [brought["cash"]])
        XCTAssertEqual(closing.sums.map(\.rounding).reduce(0, +), rounding)
        XCTAssertEqual(closing.sums.map(\.sales).reduce(0, +), sold[.sale])
        XCTAssertEqual(closing.sums.map(\.returns).reduce(0, +), sold[.return])
        XCTAssertEqual(closing.sums.map(\.tradeIns).reduce(0, +), sold[.tradeIn])
        var reported: [String?: Int64] = [:]
        for (key, sum) in sums.sums { reported[key.payment, default: 0] += sum.paid }
        XCTAssertEqual(reported, brought)
        XCTAssertEqual(sums.sums.values.map(\.rounding).reduce(0, +), rounding)
    }
}
