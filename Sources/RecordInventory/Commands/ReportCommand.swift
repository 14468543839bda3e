import RecordKitJSON

/// Shows what was sold on a day, or on several.
struct ReportCommand: Command {
    enum Group: String, CaseIterable, Sendable {
        case payment, genre, format, consignor, kind, person, till, day

        /// Whether it is a field of the records.
        fileprivate var isOfRecords: Bool { [.genre, .format, .consignor].contains(self) }
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
            payment, or by --by: a field of the records, the kind of movement, the person, the till or the day. Returns are
            subtracted. A voucher that is sold is no part of the takings, which have what is later paid with it: both
            are shown apart, with what the shop owes on vouchers: those that were sold, and credit that was given
            for a return or a trade-in, less what was paid with them. The margin covers the copies whose cost is known. A day ends at midnight, or at the hour
            that `payments` sets.

            With --html, writes a page for a browser, or for paper, in place of lines: the takings of each day, by kind
            of payment and by genre, and the records that neither came in nor were sold for 180 days, or those of
            --dead-stock. Shows the last 30 days if no day is given.

            With --output csv, writes all sums of each group, of all (`total`), of the trade-ins, of the vouchers
            sold, of what was paid with vouchers and of what the shop owes on them. The groups add up to the total. Amounts in JSON are in minor units: 1850 is 18.50 EUR.
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
        examples: [
            "report", "report --from yesterday --by day --output csv", "report --from 2026-11-01 --html november.html",
            "report --from 2026-11-01 --to 2026-11-30 --by genre --low-stock 1",
        ])

    var fieldNames: [String] { ReportLine.fieldNames }

    func run(in context: CommandContext) async throws -> ExitCode {
        if let closing { return try await TillClosing(context: context).show(closing) }
        if let page { return try await write(page, context) }
        let console = context.console
        let dayEnd = try await context.stock.readSettings().dayEnd
        let today = context.stock.source.now().day(endingAt: dayEnd)
        let days = try days?.range(today: today) ?? today...today
        let byMovement: ((Movement) -> String?)? =
            switch group {
            case .person: { $0.person }
            case .till: { $0.till }
            case .day: { $0.time.day(endingAt: dayEnd).description }
            default: nil
            }
        // The ids of the records and movements that are left out.
        var unreadable: Set<String> = []
        let sums = try await context.stock.sums(
            of: days, endingAt: dayEnd, bySKU: group.isOfRecords || lowStock != nil,
            MovementSums.Field(rawValue: group.rawValue), by: byMovement
        ) { error in
            context.reportUnreadable(error)
            unreadable.insert(error.id)
        }
        // What was not noted with its sale is told by the record.
        let wanted = sums.sums.keys.filter { $0.noted == nil || lowStock != nil }.compactMap(\.sku)
        let records = try await records(Set(wanted), context, &unreadable)
        let totals = try Takings.totals(of: sums) { key in
            let record = key.sku.flatMap { records[$0.text] }
            let name: String? =
                switch group {
                case .payment: key.payment ?? "(not named)"
                case .genre: key.noted ?? record?.genre
                case .format: key.noted ?? record?.format
                case .consignor: key.noted ?? record?.consignor
                case .kind: key.kind.title
                case .person, .till: key.group ?? "(not named)"
                case .day: key.group ?? ""
                }
            return name.flatMap { $0.isEmpty ? nil : $0 } ?? "(no \(group.rawValue))"
        }
        let low = lowStock.map { limit in
            let sold = Set(sums.sums.keys.filter { $0.kind == .sale }.compactMap(\.sku?.text))
            return records.values.filter { sold.contains($0.sku.text) && $0.quantity <= limit }
                .sorted { ($0.quantity, $0.sku) < ($1.quantity, $1.sku) }
        }
        var printer = RowPrinter<StockLine>(on: console, OutputStyle(format: context.printsJSON ? .ndjson : nil))
        var dead: DeadStock?
        if let limit = deadStock {
            dead = try await deadStock(limit, endingAt: dayEnd, context, &unreadable) { record, _ in
                printer.text(of: StockLine(list: "dead stock", record: record))
            }
        }
        if context.printsJSON {
            var report: JSONObject = [
                "from": JSONValue(days.first?.description), "to": JSONValue(days.last?.description),
                "takings": .array(totals.map { $0.json(group.rawValue) }),
            ]
            report["low_stock"] = low.map { .array($0.map(\.printedJSON)) }
            if let dead {
                try context.print(report, "dead_stock", dead.forEach)
            } else {
                try context.print(.object(report))
            }
            return unreadable.isEmpty ? .done : .partlyDone
        }
        if [.csv, .ndjson].contains(context.output.format) {
            try context.print(totals.flatMap { $0.reportLines(group.rawValue, of: days) })
            return unreadable.isEmpty ? .done : .partlyDone
        }
        let range = days.text
        if totals.isEmpty { console.note("\(range): nothing was sold.") }
        let lines = totals.flatMap { $0.lines(group.rawValue) }
        try console.print(lines.map { [range] + $0 }, Self.takingsColumns)
        if let low {
            console.note("low stock: \(low.count).")
            try context.print(low.map { StockLine(list: "low stock", record: $0) }, OutputStyle())
        }
        if let dead {
            console.note("dead stock: \(dead.count).")
            try dead.forEach { try printer.print($0) }
            try printer.finish()
        }
        return unreadable.isEmpty ? .done : .partlyDone
    }

