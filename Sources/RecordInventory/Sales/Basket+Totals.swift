// What a basket costs.
extension Basket {
    /// Returns the total of each currency. Throws if there is none.
    func total(from source: MovementSource) throws -> [Money] {
        do {
            return try movements(from: source).total()
        } catch let error as InvalidValue {
            let advice = error == .tooLarge ? "" : "; type a smaller discount, or `discount` alone for none"
            throw CommandFailure(.usage, "the basket cannot be sold so: \(error.reason)\(advice)")
        }
    }

    /// Returns what is left to pay of the total, in each currency: rounded, if it is paid in cash.
    func due(in kind: String? = nil, from source: MovementSource) throws -> [Money] {
        var total = try total(from: source)
        // The parts are less than the total.
        for part in paid { total[0].amount -= part.amount.amount }
        if kind == PaymentKinds.cash {
            for index in total.indices { try total[index].add(shop.rounding(of: total[index])) }
        }
        return total
    }

    /// Takes a payment. Returns whether it is enough to sell the basket. Notes a smaller one as a part of the total.
    ///
    /// - Throws: ``CommandFailure`` if the payment can be neither.
    mutating func take(_ payment: Payment, from source: MovementSource) throws -> Bool {
        let due = try self.due(in: payment.kind, from: source)
        if let given = payment.given, given.amount < due.first?.amount ?? 0 {
            guard let kind = payment.kind, given.amount > 0 else {
                throw CommandFailure(
                    .usage,
                    "a part of the total of \(due.text) has a kind and an amount, such as cash 20; nothing was sold")
            }
            guard kind != PaymentKinds.cash || shop.rounding(of: given) == 0 else {
                throw CommandFailure(
                    .usage,
                    "\(given.text) cannot be paid in cash, as the smallest coin is "
                        + "\(shop.smallestCoin ?? ""); nothing was sold")
            }
            paid.append(Part(kind: kind, amount: given))
            return false
        }
        if let given = payment.given, let due = due.first, given.amount > due.amount, let kind = payment.kind,
            kind != PaymentKinds.cash
        {
            throw CommandFailure(
                .usage,
                "only cash gives change, and \(due.text) is left to pay: type `pay \(kind)`, or `pay cash` with what is "
                    + "given; nothing was sold")
        }
        guard payment.kind != nil || paid.isEmpty else {
            throw CommandFailure(.usage, "the rest of \(due.text) needs a kind, such as card; nothing was sold")
        }
        return true
    }
}
