/// The receipt of a sale, 40 columns wide.
struct Receipt: Sendable {
    /// What was sold, came back or was bought.
    let items: [(record: Record, movement: Movement)]
    let total: [Money]
    /// The total as it is paid, which may be rounded.
    private let toPay: [Money]
    /// What the customer gave, and what there was to pay with it.
    let given: Money?
    let due: Money?

    private static let width = 40

    init(
        _ items: [(record: Record, movement: Movement)], given: Money? = nil, due: Money? = nil
    ) throws(InvalidValue) {
        (self.items, self.given, self.due) = (items, given, due)
        total = try items.map(\.movement).total()
        toPay = try items.map(\.movement).totalPaid()
    }

    var change: [Money]? {
        given.map { [Money(amount: $0.amount - (due ?? $0).amount, currency: $0.currency)] }
    }

    var lines: [String] {
        let rule = String(repeating: "-", count: Self.width)
        var lines = [rule]
        for (record, movement) in items {
            let price = movement.price ?? record.price
            lines.append(
                (record.sku == .none ? record.title : "\(record.artist): \(record.title)").truncated(
                    toWidth: Self.width))
            let condition = record.mediaCondition.map { " \($0.rawValue)" } ?? ""
            let kind = [.sale, .voucher].contains(movement.kind) ? "" : "\(movement.kind.title) "
            let name = record.sku == .none ? "" : "\(record.sku.text)\(condition)  "
            // `paid` is known, since the total is.
            let discount = movement.discount ?? 0
            let amount = (movement.paid?.amount ?? 0) + (movement.quantity < 0 ? discount : -discount)
            lines.append(
                row(
                    "  \(kind)\(name)\(-movement.quantity) x \(price.decimalText)",
                    Money(amount: amount, currency: price.currency).decimalText))
            if discount != 0 {
                let part = Money(amount: discount, currency: price.currency).decimalText
                lines.append(row("  discount", movement.quantity < 0 ? "-" + part : part))
            }
        }
        lines.append(rule)
        let first = items.first?.movement
        lines.append(row("Total", total.text))
        if toPay != total {
            let roundings = zip(toPay, total).map { Money(amount: $0.amount &- $1.amount, currency: $0.currency) }
            lines.append(row("Rounding", roundings.text))
        }
        if let due = toPay.dueToCustomer { lines.append(row("To the customer", due.text)) }
        let payments = items.map(\.movement).paidByKind
        if Set(payments.map(\.kind)).count > 1 {
            for (kind, amount) in payments { lines.append(row("Paid \(kind ?? "(not named)")", amount.decimalText)) }
        } else if let payment = payments.first?.kind {
            lines.append(row("Paid", payment))
        }
        if let given, let change {
            lines.append(row("Given", given.text))
            lines.append(row("Change", change.text))
        }
        lines.append(row(first?.time.minuteText ?? "", first?.till ?? ""))
        lines.append(first?.command ?? "")
        lines.append(rule)
        return lines
    }

    private func row(_ left: String, _ right: String) -> String {
        let space = Self.width - right.displayWidth - 1
        let left = left.truncated(toWidth: max(1, space))
        let gap = max(1, Self.width - left.displayWidth - right.displayWidth)
        return left + String(repeating: " ", count: gap) + right
    }
}
