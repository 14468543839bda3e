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

    /// Divides the discount among the amounts of a sale, so that the lines add up to the total that was shown.
    ///
    /// The discount of each currency is rounded once, a half up. Its minor units go to the amounts in proportion, and
    /// those that are left over to the largest remainders, of equal ones to the earlier.
    func parts(of amounts: [Money]) throws(InvalidValue) -> [Int64] {
        var parts: [Int64] = Array(repeating: 0, count: amounts.count)
        var currencies: [Currency] = []
        for amount in amounts where !currencies.contains(amount.currency) { currencies.append(amount.currency) }
        for currency in currencies {
            let places = amounts.indices.filter { amounts[$0].currency == currency }
            let total = places.reduce(Int128(0)) { $0 + Int128(amounts[$1].amount) }
            let whole: Int128
            switch self {
            case .percent(let part): whole = (total * Int128(part) + 5_000) / 10_000
            case .amount(let text):
                guard currencies.count == 1 else {
                    throw InvalidValue("the prices have several currencies; give a percentage, or sell them one by one")
                }
                whole = Int128(try Money(text, in: currency).amount)
                guard whole <= total else { throw InvalidValue("more than the total") }
            }
            if total == 0 { continue }
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
