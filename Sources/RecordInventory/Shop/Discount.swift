/// A discount on a sale: a part of each price, or an amount off the total.
enum Discount: Hashable, Sendable {
    /// Hundredths of a percent: 1250 is 12.5 %.
    case percent(Int64)
    /// The decimal string. The number of decimals depends on the currency of the sale.
    case amount(String)

    /// Parses `10%`, `12.5 %` or `5.00`.
    init(_ text: String) throws(InvalidValue) {
        let text = text.trimmed
        if text.hasSuffix("%") {
            let part = try Money.units(in: String(text.dropLast()), decimals: 2, of: "a percentage")
            guard part <= 10_000 else { throw InvalidValue("more than 100 %") }
            self = .percent(part)
        } else {
            // Four decimals suit every currency. The price tells how many are allowed.
            _ = try Money.units(in: text, decimals: FieldValue.priceDecimals, of: "the finest currency")
            self = .amount(text)
        }
    }

    /// Returns the discount on each of the amounts, which have one currency. An amount off the total is divided in
    /// proportion, to the last minor unit.
    func parts(of amounts: [Money]) throws(InvalidValue) -> [Int64] {
        switch self {
        case .percent(let part):
            return amounts.map { amount in
                let exact = Int128(amount.amount) * Int128(part)
                return Int64((exact + 5_000) / 10_000)
            }
        case .amount(let text):
            guard let currency = amounts.first?.currency else { return [] }
            guard amounts.allSatisfy({ $0.currency == currency }) else {
                throw InvalidValue("the prices have several currencies; give a percentage, or sell them one by one")
            }
            var rest = Int128(try Money(text, in: currency).amount)
            var total = amounts.reduce(Int128(0)) { $0 + Int128($1.amount) }
            guard rest <= total else { throw InvalidValue("more than the total") }
            return amounts.map { amount in
                let part = total == 0 ? 0 : rest * Int128(amount.amount) / total
                rest -= part
                total -= Int128(amount.amount)
                return Int64(part)
            }
        }
    }
}
