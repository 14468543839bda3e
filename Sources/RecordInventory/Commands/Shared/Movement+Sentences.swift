extension Movement {
    /// What happened without a change of the stock: `Sold a voucher of 20.00 EUR.`, or `Gave back 10.00 EUR (card) for
    /// 1 of bag.` `nil` for another kind.
    func sentence() throws -> String? {
        if kind == .voucher, let price { return "Sold a voucher of \(price.text)." }
        guard kind == .return, let paid else { return nil }
        let amount = Money(amount: Swift.abs(paid.amount), currency: paid.currency)
        let kinds = payment == nil ? "" : " (\([self].givenBackText))"
        let what =
            sku == .none
            ? "\(Record(soldBy: self).title.printable)." : "\(sku.text), whose record was deleted. No copy is in stock."
        return "Gave back \(amount.text)\(kinds) for \(quantity) of \(what)"
    }
}

extension [Movement] {
    /// The kinds of payment in which money went back: `card`, or `card 5.00 + cash 4.99` of several.
    var givenBackText: String {
        let parts = paidByKind.map { (kind: $0.kind ?? "not named", amount: $0.amount) }
        if parts.count == 1 { return parts[0].kind }
        return parts.map {
            "\($0.kind) \(Money(amount: Swift.abs($0.amount.amount), currency: $0.amount.currency).decimalText)"
        }
        .joined(separator: " + ")
    }

    /// What happened to one record: `Restocked 2 of LP-1; 3 in stock.` A sale names the record too: the copy on the
    /// counter may be another one.
    ///
    /// - Parameter record: The record after the movements.
    func sentence(about record: Record) throws(InvalidValue) -> String {
        // The copies that a sale releases are those that it sells.
        let own = filter { $0.kind != .release }
        let (count, left, sku) = (own.map(\.quantity).reduce(0, +).magnitude, record.quantity, record.sku.text)
        let totals = try own.total().map { Money(amount: Swift.abs($0.amount), currency: $0.currency) }
        let amount = totals.isEmpty ? "" : " for \(totals.text)"
        let payment = own.compactMap(\.payment).isEmpty ? "" : ", \(own.givenBackText)"
        return switch own.first?.kind {
        case .sale: "Sold \(count) of \(record.name)\(amount.isEmpty ? "" : ",")\(amount); \(left) left."
        case .return: "Took back \(count) of \(sku)\(amount)\(amount.isEmpty ? "" : payment); \(left) in stock."
        case .tradeIn: "Bought \(count) of \(sku)\(amount); \(left) in stock."
        case .writeOff: "Wrote off \(count) of \(sku); \(left) left."
        default: "Restocked \(count) of \(sku); \(left) in stock."
        }
    }
}