    private static let takingsColumns = [
        Table.Column("days", staysWhole: true, leaves: 1), Table.Column("what"),
        Table.Column("copies", isNumeric: true, staysWhole: true),
        Table.Column("amount", isNumeric: true, staysWhole: true), Table.Column("currency", staysWhole: true),
    ]
    /// Returns the records that the report names, by SKU. Reads what was sold on a day by its ids, and a whole stock
    /// only if it must.
    ///
    /// - Parameter unreadable: Gets the ids of those that cannot be read, which are reported.
    func records(
        _ moved: Set<SKU>, _ context: CommandContext, _ unreadable: inout Set<String>
    ) async throws -> [String: Record] {
        var records: [String: Record] = [:]
        if !group.isOfRecords, lowStock == nil { return records }
        if moved.count <= 500 {
            for found in try await context.stock.stored(moved.sorted()).values {
                switch found {
                case .success(let stored): records[stored.record.sku.text] = stored.record
                case .failure(let error):
                    context.reportUnreadable(error)
                    unreadable.insert(error.id)
                }
            }
            return records
        }
        do {
            unreadable = try await context.eachPage(alreadyReported: unreadable) { page in
                for record in page.lazy.map(\.record) where moved.contains(record.sku) {
                    records[record.sku.text] = record
                }
                return true
            }
        } catch InventoryError.noShop {
            context.reportMissingShop("There are no records")
        }
        return records
    }

    /// Returns the records in stock that neither came in nor were sold for some days, the longest first.
    ///
    /// - Parameters:
    ///   - first: The maximum number of lines. `nil` is all.
    ///   - unreadable: Gets the ids of the movements and records that cannot be read, which are reported.
    ///   - line: Returns what is printed of a record. Receives the day of its last such movement.
    func deadStock(
        _ limit: Int, endingAt dayEnd: Int, first: Int? = nil, _ context: CommandContext,
        _ unreadable: inout Set<String>, line: (Record, CalendarDay?) -> String
    ) async throws -> DeadStock {
        let today = context.stock.source.now().day(endingAt: dayEnd)
        var dead = try DeadStock(until: today.number - limit, limit: first)
        // What was taken back did not happen.
        var undone: Set<String> = []
        let undos = MovementFilter(ids: Movement.undoIDs)
        unreadable = try await context.eachMovementPage(undos, alreadyReported: unreadable) { movements in
            for movement in movements { undone.formUnion([movement.id, movement.undoes].compactMap(\.self)) }
            return true
        }
        let filter = MovementFilter(kinds: [.opening, .sale, .return, .restock, .tradeIn])
        unreadable = try await context.eachMovementPage(filter, alreadyReported: unreadable) { movements in
            for movement in movements where !undone.contains(movement.id) {
                try dead.add(movement.sku, on: movement.time.day(endingAt: dayEnd))
            }
            return true
        }
        do {
            unreadable = try await context.eachPage(alreadyReported: unreadable) { page in
                for record in page.lazy.map(\.record) { try dead.add(record) { line(record, $0) } }
                return true
            }
        } catch InventoryError.noShop {
            context.reportMissingShop("There are no records")
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

extension ReportCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        days = try arguments.days()
        group = try arguments.choice("--by") ?? .payment
        lowStock = try arguments.integer("--low-stock", in: 0...Record.quantities.upperBound)
        deadStock = try arguments.integer("--dead-stock", in: 1...36_500)
        closing = try arguments.integer("--z", in: 1...Int.max)
        if closing != nil,
            let other = ["--day", "--from", "--to", "--by", "--low-stock", "--dead-stock"].first(where: arguments.has)
        {
            throw UsageError("--z and \(other) contradict each other: a close is shown as it was made")
        }
        if arguments.has("--spreadsheet") || ["csv", "ndjson"].contains(arguments.value("--output")),
            let other = ["--low-stock", "--dead-stock", "--z", "--html"].first(where: arguments.has)
        {
            throw UsageError("\(other) is no part of the report as CSV or ndjson, which has sums alone")
        }
        page = arguments.value("--html")
        replaces = arguments.has("--replace")
        if replaces, page == nil { throw UsageError("--replace requires --html, the file to replace") }
        if page?.isEmpty == true { throw UsageError("--html requires a value: FILE") }
        if page != nil, closing != nil || lowStock != nil || arguments.value("--by") != nil {
            throw UsageError(
                "--html shows payments and genres, and no low stock or close: leave out --by, --low-stock and --z")
        }
    }
}

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
