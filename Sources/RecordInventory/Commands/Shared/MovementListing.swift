import RecordKitJSON

/// The output of `history`: movements by their time, in little memory for any number of them.
struct MovementListing {
    private let days: ClosedRange<CalendarDay>?
    private let dayEnd: Int
    private let limit: Int?
    private let console: Console
    private var printer: RowPrinter<Movement>
    private var sorter: LineSorter

    /// - Parameter limit: The maximum number of movements, the latest. `nil` shows all.
    init(
        days: ClosedRange<CalendarDay>?, endingAt hour: Int, limit: Int?, on console: Console, _ style: OutputStyle
    ) throws {
        dayEnd = hour
        self.days = days
        self.limit = limit
        self.console = console
        printer = RowPrinter(on: console, style)
        // The latest first if only some of them are wanted.
        let isDescending = limit != nil
        sorter = try LineSorter(directions: [isDescending, isDescending], limit: limit)
    }

    /// Adds the movements of the days that were asked for.
    mutating func sort(_ movements: [Movement]) throws {
        for movement in movements where days?.contains(movement.time.day(endingAt: dayEnd)) ?? true {
            let time = FieldValue.number(Int128(movement.time.milliseconds)).sortable
            try sorter.add([time, movement.id], movement.id, printer.text(of: movement))
        }
    }

    /// Prints the movements, the earliest first.
    mutating func print() throws {
        try sorter.finish()
        var latest: [String] = []
        while let next = try sorter.next() {
            if limit == nil { try printer.print(next.text) } else { latest.append(next.text) }
        }
        for text in latest.reversed() { try printer.print(text) }
        try printer.finish()
        if printer.count == 0 { console.note("There are no such movements.") }
    }
}

extension Movement: Row {
    static let fields: [RowColumn<Movement>] = [
        RowColumn("id") { $0.id }, RowColumn("time") { $0.time.text }, RowColumn("kind") { $0.kind.rawValue },
        RowColumn("sku") { $0.sku.text }, RowColumn("quantity", isNumeric: true) { String($0.quantity) },
        RowColumn("price", isNumeric: true) { $0.price?.decimalText },
        RowColumn("discount", isNumeric: true) { movement in
            guard let discount = movement.discount, let currency = movement.price?.currency else { return nil }
            return Money(amount: discount, currency: currency).decimalText
        },
        RowColumn("currency") { $0.price?.currency.code }, RowColumn("payment") { $0.paymentText },
        RowColumn("till") { $0.till }, RowColumn("person") { $0.person }, RowColumn("reason") { $0.reason },
        RowColumn("undoes") { $0.undoes }, RowColumn("command") { $0.command }, RowColumn("changes") { $0.changesText },
    ]

    /// `undo` takes the id, so it is never cut, and stays on 80 columns.
    static let tableColumns: [RowColumn<Movement>] = [
        RowColumn("time", staysWhole: true, leaves: 5) { $0.time.minuteText }, RowColumn("kind") { $0.kind.title },
        RowColumn("+/-", isNumeric: true, staysWhole: true) { $0.quantity > 0 ? "+\($0.quantity)" : "\($0.quantity)" },
        RowColumn("SKU", staysWhole: true) { $0.sku.text },
        RowColumn("paid", isNumeric: true, leaves: 6) { $0.paid?.text },
        RowColumn("payment", leaves: 3) { $0.paymentText },
        RowColumn("till", leaves: 2) { [$0.till, $0.person].compactMap(\.self).joined(separator: ", ") },
        RowColumn("reason", leaves: 1) {
            // All members of a deleted record would be too much.
            [$0.kind == .deletion ? nil : $0.changesText, $0.reason, $0.undoes.map { "takes back \($0)" }]
                .compactMap(\.self).joined(separator: "; ")
        },
        RowColumn("id", staysWhole: true, leaves: 4) { $0.id },
    ]

    var printedJSON: JSONValue {
        .object(JSONObject([JSONObject.Member(name: "id", value: .string(id))] + (json.object?.members ?? [])))
    }
}
