import RecordKitJSON

/// Shows what was sold on a day, or on several.
struct ReportCommand: Command {
    enum Group: String, CaseIterable, Sendable {
        case payment, genre, format, consignor, kind, person, till, day

        /// The field of the records that it is, if any.
        fileprivate var field: MovementSums.Field? { MovementSums.Field(rawValue: rawValue) }
    }

    /// `nil` is today.
    var days: WantedDays?
    var group = Group.payment
    /// Also shows records with at most this many copies.
    var lowStock: Int?
    /// Also shows records in stock that neither came in nor were sold for this many days.
    var deadStock: Int?
    /// The number of a close of the till, to show that alone.
    var closing: Int?
    /// The file of a page in place of lines.
    var page: String?
    var replaces = false

    static let usage = CommandUsage(
        name: "report", summary: "show a day's takings",
        explanation: """
            Shows the takings of today, of a day or of several: copies and amounts for each currency, by kind of
            payment, or by --by: a field of the records, the kind of movement, the person, the till or the day. Returns
            are subtracted. A voucher that is sold is no part of the takings, which have what is later paid with it:
            both are shown apart, with what the shop owes on vouchers: those that were sold, and credit that was given
            for a return or a trade-in, less what was paid with them. The margin covers the copies whose cost is known.
            A day ends at midnight, or at the hour that `payments` sets.

            With --html, writes a page for a browser, or for paper, in place of lines: the takings of each day, by kind
            of payment and by genre, and the records that neither came in nor were sold for 180 days, or those of
            --dead-stock. Shows the last 30 days if no day is given.

            With --output csv, writes all sums of each group, of all (`total`), of the trade-ins, of the vouchers sold,
            of what was paid with vouchers and of what the shop owes on them. The groups add up to the total. Amounts in
            JSON are in minor units: 1850 is 18.50 EUR.
            """,
        options: Option.days + [
            Option(
                "--by", .choice("FIELD", Group.allCases.map(\.rawValue)),
                help: "payment, genre, format, consignor, kind, person, till or day (default: payment)"),
            Option("--low-stock", .number, help: "also records that were sold, with at most N copies left"),
            Option("--dead-stock", .days, help: "also records in stock that neither came in nor sold for DAYS days"),
            Option("--z", .number, help: "only the close N of the till, as `till close` made it"),
            Option("--html", .file, help: "write a page to this file"), .replace, .spreadsheet,
        ],
        rules: [
            .days,
            .excludes(
                ["--z"], ["--day", "--from", "--to", "--by", "--low-stock", "--dead-stock"],
                ": a close is shown as it was made"),
            .excludes(
                ["--spreadsheet", "--output csv", "--output ndjson"], ["--low-stock", "--dead-stock", "--z", "--html"],
                ": CSV and ndjson have sums alone"),
            .needs(["--replace"], "--html", ", the file to replace"),
            .excludes(["--html"], ["--by", "--low-stock", "--z"], ": a page has payments and genres alone"),
        ],
        examples: [
            "report", "report --from yesterday --by day --output csv", "report --from 2026-11-01 --html november.html",
            "report --from 2026-11-01 --to 2026-11-30 --by genre --low-stock 1",
        ])

    var fieldNames: [String] { ReportLine.fieldNames }

    init(_ arguments: ArgumentScanner) throws(UsageError) {
        days = try arguments.days()
        group = try arguments.choice("--by") ?? .payment
        lowStock = try arguments.integer("--low-stock", in: 0...Record.quantities.upperBound)
        deadStock = try arguments.integer("--dead-stock", in: 1...36_500)
        closing = try arguments.integer("--z", in: 1...Int.max)
        page = arguments.value("--html")
        replaces = arguments.has("--replace")
        if page?.isEmpty == true { throw UsageError("--html requires a value: FILE") }
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        if let closing { return try await TillClosing(context: context).show(closing) }
        if let page { return try await write(page, context) }
        let dayEnd = try await context.stock.readSettings().dayEnd
        let today = context.stock.source.now().day(endingAt: dayEnd)
        let days = try days?.range(today: today) ?? today...today
        let sums = try await sums(of: days, endingAt: dayEnd, context)
        // What was not noted with its sale is told by the record.
        let records = try await records(Set(sums.sums.keys.compactMap(\.sku)), context)
        let totals = try Takings.totals(of: sums) { name(of: $0, records) }
        if [.csv, .ndjson].contains(context.reporter.output.format) {
            try context.reporter.print(totals.flatMap { $0.reportLines(group.rawValue, of: days) })
            return .done
        }
        let low = lowStock.map { limit in
            let sold = Set(sums.sums.keys.filter { $0.kind == .sale }.compactMap(\.sku?.text))
            return records.values.filter { sold.contains($0.sku.text) && $0.quantity <= limit }
                .sorted { ($0.quantity, $0.sku) < ($1.quantity, $1.sku) }
        }
        let style = OutputStyle(format: context.reporter.printsJSON ? .ndjson : nil)
        var printer = RowPrinter<StockLine>(on: context.console, style)
        var dead: DeadStock?
        if let limit = deadStock {
            dead = try await deadStock(limit, endingAt: dayEnd, context) { record, _ in
                printer.text(of: StockLine(list: "dead stock", record: record))
            }
        }
        if context.reporter.printsJSON {
            try printJSON(of: days, totals, low, dead, context.reporter)
        } else {
            try print(days, totals, low, dead, &printer, context)
        }
        return .done
    }

