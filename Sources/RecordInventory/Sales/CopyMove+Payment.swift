// How a move is paid, and given back.
extension CopyMove {
    /// Notes what is added to the cash in each currency, or subtracted, so that it can be paid.
    func round(_ movements: inout [Movement], _ shop: ShopSettings) throws {
        func isCash(_ movement: Movement) -> Bool {
            movement.payment == PaymentKinds.cash && movement.payments == nil
        }
        for total in try movements.filter(isCash).total() {
            let own = movements.indices.filter {
                isCash(movements[$0]) && movements[$0].price?.currency == total.currency
            }
            let rounding = shop.rounding(of: total)
            guard rounding != 0, let place = own.first(where: { movements[$0].kind == .sale }) ?? own.first else {
                continue
            }
            movements[place].rounding = rounding
        }
    }

    /// Gives back what a sale in parts brought in the same proportions. The last return gets the rest, so that all of
    /// them add up to the parts of the sale.
    func divideReturn(_ movements: inout [Movement], _ index: Int, _ look: StockSnapshot) throws {
        let movement = movements[index]
        guard let sale = look.sales.first(where: { $0.id == movement.undoes }), let command = sale.command,
            let paid = movement.paid
        else { return }
        let sales = look.sales.filter { $0.command == command }
        guard let place = sales.first(where: { $0.payments?.isEmpty == false }), let payments = place.payments else {
            return
        }
        let ids = Set(sales.map(\.id))
        let earlier = (look.returns + movements[..<index]).filter { ids.contains($0.undoes ?? "") }
        let total = try sales.total().first?.amount ?? 0
        let before = 0 - (try earlier.total().first?.amount ?? 0)
        let after = before - paid.amount
        // Without the rounding of the sale, the parts are in proportion to its prices.
        var weights = payments.map(\.amount)
        weights[weights.count - 1] -= place.rounding ?? 0
        let sum = weights.reduce(0, +)
        guard total > 0, sum > 0, weights.allSatisfy({ $0 >= 0 }) else { return }
        // The sale may also have bought copies, or taken some back. So its parts may be less than what it sold.
        func given(_ weight: Int64, _ amount: Int64) -> Int64 { Int64(Int128(weight) * Int128(amount) / Int128(sum)) }
        var parts = zip(payments, weights).map { part, weight in
            Movement.Payment(kind: part.kind, amount: given(weight, before) - given(weight, after))
        }
        let last = parts.count - 1
        let rest = paid.amount - parts.dropLast().map(\.amount).reduce(0, +)
        parts[last] = Movement.Payment(kind: parts[last].kind, amount: rest)
        if after == total, sum == total, earlier.allSatisfy({ $0.payments?.isEmpty == false }) {
            // All of it is back, so each kind gives what it has left, also of the cash that was rounded.
            let given = earlier.flatMap { $0.payments ?? [] }
            parts = payments.map { part in
                let back = given.filter { $0.kind == part.kind }.map(\.amount).reduce(0, &+)
                return Movement.Payment(kind: part.kind, amount: 0 &- part.amount &- back)
            }
            let rounding = parts.map(\.amount).reduce(0, &+) &- paid.amount
            if rounding != 0 { movements[index].rounding = rounding }
        } else if let cash = parts.firstIndex(where: { $0.kind == PaymentKinds.cash }) {
            let amount = Money(amount: parts[cash].amount, currency: paid.currency)
            let rounding = look.shop.rounding(of: amount)
            parts[cash] = Movement.Payment(kind: parts[cash].kind, amount: amount.amount + rounding)
            if rounding != 0 { movements[index].rounding = rounding }
        }
        movements[index].payment = parts[0].kind
        movements[index].payments = parts
    }

    /// Notes the parts of the payment. The last one is what the others leave of the total, rounded if it is cash.
    func divide(_ movements: inout [Movement], _ shop: ShopSettings) throws {
        guard let first = firstPayments.first, let payment,
            let place = movements.firstIndex(where: { $0.kind == .sale })
                ?? movements.firstIndex(where: { $0.kind == .voucher })
        else { return }
        let total = try movements.total()
        guard total.count == 1, var rest = total.first else {
            throw UsageError("the prices have several currencies, so they are not paid in parts; sell them one by one")
        }
        var payments: [Movement.Payment] = []
        for part in firstPayments {
            let amount = try part.amount.parsed(as: part.kind) { text throws(InvalidValue) in
                let amount = try Money(typed: text, in: rest.currency)
                guard part.kind != PaymentKinds.cash || shop.rounding(of: amount) == 0 else {
                    throw InvalidValue("the smallest coin is \(shop.smallestCoin ?? "")")
                }
                return amount.amount
            }
            guard 0 < amount, amount < rest.amount else {
                throw CommandFailure(
                    .usage,
                    "nothing was sold: \(part.kind) \(part.amount) is no part of a payment of which \(rest.text) is left"
                )
            }
            payments.append(Movement.Payment(kind: part.kind, amount: amount))
            rest.amount -= amount
        }
        let rounding = payment == PaymentKinds.cash ? shop.rounding(of: rest) : 0
        if rounding != 0 { movements[place].rounding = rounding }
        try rest.add(rounding)
        movements[place].payments = payments + [Movement.Payment(kind: payment, amount: rest.amount)]
        for index in movements.indices {
            movements[index].payment = first.kind
            if index != place { movements[index].payments = [] }
        }
    }
}
