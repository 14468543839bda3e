/// The output of `history`: movements by their time, in little memory for any number of them.
struct MovementListing {
    private let days: ClosedRange<CalendarDay>?
    private let limit: Int?
    private let console: Console
    private var printer: RowPrinter<Movement>
    private var sorter: LineSorter

    /// - Parameter limit: The maximum number of movements, the latest. `nil` shows all.
    init(days: ClosedRange<CalendarDay>?, limit: Int?, on console: Console, _ style: OutputStyle) throws {
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
        for movement in movements where days?.contains(movement.time.day) ?? true {
            let time = FieldValue.number(Int128(movement.time.milliseconds)).sortable
            try sorter.add([time, movement.id], movement.id, printer.text(of: movement))
        }
    }

    /// Prints the movements, the earliest first.
    mutating func print() throws {
        try sorter.finish()
        if limit == nil {
            while let next = try sorter.next() { try printer.print(next.text) }
        } else {
            var latest: [String] = []
            while let next = try sorter.next() { latest.append(next.text) }
            for text in latest.reversed() { try printer.print(text) }
        }
        try printer.finish()
        if printer.count == 0 { console.note("There are no such movements.") }
    }
}

extension Movement: Row {
    static let fieldNames = [
        "id", "time", "kind", "sku", "quantity", "price", "discount", "currency", "payment", "till", "person", "reason",
        "undoes", "command",
    ]
    static let numbers: Set = ["quantity", "price", "discount"]

    /// The table for a terminal, without rows. `undo` takes the id, so it is never cut, and stays on 80 columns.
    static var table: Table {
        Table([
            Table.Column("time", staysWhole: true, leaves: 5), Table.Column("kind"),
            Table.Column("+/-", isNumeric: true, staysWhole: true), Table.Column("SKU", staysWhole: true),
            Table.Column("paid", isNumeric: true, leaves: 6), Table.Column("payment", leaves: 3),
            Table.Column("till", leaves: 2), Table.Column("reason", leaves: 1),
            Table.Column("id", staysWhole: true, leaves: 4),
        ])
    }

    var cells: [String?] {
        [
            time.minuteText, kind.title, quantity > 0 ? "+\(quantity)" : "\(quantity)", sku.text,
            paid.map { "\($0.decimalText) \($0.currency.code)" }, payment,
            [till, person].compactMap(\.self).joined(separator: ", "),
            [reason, undoes.map { "takes back \($0)" }].compactMap(\.self).joined(separator: "; "), id,
        ]
    }

    var texts: [String?] {
        [
            id, time.text, kind.rawValue, sku.text, String(quantity), price?.decimalText,
            discount.flatMap { amount in price.map { Money(amount: amount, currency: $0.currency).decimalText } },
            price?.currency.code, payment, till, person, reason, undoes, command,
        ]
    }

    var printedJSON: JSONValue {
        .object(JSONObject([JSONObject.Member(name: "id", value: .string(id))] + (json.object?.members ?? [])))
    }
}
