import RecordKitJSON

/// A line of the report in a file: the sums of one group, of all, of the trade-ins, or of vouchers.
struct ReportLine {
    let days: ClosedRange<CalendarDay>
    /// `total`, `trade-ins`, `vouchers` and the like, or what the groups have in common: `payment`.
    let sum: String
    /// The name of the group.
    var name: String?
    let currency: Currency
    let figures: MovementSums.Sum

    fileprivate func text(_ amount: Int64) -> String { Money(amount: amount, currency: currency).decimalText }
    fileprivate var margin: Int64? { figures.copiesWithCost == 0 && figures.margin == 0 ? nil : figures.margin }
}

extension Takings {
    /// The sums as lines of a file: the total, the groups that it is the sum of, the trade-ins and the vouchers.
    func reportLines(_ group: String, of days: ClosedRange<CalendarDay>) -> [ReportLine] {
        var lines = [ReportLine(days: days, sum: "total", currency: currency, figures: sales)]
        for (name, sum) in groups.sorted(by: { $0.key < $1.key }) {
            lines.append(ReportLine(days: days, sum: group, name: name, currency: currency, figures: sum))
        }
        let others = [
            ("trade-ins", tradeIns), ("vouchers", vouchers),
            ("paid with vouchers", MovementSums.Sum(copiesOut: 0, copiesIn: 0, paid: paidWithVouchers)),
            ("owed on vouchers", MovementSums.Sum(copiesOut: 0, copiesIn: 0, paid: owedOnVouchers)),
        ]
        for (name, sum) in others where sum != MovementSums.Sum() {
            lines.append(ReportLine(days: days, sum: name, currency: currency, figures: sum))
        }
        return lines
    }
}

extension ReportLine: Row {
    static let fields: [RowColumn<ReportLine>] = [
        RowColumn("from", isTime: true) { $0.days.first?.description },
        RowColumn("to", isTime: true) { $0.days.last?.description },
        RowColumn("sum") { $0.sum }, RowColumn("name") { $0.name },
        RowColumn("copies_out", isNumeric: true) { "\($0.figures.copiesOut)" },
        RowColumn("copies_in", isNumeric: true) { "\($0.figures.copiesIn)" },
        RowColumn("amount", isNumeric: true) { $0.text($0.figures.paid) },
        RowColumn("discounts", isNumeric: true) { $0.text($0.figures.discounts) },
        RowColumn("rounding", isNumeric: true) { $0.text($0.figures.rounding) },
        RowColumn("margin", isNumeric: true) { line in line.margin.map { line.text($0) } },
        RowColumn("copies_with_cost", isNumeric: true) { "\($0.figures.copiesWithCost)" },
        RowColumn("currency") { $0.currency.code },
    ]

    var printedJSON: JSONValue {
        JSONValue.leavingOutNull([
            "from": JSONValue(days.first?.description), "to": JSONValue(days.last?.description), "sum": .string(sum),
            "name": JSONValue(name), "copies_out": JSONValue(figures.copiesOut),
            "copies_in": JSONValue(figures.copiesIn), "amount": .integer(figures.paid),
            "discounts": .integer(figures.discounts), "rounding": .integer(figures.rounding),
            "margin": margin.map { .integer($0) } ?? .null, "copies_with_cost": JSONValue(figures.copiesWithCost),
            "currency": .string(currency.code),
        ]).printed
    }
}
