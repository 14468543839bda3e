extension [Movement] {
    /// What was paid, or paid back, in each currency: `37.00 EUR`, `5.00 EUR + 6.00 USD`.
    func total() throws(InvalidValue) -> [Money] {
        var totals: [Money] = []
        for movement in self {
            guard let paid = movement.paid else {
                if movement.price == nil { continue }
                throw .tooLarge
            }
            try totals.add(paid)
        }
        return totals
    }

    /// The totals as they are paid, which may be rounded.
    func totalPaid() throws(InvalidValue) -> [Money] {
        try total().map { total in
            let own = filter { $0.price?.currency == total.currency }
            return Money(amount: own.compactMap(\.rounding).reduce(total.amount, &+), currency: total.currency)
        }
    }

    /// What was paid with each kind, in each currency.
    var paidByKind: [(kind: String?, amount: Money)] {
        reduce(into: []) { parts, movement in
            guard let paid = movement.paid, let shares = try? movement.shares(of: paid.amount) else { return }
            for (kind, amount) in shares {
                let place = parts.place(of: (kind, Money(amount: 0, currency: paid.currency))) {
                    $0.kind == kind && $0.amount.currency == paid.currency
                }
                parts[place].amount.amount &+= amount
            }
        }
    }

    /// What was paid in cash, or paid back, in each currency in which it was rounded: `Rounded to 18.50 EUR in cash.`
    /// `nil` if nothing was rounded.
    var roundingSentence: String? {
        let currencies = Set(filter { $0.rounding != nil }.compactMap(\.price?.currency))
        let cash = paidByKind.filter { $0.kind == PaymentKinds.cash && currencies.contains($0.amount.currency) }
            .map { Money(amount: Swift.abs($0.amount.amount), currency: $0.amount.currency) }
        return cash.isEmpty ? nil : "Rounded to \(cash.text) in cash."
    }
}

extension [Money] {
    /// Adds an amount to that of its currency.
    mutating func add(_ money: Money) throws(InvalidValue) {
        try self[place(of: Money(amount: 0, currency: money.currency)) { $0.currency == money.currency }].add(
            money.amount)
    }

    /// The amounts with their currencies.
    var text: String { map(\.text).joined(separator: " + ") }

    /// What the customer gets, if that is all there is to pay.
    var dueToCustomer: [Money]? {
        guard allSatisfy({ $0.amount <= 0 }), contains(where: { $0.amount < 0 }) else { return nil }
        return map { Money(amount: -$0.amount, currency: $0.currency) }
    }
}
