extension Closing {
    /// The differences of the cash: `-2.00 EUR`.
    var differences: String {
        cash.map { Money(amount: $0.difference ?? 0, currency: $0.currency) }.filter { $0.amount != 0 }.text
    }

    /// The lines of the close: what, how much, in which currency.
    var lines: [[String]] {
        var lines: [[String]] = []
        func add(_ what: String, _ amount: Int64, _ currency: Currency) {
            lines.append([what, Money(amount: amount, currency: currency).decimalText, currency.code])
        }
        for currency in Set(sums.map(\.currency)).sorted(by: { $0.code < $1.code }) {
            let own = sums.filter { $0.currency == currency }
            // A wrong price in the ledger must not trap.
            func sum(_ amount: KeyPath<Sum, Int64>) -> Int64 { own.map { $0[keyPath: amount] }.reduce(0, &+) }
            add("sales", sum(\.sales), currency)
            // The money of a voucher was taken when it was sold.
            let money = own.filter { $0.payment != PaymentKinds.voucher }
            let total = money.map(\.total).reduce(0, &+)
            let (vouchers, paid) = (sum(\.vouchers), sum(\.total) &- total)
            let others = [
                ("returns", sum(\.returns)), ("trade-ins", sum(\.tradeIns)), ("vouchers sold", vouchers),
                ("paid with vouchers", 0 &- paid),
            ]
            for (what, amount) in others where amount != 0 { add(what, amount, currency) }
            if paid != 0 || vouchers != 0 { add("owed on vouchers", vouchers &- paid, currency) }
            if sum(\.rounding) != 0 { add("rounding", sum(\.rounding), currency) }
            for sum in money { add("payment \(sum.payment ?? "(not named)")", sum.total, currency) }
            add("total", total, currency)
        }
        for drawer in cash {
            add("float", drawer.float, drawer.currency)
            if drawer.paidIn != 0 { add("drawer in", drawer.paidIn, drawer.currency) }
            if drawer.paidOut != 0 { add("drawer out", drawer.paidOut, drawer.currency) }
            add("cash expected", drawer.expected, drawer.currency)
            guard let counted = drawer.counted else { continue }
            add("cash counted", counted, drawer.currency)
            if let difference = drawer.difference, difference != 0 { add("difference", difference, drawer.currency) }
        }
        if let reason { lines.append(["reason: \(reason)", "", ""]) }
        return lines
    }
}
