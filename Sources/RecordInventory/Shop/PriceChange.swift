/// A change of a price that goes by the old one: `+10%`, `-5%`, `+1.00`, and how the result is rounded.
struct PriceChange: Equatable, Sendable {
    private enum Difference: Equatable, Sendable {
        /// Millionths of the old price.
        case ratio(Int64)
        /// A decimal amount.
        case amount(String)
    }

    /// To what a new price is rounded. Without one, to the minor unit of its currency.
    private enum Rounding: Equatable, Sendable {
        /// The nearest multiple of a decimal amount.
        case multiple(String)
        /// The nearest amount that ends with these digits: `x.99`.
        case ending(String)
    }

    /// As it was typed.
    let text: String
    private let isIncrease: Bool
    private let difference: Difference
    private var rounding: Rounding?

    /// Returns whether a price is typed as a change.
    static func isChange(_ text: String) -> Bool { text.hasPrefix("+") || text.hasPrefix("-") }

    init(_ text: String, roundedTo rounding: String?) throws(InvalidValue) {
        self.text = text
        isIncrease = text.hasPrefix("+")
        let number = text.dropFirst().trimmed
        if number.hasSuffix("%") {
            let ratio = try Money.units(in: String(number.dropLast()), decimals: 4, of: "a percentage")
            guard ratio <= (isIncrease ? 10_000_000 : 1_000_000) else {
                throw InvalidValue(isIncrease ? "more than 1000%" : "more than the price")
            }
            difference = .ratio(ratio)
        } else {
            try Money.checkAmount(number)
            difference = .amount(number)
        }
        guard let rounding else { return }
        if rounding.lowercased().hasPrefix("x") {
            let ending = String(rounding.dropFirst())
            guard ending.contains(where: \.isNumber) else { throw Self.badRounding }
            _ = try Money.units(
                in: ending.hasPrefix(".") ? "0" + ending : ending, decimals: 4, of: "the finest currency")
            self.rounding = .ending(ending)
        } else {
            guard try Money.units(in: rounding, decimals: 4, of: "the finest currency") > 0 else {
                throw Self.badRounding
            }
            self.rounding = .multiple(rounding)
        }
    }

    private static let badRounding = InvalidValue("--round takes an amount such as 0.50, or an ending such as x.99")

    /// Returns the new price. A half is rounded up.
    func applied(to old: Money) throws(InvalidValue) -> Money {
        // The exact price, as a fraction.
        var (numerator, denominator) = (Int128(old.amount), Int128(1))
        switch difference {
        case .ratio(let ratio):
            denominator = 1_000_000
            numerator *= isIncrease ? denominator + Int128(ratio) : denominator - Int128(ratio)
        case .amount(let text):
            let amount = Int128(try Money(text, in: old.currency).amount)
            numerator += isIncrease ? amount : -amount
        }
        guard numerator >= 0 else { throw InvalidValue("\(old.text) \(text) is below 0") }
        var (step, ending) = (Int128(1), Int128(0))
        switch rounding {
        case nil: break
        case .multiple(let text):
            step = Int128(try Money(text, in: old.currency).amount)
        case .ending(let text):
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 1 || parts[1].count <= old.currency.exponent else {
                throw InvalidValue("--round x\(text) has more decimals than \(old.currency.code)")
            }
            ending = Int128(try Money(text.hasPrefix(".") ? "0" + text : text, in: old.currency).amount)
            for _ in 0..<parts[0].count + old.currency.exponent { step *= 10 }
        }
        guard step > 0 else { throw Self.badRounding }
        // The nearest of the amounts `ending`, `ending + step` and so on.
        let distance = 2 * (numerator - ending * denominator) + step * denominator
        let count = distance < 0 ? 0 : distance / (2 * step * denominator)
        guard let amount = Int64(exactly: count * step + ending) else { throw .tooLarge }
        return Money(amount: amount, currency: old.currency)
    }
}
