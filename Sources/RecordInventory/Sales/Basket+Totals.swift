// What a basket costs.
extension Basket {
    /// Returns the total of each currency.
    func total() throws -> [Money] {
        let sold = sums.amounts.map { Money(amount: $0.sold, currency: $0.currency) }.filter { $0.amount != 0 }
        let discounts: [Money]
        do throws(InvalidValue) { discounts = try discount?.whole(of: sold) ?? [] } catch {
            throw SaleError.total(error)
        }
        return sums.amounts.map { sum in
            let discount = discounts.first { $0.currency == sum.currency }?.amount ?? 0
            return Money(amount: sum.sold - discount + sum.other, currency: sum.currency)
        }
    }

    /// Returns what is left to pay of the total, in each currency: rounded, if it is paid in cash. What the customer
    /// gets is negative.
    func due(in kind: String? = nil) throws -> [Money] {
        var total = try total()
        // The parts are less than the total.
        let sign: Int64 = total.dueToCustomer == nil ? 1 : -1
        for part in paid { total[0].amount -= sign * part.amount.amount }
        if kind == PaymentKinds.cash {
            for index in total.indices { try total[index].add(shop.rounding(of: total[index])) }
        }
        return total
    }

    /// Whether the money goes back as it was paid, if no kind is named: copies come back, the shop buys none, and the
    /// customer pays nothing.
    func givesBack() throws -> Bool {
        let counts = sums.counts
        guard counts[.return] ?? 0 > 0, counts[.tradeIn] ?? 0 == 0, paid.isEmpty else { return false }
        return try total().allSatisfy { $0.amount <= 0 }
    }

    /// Takes a payment. Returns whether it is enough to sell the basket. Notes a smaller one as a part of the total.
    ///
    /// - Throws: ``SaleError`` if the payment can be neither.
    mutating func take(_ payment: Payment) throws -> Bool {
        var payment = payment
        let due = try self.due(in: payment.kind)
        payment.due = due.first
        if let given = payment.given, let first = due.first {
            let isCash = payment.kind == PaymentKinds.cash
            if isCash { try shop.checkCoins(given) }
            if given.amount < first.amount.magnitude {
                guard let kind = payment.kind, given.amount > 0 else { throw SaleError.partWithoutKind(due) }
                paid.append(Part(kind: kind, amount: given))
                return false
            }
            if given.amount > first.amount.magnitude {
                if let back = due.dueToCustomer { throw SaleError.tooMuchBack(back) }
                if !isCash, let kind = payment.kind { throw SaleError.noChange(kind, due) }
            }
            // There is no change.
            if first.amount < 0 { payment.given = nil }
        }
        guard payment.kind != nil || paid.isEmpty else { throw SaleError.restWithoutKind(due.dueToCustomer ?? due) }
        self.payment = payment
        return true
    }
}
