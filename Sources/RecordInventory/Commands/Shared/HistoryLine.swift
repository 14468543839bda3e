import RecordKitJSON

/// A line of `history`: a movement, with what is known of its record and its close.
struct HistoryLine {
    let movement: Movement
    /// The record of today. `nil` if it was deleted, or was not read.
    var record: Record?
    /// The number of the close that counts the movement. `nil` if none does, or the closes were not read.
    var close: Int?

    // Of the time of the sale if the movement notes them, otherwise of the record today.
    fileprivate var artist: String? { movement.item?.artist ?? record?.artist }
    fileprivate var title: String? { movement.item?.title ?? record?.title }
    fileprivate var consignor: String? { movement.item.map(\.consignor) ?? record?.consignor }

    /// The record as it was sold, as far as that is noted.
    var sold: Record {
        var sold = record ?? .blank
        sold.sku = movement.sku
        guard let item = movement.item else { return sold }
        (sold.artist, sold.title) = (item.artist, item.title)
        (sold.genre, sold.format, sold.consignor) = (item.genre, item.format, item.consignor)
        return sold
    }

    /// What the line says in a column, if it is an amount in the currency of its price.
    private func text(_ amount: Int64?) -> String? {
        guard let amount, let currency = movement.price?.currency else { return nil }
        return Money(amount: amount, currency: currency).decimalText
    }
}

extension Movement {
    /// Whether copies were sold, or came back.
    private var isSold: Bool { kind == .sale || kind == .return }

    /// The cost of one copy that was sold, or came back.
    fileprivate var soldCost: Int64? { isSold ? cost : nil }

    /// What was paid for what was sold, less its cost.
    var margin: Int64? {
        guard let soldCost, let paid, let cost = try? soldCost.multiplied(by: Int64(quantity)) else { return nil }
        return try? paid.amount.adding(cost)
    }

    /// Marks what was sold without a known cost.
    fileprivate var note: String? { isSold && price != nil && cost == nil ? "no cost" : nil }
}

extension HistoryLine: Row {
    static let fields: [RowColumn<HistoryLine>] =
        fileColumns + [RowColumn("payment") { $0.movement.paymentText }]

    /// Without the payment, which `history --payments` lists. Each amount has a column that adds up to the report.
    static let fileColumns: [RowColumn<HistoryLine>] = [
        RowColumn("id") { $0.movement.id }, RowColumn("time", isTime: true) { $0.movement.time.text },
        RowColumn("kind") { $0.movement.kind.rawValue }, RowColumn("sku") { $0.movement.sku.text },
        RowColumn("artist") { $0.artist }, RowColumn("title") { $0.title },
        RowColumn("consignor") { $0.consignor },
        RowColumn("quantity", isNumeric: true) { String($0.movement.quantity) },
        RowColumn("price", isNumeric: true) { $0.movement.price?.decimalText },
        RowColumn("discount", isNumeric: true) { $0.text($0.movement.discount) },
        RowColumn("amount", isNumeric: true) { $0.movement.paid?.decimalText },
        RowColumn("rounding", isNumeric: true) { $0.text($0.movement.rounding) },
        RowColumn("cost", isNumeric: true) { $0.text($0.movement.soldCost) },
        RowColumn("margin", isNumeric: true) { $0.text($0.movement.margin) },
        RowColumn("currency") { $0.movement.price?.currency.code }, RowColumn("till") { $0.movement.till },
        RowColumn("person") { $0.movement.person }, RowColumn("close", isNumeric: true) { $0.close.map { "\($0)" } },
        RowColumn("reason") { $0.movement.reason }, RowColumn("undoes") { $0.movement.undoes },
        RowColumn("command") { $0.movement.command }, RowColumn("changes") { $0.movement.changesText },
        RowColumn("note") { $0.movement.note },
    ]

    /// `undo` takes the id, so it is never cut, and stays on 80 columns. What was paid includes the rounding, so that
    /// the column adds up to the report.
    static let tableColumns: [RowColumn<HistoryLine>] = [
        RowColumn("time", staysWhole: true, leaves: 5) { $0.movement.time.minuteText },
        RowColumn("kind") { $0.movement.kind.title },
        RowColumn("+/-", isNumeric: true, staysWhole: true) { line in
            line.movement.quantity > 0 ? "+\(line.movement.quantity)" : "\(line.movement.quantity)"
        },
        RowColumn("SKU", staysWhole: true) { $0.movement.sku.text },
        RowColumn("paid", isNumeric: true, leaves: 6) { line in
            line.movement.paid.map {
                Money(amount: $0.amount &+ (line.movement.rounding ?? 0), currency: $0.currency).text
            }
        },
        RowColumn("payment", leaves: 3) { $0.movement.paymentText },
        RowColumn("till", leaves: 2) {
            [$0.movement.till, $0.movement.person].compactMap(\.self).joined(separator: ", ")
        },
        RowColumn("reason", leaves: 1) { line in
            let movement = line.movement
            // All members of a deleted record would be too much.
            return [
                movement.kind == .deletion ? nil : movement.changesText, movement.reason,
                movement.undoes.map { "takes back \($0)" },
            ].compactMap(\.self).joined(separator: "; ")
        },
        RowColumn("id", staysWhole: true, leaves: 4) { $0.movement.id },
    ]

    /// The movement as it is stored, with decimals, and what a file has beside it, in minor units.
    var printedJSON: JSONValue {
        let more: JSONValue = .leavingOutNull([
            "amount": movement.paid.map { .integer($0.amount) } ?? .null,
            "margin": movement.margin.map { .integer($0) } ?? .null, "note": JSONValue(movement.note),
            "artist": JSONValue(artist), "title": JSONValue(title), "close": JSONValue(close),
        ])
        return movement.printedJSON.adding(more.object?.members ?? [])
    }
}
