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
}
