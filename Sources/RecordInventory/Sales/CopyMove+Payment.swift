// How a move is paid, and given back.
extension CopyMove {
    /// Notes on each movement how it is paid. All together they have what the customer gives, in each kind.
    func pay(_ movements: inout [Movement], _ look: StockSnapshot) throws {
        if !firstPayments.isEmpty {
            try payInParts(&movements, look.shop)
        } else if payment == nil, kind == .return || givesBack {
            try giveBack(&movements, look)
        } else if payment == PaymentKinds.cash {
            for total in try movements.total() {
                let own = movements.indices.filter { movements[$0].price?.currency == total.currency }
                Self.round(&movements, own, by: look.shop.rounding(of: total))
            }
        }
    }

    /// Notes what is added to the cash, or subtracted, so that it can be paid.
    private static func round(_ movements: inout [Movement], _ places: [Int], by rounding: Int64) {
        let place = places.first { movements[$0].kind == .sale } ?? places.first
        if rounding != 0, let place { movements[place].rounding = rounding }
    }

    /// Divides the parts of the payment among the movements. The last part is what the others leave of the total,
    /// rounded if it is cash.
    private func payInParts(_ movements: inout [Movement], _ shop: ShopSettings) throws {
        let total = try movements.total()
        guard total.count == 1, var rest = total.first else { throw SaleError.severalCurrencies }
        // What the customer gets is negative.
        let sign: Int64 = rest.amount < 0 ? -1 : 1
        rest.amount *= sign
        var parts: [PaymentShare] = []
        for part in firstPayments {
            let amount: Money
            do throws(InvalidValue) { amount = try Money(typed: part.amount, in: rest.currency) } catch {
                throw SaleError.payment("\(part.kind):\(part.amount)", error)
            }
            if part.kind == PaymentKinds.cash { try shop.checkCoins(amount) }
            guard 0 < amount.amount, amount.amount < rest.amount else {
                throw SaleError.noPart("\(part.kind) \(part.amount)", left: rest)
            }
            parts.append((part.kind, sign * amount.amount))
            rest.amount -= amount.amount
        }
        rest.amount *= sign
        let rounding = payment == PaymentKinds.cash ? shop.rounding(of: rest) : 0
        Self.round(&movements, Array(movements.indices), by: rounding)
        Self.divide(parts + [(payment, rest.amount + rounding)], among: Array(movements.indices), &movements)
    }

    /// Gives back what comes back as it was paid. What is sold in exchange is paid with it.
    private func giveBack(_ movements: inout [Movement], _ look: StockSnapshot) throws {
        var open = movements.indices.filter { movements[$0].kind == .return && movements[$0].paid != nil }
        var refunds: [SalePayment] = []
        while let first = open.first {
            guard let sale = look.sales.first(where: { $0.id == movements[first].undoes }),
                let currency = movements[first].price?.currency
            else {
                open.removeFirst()
                continue
            }
            let lines = look.sales.filter {
                ($0.command ?? $0.id) == (sale.command ?? sale.id) && $0.price?.currency == currency
            }
            let ids = Set(lines.map(\.id))
            let own = open.filter { ids.contains(movements[$0].undoes ?? "") }
            open.removeAll { ids.contains(movements[$0].undoes ?? "") }
            let amount = 0 - own.compactMap { movements[$0].paid?.amount }.reduce(0, +)
            let payment = try SalePayment(lines + look.returns.filter { ids.contains($0.undoes ?? "") }, currency)
            let shares = payment.portion(amount, look.shop)
            Self.round(&movements, own, by: amount - shares.map(\.amount).reduce(0, +))
            Self.divide(shares.map { ($0.kind, 0 - $0.amount) }, among: own, &movements)
            let index = refunds.place(of: SalePayment(currency)) { $0.currency == currency }
            refunds[index].add(shares, for: amount)
        }
        for refund in refunds {
            let own = movements.indices.filter {
                movements[$0].kind != .return && movements[$0].price?.currency == refund.currency
            }
            let amount = own.compactMap { movements[$0].paid?.amount }.reduce(0, +)
            let shares = refund.portion(amount, look.shop)
            Self.round(&movements, own, by: shares.map(\.amount).reduce(0, +) - amount)
            Self.divide(shares, among: own, &movements)
        }
    }

    /// Divides a payment among movements, in proportion: the parts of each add up to what it costs with its rounding.
    private static func divide(_ payment: [PaymentShare], among places: [Int], _ movements: inout [Movement]) {
        var left = payment.map(\.amount)
        let isOut = left.reduce(0, +) < 0
        func due(_ place: Int) -> Int64 { (movements[place].paid?.amount ?? 0) + (movements[place].rounding ?? 0) }
        // What goes the other way comes first, so that enough is left for the others.
        let (along, against) = (places.filter { (due($0) < 0) == isOut }, places.filter { (due($0) < 0) != isOut })
        for place in against + along {
            let amounts = due(place).divided(by: left)
            for index in left.indices { left[index] -= amounts[index] }
            movements[place].take(zip(payment, amounts).map { ($0.kind, $1) })
        }
    }
}

extension PaymentKinds {
    /// Returns the kind of a name that was typed.
    func checked(_ name: String) throws(SaleError) -> String {
        do throws(InvalidValue) { return try kind(name) } catch { throw .payment(name, error) }
    }
}

extension Movement {
    /// Notes the kinds of payment, each once.
    fileprivate mutating func take(_ shares: [PaymentShare]) {
        var parts: [Payment] = []
        for (kind, amount) in shares where amount != 0 {
            let kind = kind ?? PaymentKinds.other
            parts[parts.place(of: Payment(kind: kind, amount: 0)) { $0.kind == kind }].amount += amount
        }
        let isWhole = shares.count { $0.amount != 0 } < 2
        payment = isWhole ? (shares.first { $0.amount != 0 } ?? shares.first)?.kind : parts.first?.kind
        payments = parts.count < 2 ? nil : parts
    }
}
