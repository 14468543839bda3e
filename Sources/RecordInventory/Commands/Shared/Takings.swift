import RecordKitJSON

extension ClosedRange<CalendarDay> {
    /// The first day, unless the range is open there.
    var first: CalendarDay? { lowerBound == CalendarDay.all.lowerBound ? nil : lowerBound }
    /// The last day, unless the range is open there.
    var last: CalendarDay? { upperBound == CalendarDay.all.upperBound ? nil : upperBound }

    /// `2026-11-01 to 2026-11-30`
    var text: String {
        switch (first, last) {
        case (let first?, let last?): first == last ? "\(first)" : "\(first) to \(last)"
        case (let first?, nil): "since \(first)"
        case (nil, let last): last.map { "until \($0)" } ?? "all days"
        }
    }
}

/// What was sold in one currency.
struct Takings: Equatable {
    let currency: Currency
    /// The sales, less the returns.
    var sales = MovementSums.Sum()
    var tradeIns = MovementSums.Sum()
    /// The vouchers that were sold. They are no takings, which have what is later paid with them.
    var vouchers = MovementSums.Sum()
    /// What was paid with vouchers, less what was given as one: for a return, or a trade-in.
    var paidWithVouchers: Int64 = 0
    /// The sales, less the returns, by payment, genre or format.
    var groups: [String: MovementSums.Sum] = [:]

    /// Adds up sales, returns and trade-ins by currency. Names that differ in case, or in white space around them, are
    /// one group under the spelling of most copies.
    static func totals(of sums: MovementSums, by name: (MovementSums.Key) -> String) throws -> [Takings] {
        var totals: [String: Takings] = [:]
        var spellings: [String: [String: Int]] = [:]
        for (key, sum) in sums.sums where MovementSums.sold.contains(key.kind) {
            let name = name(key).trimmed
            spellings[name.lowercased(), default: [:]][name, default: 0] &+= sum.copiesOut &+ sum.copiesIn
        }
        let usual = spellings.mapValues { $0.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key }
        for (key, sum) in sums.sums {
            guard let currency = key.currency else { continue }
            var takings = totals[currency.code] ?? Takings(currency: currency)
            if key.payment == PaymentKinds.voucher { try takings.paidWithVouchers.add(sum.paid) }
            if key.kind == .tradeIn {
                try takings.tradeIns.add(sum)
            } else if key.kind == .voucher {
                try takings.vouchers.add(sum)
            } else {
                try takings.sales.add(sum)
                let name = name(key)
                let group = usual[name.trimmed.lowercased()] ?? nil
                try takings.groups[group ?? name, default: MovementSums.Sum()].add(sum)
            }
            totals[currency.code] = takings
        }
        return totals.values.sorted { $0.currency.code < $1.currency.code }
    }

    var tradedInCopies: Int { tradeIns.copiesIn &- tradeIns.copiesOut }
    /// What the shop owes on vouchers, more than before: the rule of ``Closing/lines``.
    var owedOnVouchers: Int64 { vouchers.paid &- paidWithVouchers }
    /// What was paid for trade-ins.
    var paidOut: Int64 { 0 &- tradeIns.paid }

    /// A line of the report: what, how many copies, how much.
    typealias Figure = (name: String, copies: Int?, amount: Int64?)

    /// The totals. The takings come first.
    var figures: [Figure] {
        var figures: [Figure] = [("takings", sales.copiesSold, sales.paid), ("sold", sales.copiesOut, nil)]
        if sales.copiesIn != 0 { figures.append(("returned", sales.copiesIn, nil)) }
        if sales.discounts != 0 { figures.append(("discounts", nil, sales.discounts)) }
        if sales.rounding != 0 { figures.append(("rounding", nil, sales.rounding)) }
        if tradedInCopies != 0 || paidOut != 0 { figures.append(("trade-ins paid", tradedInCopies, paidOut)) }
        if vouchers != MovementSums.Sum() { figures.append(("vouchers sold", nil, vouchers.paid)) }
        if paidWithVouchers != 0 { figures.append(("paid with vouchers", nil, paidWithVouchers)) }
        if owedOnVouchers != 0 || paidWithVouchers != 0 { figures.append(("owed on vouchers", nil, owedOnVouchers)) }
        if sales.copiesWithCost != 0 { figures.append(("margin", sales.copiesWithCost, sales.margin)) }
        return figures
    }

    /// The lines of the report, with their currency.
    func lines(_ group: String) -> [[String]] {
        var lines = figures
        let groups = groups.sorted { $0.key < $1.key }
        lines.insert(contentsOf: groups.map { ("\(group) \($0)", $1.copiesSold, $1.paid) }, at: 1)
        return lines.map { name, copies, amount in
            let text = amount.map { Money(amount: $0, currency: currency).decimalText }
            return [name, copies.map { "\($0)" } ?? "", text ?? "", currency.code]
        }
    }

    func json(_ group: String) -> JSONValue {
        [
            "currency": .string(currency.code), "takings": .integer(sales.paid), "sold": JSONValue(sales.copiesOut),
            "returned": JSONValue(sales.copiesIn), "discounts": .integer(sales.discounts),
            "rounding": .integer(sales.rounding), "traded_in": JSONValue(tradedInCopies), "paid_out": .integer(paidOut),
            "vouchers_sold": .integer(vouchers.paid), "paid_with_vouchers": .integer(paidWithVouchers),
            "owed_on_vouchers": .integer(owedOnVouchers),
            "margin": sales.copiesWithCost == 0 ? .null : .integer(sales.margin),
            "copies_with_cost": JSONValue(sales.copiesWithCost), "by": .string(group),
            "groups": .array(
                groups.sorted { $0.key < $1.key }.map { name, sum in
                    ["name": .string(name), "copies": JSONValue(sum.copiesSold), "takings": .integer(sum.paid)]
                }),
        ]
    }
}

extension MovementSums.Sum {
    /// The copies that were sold, less those that came back.
    var copiesSold: Int { copiesOut &- copiesIn }
}
