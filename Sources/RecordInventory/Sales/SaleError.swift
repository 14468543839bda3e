/// Why a sale, or another move of copies, breaks a rule of the shop. Nothing was changed.
enum SaleError: Error, Equatable {
    // What a record allows.
    case draft(Record)
    /// Copies would be written off that are reserved: the record before, and those reserved for whom.
    case reserved(Record, Int, String)
    case nothingReserved(SKU, customer: String)
    /// The record before, the copies that are reserved, for whom, and the copies that are wanted.
    case notEnough(Record, Int, String, wanted: Int)
    /// The price that was shown is in another currency than the record's by now.
    case otherCurrency(SKU, Currency, Currency)

    // What comes back.
    case noSale(String)
    case notInSale(SKU, String)
    /// The id of the sale, what it sold, how much of it, and what came back before.
    case alreadyBack(String, String, sold: Int, back: Int)
    case notSold(SKU, found: Int, wanted: Int)

    // What was typed.
    case discount(InvalidValue)
    /// An option, its value, and the record that it doesn't suit.
    case option(String, String, SKU, InvalidValue)
    case payment(String, InvalidValue)
    /// The total of a basket that cannot be sold so.
    case total(InvalidValue)

    // How it is paid.
    case severalCurrencies
    /// A part of a payment, of which so much is left.
    case noPart(String, left: Money)
    /// An amount of cash, and the nearest ones that coins make.
    case noCoins(Money, below: Money, above: Money)
    case partWithoutKind([Money])
    /// Only cash gives change.
    case noChange(String, [Money])
    case restWithoutKind([Money])
    /// More than the customer gets.
    case tooMuchBack([Money])
}

extension ShopSettings {
    /// Throws if coins don't make an amount of cash.
    func checkCoins(_ amount: Money) throws(SaleError) {
        if let (below, above) = coins(around: amount) { throw .noCoins(amount, below: below, above: above) }
    }
}
