/// The settings of a shop, which all its tills share.
struct ShopSettings: Hashable, Sendable {
    var kinds = PaymentKinds()
    /// The kind of payment where none is named.
    var usualPayment: String?
    /// The decimal amount of the smallest coin, such as `0.05`. Payments in cash are rounded to it. `nil` rounds none.
    var smallestCoin: String?
    /// The hour at which a day ends: what is sold before belongs to the day before.
    var dayEnd = 0
    /// Whether a typed amount may have a decimal comma.
    var hasDecimalComma = false

    static let dayEnds = 0...12

    /// Returns what is added to an amount of cash, or is subtracted, so that it can be paid. Half a coin is rounded up.
    func rounding(of amount: Money) -> Int64 {
        guard let coin = coin(of: amount.currency) else { return 0 }
        let rest = amount.amount % coin
        if rest.magnitude * 2 < coin.magnitude { return -rest }
        return (rest < 0 ? -coin : coin) - rest
    }

    /// Returns the smallest coin of a currency: 0.05 is one of those with two decimals, and 0.005 of those with three.
    /// `nil` if cash is not rounded in it.
    func coin(of currency: Currency) -> Int64? {
        let decimals = smallestCoin?.split(separator: ".").dropFirst().first?.count ?? 0
        guard currency.exponent == max(decimals, 2) || decimals == 0 && currency.exponent == 0,
            let smallestCoin, let coin = try? Money(smallestCoin, in: currency).amount, coin > 0
        else { return nil }
        return coin
    }

    /// Returns the nearest amounts that coins make, below and above. `nil` if coins make the amount.
    func coins(around amount: Money) -> (below: Money, above: Money)? {
        guard let coin = coin(of: amount.currency), amount.amount % coin != 0 else { return nil }
        let below = amount.amount / coin * coin
        return (
            Money(amount: below, currency: amount.currency), Money(amount: below + coin, currency: amount.currency)
        )
    }

    /// Returns a typed amount with a decimal point, if the shop has decimal commas.
    func decimal(_ text: String) -> String { hasDecimalComma ? Self.decimal(text) ?? text : text }

    /// Returns an amount such as `2,50` or `2,50 EUR` with a decimal point. `nil` if it has no decimal comma alone.
    static func decimal(_ text: String) -> String? {
        text.wholeMatch(of: /[^0-9.,]*[0-9]+,[0-9]+[^0-9.,]*/) == nil ? nil : text.replacing(",", with: ".")
    }
}

/// The kinds of payment that a shop takes.
struct PaymentKinds: Hashable, Sendable {
    /// The kind that the drawer has.
    static let cash = "cash"
    /// What is paid with it was taken when the voucher was sold.
    static let voucher = "voucher"
    static let other = "other"
    /// The kinds that every shop takes.
    static let common = [cash, "card", "transfer", voucher, other]

    /// The kinds that the shop has added.
    var added: [String] = []

    var all: [String] { Self.common + added }

    /// Returns the kind of a name in any case.
    ///
    /// - Throws: ``InvalidValue`` if the shop does not take it.
    func kind(_ name: String) throws(InvalidValue) -> String {
        let name = name.trimmed.lowercased()
        guard all.contains(name) else {
            throw InvalidValue(
                "\(name.isEmpty ? "missing" : "this shop does not take it"); use one of "
                    + "\(all.joined(separator: ", ")), or add it with `payments KIND`")
        }
        return name
    }

    /// Parses the name of a new kind: letters, digits and hyphens, which begin with a letter.
    static func new(_ name: String) throws(InvalidValue) -> String {
        let name = name.trimmed.lowercased()
        guard let first = name.first, first.isLetter, name.count <= 32,
            name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" })
        else { throw InvalidValue("a kind of payment has at most 32 letters, digits and hyphens, the first a letter") }
        return name
    }
}
