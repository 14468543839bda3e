/// What is left of the payment of a sale, after some of it came back.
struct SalePayment {
    let currency: Currency
    /// What is left of each kind, once each.
    private(set) var left: [PaymentShare] = []
    /// What is left of the prices: `left`, without the rounding.
    private(set) var price: Int64 = 0

    init(_ currency: Currency) { self.currency = currency }

    /// - Parameter movements: The lines of the sale in one currency, and what came back of them.
    init(_ movements: [Movement], _ currency: Currency) throws(InvalidValue) {
        self.init(currency)
        for movement in movements {
            guard movement.hasSummableAmounts, let paid = movement.paid?.amount,
                let shares = try? movement.shares(of: paid)
            else { throw .tooLarge }
            add(shares, for: paid)
        }
    }

    mutating func add(_ shares: [PaymentShare], for paid: Int64) {
        price += paid
        for (kind, amount) in shares { left[left.place(of: (kind, 0)) { $0.kind == kind }].amount += amount }
    }

    /// Returns what each kind gives back of an amount: in proportion to what is left of it, and cash in coins. The last
    /// amount gets all that is left, so that each kind has nothing in the end.
    func portion(_ amount: Int64, _ shop: ShopSettings) -> [PaymentShare] {
        let isLast = amount == price && left.allSatisfy { $0.amount >= 0 }
        // Money that went back in another way than it was paid leaves a kind less than nothing.
        var weights = left.map { max(0, $0.amount) }
        guard let cash = left.firstIndex(where: { $0.kind == PaymentKinds.cash }) else {
            let sum = left.map(\.amount).reduce(0, +)
            // The cash of the sale may have been rounded to nothing.
            let part = sum >= 0 && sum < price ? Int64(Int128(amount) * Int128(sum) / Int128(price)) : amount
            return isLast ? left : named(part.divided(by: weights))
        }
        weights[cash] = 0
        let others = weights.reduce(0, +)
        let cashLeft = max(0, left.map(\.amount).reduce(0, +) - others)
        weights[cash] = max(0, price - others)
        var parts = isLast ? left.map(\.amount) : amount.divided(by: weights)
        guard shop.coin(of: currency) != nil else { return named(parts) }
        // Of copies that come back one by one, each takes its part of the rounding along.
        if !isLast, amount <= price, price > 0 {
            parts[cash] = Int64(Int128(cashLeft) * Int128(amount) / Int128(price))
        }
        func inCoins(_ amount: Int64) -> Int64 {
            amount - shop.rounding(of: Money(amount: 0 - amount, currency: currency))
        }
        parts[cash] = inCoins(parts[cash])
        if amount <= price { parts[cash] = min(parts[cash], inCoins(cashLeft)) }
        return named(parts)
    }

    private func named(_ amounts: [Int64]) -> [PaymentShare] { zip(left, amounts).map { ($0.kind, $1) } }
}

extension Int64 {
    /// Divides an amount in proportion to weights of one sign. The parts add up to it, and none is larger than its
    /// weight, unless the amount is larger than all of them.
    func divided(by weights: [Int64]) -> [Int64] {
        var (rest, sum) = (self, weights.reduce(0, +))
        var parts = weights.map { weight in
            guard sum != 0 else { return Int64(0) }
            let part = Int64(Int128(rest) * Int128(weight) / Int128(sum))
            (rest, sum) = (rest - part, sum - weight)
            return part
        }
        if rest != 0, !parts.isEmpty { parts[0] += rest }
        return parts
    }
}