    private func sums(
        of days: ClosedRange<CalendarDay>, endingAt dayEnd: Int, _ context: CommandContext
    ) async throws -> MovementSums {
        let byMovement: ((Movement) -> String?)? =
            switch group {
            case .person: { $0.person }
            case .till: { $0.till }
            case .day: { $0.time.day(endingAt: dayEnd).description }
            default: nil
            }
        return try await context.stock.sums(
            of: days, endingAt: dayEnd, lowStock != nil ? .all : group.field.map { _ in .unnoted }, group.field,
            by: byMovement
        ) { context.reporter.leaveOut($0) }
    }

    /// Returns the name of the group that a sum belongs to.
    private func name(of key: MovementSums.Key, _ records: [String: Record]) -> String {
        let name: String? =
            switch group {
            case .payment: key.payment ?? "(not named)"
            case .genre, .format, .consignor:
                key.noted ?? key.sku.flatMap { records[$0.text]?.text(of: group.rawValue) }
            case .kind: key.kind.title
            case .person, .till: key.group ?? "(not named)"
            case .day: key.group ?? ""
            }
        return name.flatMap { $0.isEmpty ? nil : $0 } ?? "(no \(group.rawValue))"
    }

    private func printJSON(
        of days: ClosedRange<CalendarDay>, _ totals: [Takings], _ low: [Record]?, _ dead: DeadStock?,
        _ reporter: Reporter
    ) throws {
        var report: JSONObject = [
            "from": JSONValue(days.first?.description), "to": JSONValue(days.last?.description),
            "takings": .array(totals.map { $0.json(group.rawValue) }),
        ]
        report["low_stock"] = low.map { .array($0.map(\.printedJSON)) }
        if let dead {
            try reporter.print(report, "dead_stock", dead.forEach)
        } else {
            try reporter.print(.object(report))
        }
    }

    private func print(
        _ days: ClosedRange<CalendarDay>, _ totals: [Takings], _ low: [Record]?, _ dead: DeadStock?,
        _ printer: inout RowPrinter<StockLine>, _ context: CommandContext
    ) throws {
        if totals.isEmpty { context.console.note("\(days.text): nothing was sold.") }
        let lines = totals.flatMap { $0.lines(group.rawValue) }
        try context.console.print(lines.map { [days.text] + $0 }, Self.takingsColumns)
        if let low {
            context.console.note("low stock: \(low.count).")
            try context.reporter.print(low.map { StockLine(list: "low stock", record: $0) }, OutputStyle())
        }
        if let dead {
            context.console.note("dead stock: \(dead.count).")
            try dead.forEach { try printer.print($0) }
            try printer.finish()
        }
    }

    private static let takingsColumns = [
        Table.Column("days", staysWhole: true, leaves: 1), Table.Column("what"),
        Table.Column("copies", isNumeric: true, staysWhole: true),
        Table.Column("amount", isNumeric: true, staysWhole: true), Table.Column("currency", staysWhole: true),
    ]

    /// Returns the records that the report names, by SKU. Reads what was sold on a day by its ids, and a whole stock
    /// only if it must.
    func records(_ moved: Set<SKU>, _ context: CommandContext) async throws -> [String: Record] {
        var records: [String: Record] = [:]
        if group.field == nil, lowStock == nil { return records }
        if moved.count <= 500 {
            let found = try await context.stock.stored(moved.sorted())
            for sku in moved.sorted() {
                switch found[sku.recordID] {
                case nil: break
                case .success(let stored): records[stored.record.sku.text] = stored.record
                case .failure(let error): context.reporter.leaveOut(error)
                }
            }
            return records
        }
        try await context.eachPage(orNote: "There are no records") { page in
            for record in page.lazy.map(\.record) where moved.contains(record.sku) {
                records[record.sku.text] = record
            }
            return true
        }
        return records
    }

    /// Returns the records in stock that neither came in nor were sold for some days, the longest first.
    ///
    /// - Parameters:
    ///   - first: The maximum number of lines. `nil` is all.
    ///   - line: Returns what is printed of a record. Receives the day of its last such movement.
    func deadStock(
        _ limit: Int, endingAt dayEnd: Int, first: Int? = nil, _ context: CommandContext,
        line: (Record, CalendarDay?) -> String
    ) async throws -> DeadStock {
        let today = context.stock.source.now().day(endingAt: dayEnd)
        var dead = try DeadStock(until: today.number - limit, limit: first)
        // What was taken back did not happen.
        var undone: Set<String> = []
        let undos = MovementFilter(ids: Movement.undoIDs)
        try await context.eachMovementPage(undos) { movements in
            for movement in movements { undone.formUnion([movement.id, movement.undoes].compactMap(\.self)) }
            return true
        }
        let filter = MovementFilter(kinds: [.opening, .sale, .return, .restock, .tradeIn])
        try await context.eachMovementPage(filter) { movements in
            for movement in movements where !undone.contains(movement.id) {
                try dead.add(movement.sku, on: movement.time.day(endingAt: dayEnd))
            }
            return true
        }
        try await context.eachPage(orNote: "There are no records") { page in
            for record in page.lazy.map(\.record) { try dead.add(record) { line(record, $0) } }
            return true
        }
        return dead
    }
}

/// A record in a list of the report.
private struct StockLine: Row {
    let list: String
    let record: Record

    static let fields: [RowColumn<StockLine>] = [
        RowColumn("list", staysWhole: true, leaves: 1) { $0.list },
        RowColumn("sku", "SKU", staysWhole: true) { $0.record.sku.text },
        RowColumn("copies", isNumeric: true, staysWhole: true) { "\($0.record.quantity)" },
        RowColumn("artist", leaves: 2) { $0.record.artist }, RowColumn("title") { $0.record.title },
    ]

    var printedJSON: JSONValue { record.printedJSON }
}
