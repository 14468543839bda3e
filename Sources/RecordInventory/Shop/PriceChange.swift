/// A change of a price that goes by the old one: `+10%`, `-5%`, `+1.00`, and how the result is rounded.
struct PriceChange: Equatable, Sendable {
    private enum Difference: Equatable, Sendable {
        /// Millionths of the old price.
        case ratio(Int64)
        /// A decimal amount.
        case amount(String)
    }

    /// To what a new price is rounded, in the direction of the change. Without one, to the nearest minor unit.
    private enum Rounding: Equatable, Sendable {
        /// A multiple of a decimal amount.
        case multiple(String)
        /// An amount that ends with these digits: `x.99`.
        case ending(String)
    }

    /// As it was typed.
    let text: String
    private let isIncrease: Bool
    private let difference: Difference
    private var rounding: Rounding?

    /// Returns whether a price is typed as a change.
    static func isChange(_ text: String) -> Bool { text.hasPrefix("+") || text.hasPrefix("-") }

    init(_ text: String) throws(InvalidValue) {
        self.text = text
        isIncrease = text.hasPrefix("+")
        let number = text.dropFirst().trimmed
        if number.hasSuffix("%") {
            let ratio = try Money.units(in: String(number.dropLast()), decimals: 4, of: "a percentage")
            guard isIncrease ? ratio <= 10_000_000 : ratio < 1_000_000 else {
                throw InvalidValue(isIncrease ? "more than 1000%" : "nothing would be left of the price")
            }
            difference = .ratio(ratio)
        } else {
            try Money.checkAmount(number)
            difference = .amount(number)
        }
    }

    /// Returns the change with a rounding: `0.50`, or `x.99`.
    func rounded(to rounding: String) throws(InvalidValue) -> PriceChange {
        var change = self
        if rounding.lowercased().hasPrefix("x") {
            let ending = String(rounding.dropFirst())
            guard ending.contains(where: \.isNumber) else { throw Self.badRounding }
            _ = try Money.units(
                in: ending.hasPrefix(".") ? "0" + ending : ending, decimals: 4, of: "the finest currency")
            change.rounding = .ending(ending)
        } else {
            guard try Money.units(in: rounding, decimals: 4, of: "the finest currency") > 0 else {
                throw Self.badRounding
            }
            change.rounding = .multiple(rounding)
        }
        return change
    }

    private static let badRounding = InvalidValue("an amount such as 0.50, or an ending such as x.99")

    /// Returns the new price. A price of 0 stays.
    ///
    /// - Throws: `InvalidValue` if the price would become 0 or less, or if the rounding doesn't suit its currency.
    func applied(to old: Money) throws(InvalidValue) -> Money {
        if old.amount == 0 { return old }
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
        // One of the amounts `ending`, `ending + step` and so on: the next one, or the nearest minor unit.
        let (distance, whole) = (numerator - ending * denominator, step * denominator)
        let rest = rounding == nil ? whole / 2 : isIncrease ? whole - 1 : 0
        let count = distance + rest < 0 ? (isIncrease ? 0 : -1) : (distance + rest) / whole
        guard let amount = Int64(exactly: count * step + ending) else { throw .tooLarge }
        guard amount > 0 else { throw InvalidValue("\(old.text) \(text) is 0, or below") }
        return Money(amount: amount, currency: old.currency)
    }
}
