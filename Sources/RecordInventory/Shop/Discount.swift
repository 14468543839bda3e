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
            // The price tells how many decimals are allowed.
            try Money.checkAmount(text)
            self = .amount(text)
        }
    }

    /// The discount as it is typed: `12.50%`, `5.00`.
    var text: String {
        switch self {
        case .percent(let part): "\(part / 100).\(part % 100 < 10 ? "0" : "")\(part % 100)%"
        case .amount(let text): text
        }
    }

    /// Returns the discount of each currency, rounded once, a half up.
    func whole(of totals: [Money]) throws(InvalidValue) -> [Money] {
        var discounts = totals
        for (index, total) in totals.enumerated() {
            switch self {
            case .percent(let part):
                discounts[index].amount = Int64((Int128(total.amount) * Int128(part) + 5_000) / 10_000)
            case .amount(let text):
                guard totals.count == 1 else {
                    throw InvalidValue("the prices have several currencies; give a percentage, or sell them one by one")
                }
                discounts[index] = try Money(text, in: total.currency)
                guard discounts[index].amount <= total.amount else { throw InvalidValue("more than the total") }
            }
        }
        return discounts
    }

    /// Divides the discount among the amounts of a sale, so that the lines add up to the total that was shown.
    ///
    /// The minor units of the discount of each currency go to the amounts in proportion, and those that are left over
    /// to the largest remainders, of equal ones to the earlier.
    func parts(of amounts: [Money]) throws(InvalidValue) -> [Int64] {
        var parts: [Int64] = Array(repeating: 0, count: amounts.count)
        var totals: [Money] = []
        for amount in amounts { try totals.add(amount) }
        for (sum, discount) in zip(totals, try whole(of: totals)) where sum.amount != 0 {
            let places = amounts.indices.filter { amounts[$0].currency == sum.currency }
            let (total, whole) = (Int128(sum.amount), Int128(discount.amount))
            let exact = places.map { whole * Int128(amounts[$0].amount) }
            let left = Int(whole - exact.reduce(0) { $0 + $1 / total })
            let byRemainder = places.indices.sorted {
                (exact[$1] % total, $0) < (exact[$0] % total, $1)
            }
            for (index, place) in places.enumerated() { parts[place] = Int64(exact[index] / total) }
            for index in byRemainder.prefix(left) { parts[places[index]] += 1 }
        }
        return parts
    }
}
