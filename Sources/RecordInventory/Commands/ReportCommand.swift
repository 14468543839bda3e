/// Shows what was sold on a day, or on several.
struct ReportCommand: Command {
    enum Group: String, CaseIterable, Sendable {
        case payment, genre, format
    }

    /// `nil` is today.
    var days: ClosedRange<CalendarDay>?
    var group = Group.payment
    /// Also shows records with at most this many copies.
    var lowStock: Int?
    /// Also shows records in stock that were not sold for this many days.
    var deadStock: Int?
    /// The file of a page in place of lines.
    var page: String?

    static let usage = CommandUsage(
        name: "report", summary: "show a day's takings",
        explanation: """
            Shows the takings of today, of a day or of several: copies and amounts for each currency, by kind of payment,
            genre or format. Returns are subtracted. The margin covers the copies whose cost is known.

            With --html, writes a page for a browser, or for paper, in place of lines: the takings of each day, by kind of
            payment and by genre, and the records that were not sold for 180 days, or those of --dead-stock. Shows the last
            30 days if no day is given.
            """,
        options: Option.days + [
            Option(
                "--by", .choice("FIELD", Group.allCases.map(\.rawValue)),
                help: "payment, genre or format (default: payment)"),
            Option("--low-stock", .number, help: "also records that were sold, with at most N copies left"),
            Option("--dead-stock", .days, help: "also records in stock that were not sold for DAYS days"),
            Option("--html", .file, help: "write a page to this file"),
        ],
        examples: [
            "report", "report --from 2026-11-01 --html november.html",
            "report --from 2026-11-01 --to 2026-11-30 --by genre --low-stock 1",
        ])

    func run(in context: CommandContext) async throws -> ExitCode {
        if let page { return try await write(page, context) }
        let console = context.console
        let days = days ?? context.today...context.today
        let first = days.lowerBound == CalendarDay.all.lowerBound ? nil : days.lowerBound
        let last = days.upperBound == CalendarDay.all.upperBound ? nil : days.upperBound
        var exitCode = ExitCode.done
        let sums = try await context.stock.sums(of: days, bySKU: group != .payment || lowStock != nil) { error in
            console.complain("\(error); it is left out")
            exitCode = .partlyDone
        }
        let records = try await records(Set(sums.sums.keys.compactMap(\.sku)), context)
        let totals = try Takings.totals(of: sums) { key in
            let record = key.sku.flatMap { records[$0.text] }
            return switch group {
            case .payment: key.payment ?? "(not named)"
            case .genre: record?.genre ?? "(no genre)"
            case .format: record?.format ?? "(no format)"
            }
        }
        let low = lowStock.map { limit in
            let sold = Set(sums.sums.keys.filter { $0.kind == .sale }.compactMap(\.sku?.text))
            return records.values.filter { sold.contains($0.sku.text) && $0.quantity <= limit }
                .sorted { ($0.quantity, $0.sku) < ($1.quantity, $1.sku) }
        }
        let dead =
            if let limit = deadStock {
                try await deadStock(limit, context, records).map(\.record)
            } else {
                [Record]?.none
            }
        if context.printsJSON {
            var members = [
                JSONObject.Member(name: "from", value: JSONValue(first?.description)),
                JSONObject.Member(name: "to", value: JSONValue(last?.description)),
                JSONObject.Member(name: "takings", value: .array(totals.map { $0.json(group.rawValue) })),
            ]
            for (name, records) in [("low_stock", low), ("dead_stock", dead)] {
                if let records {
                    members.append(JSONObject.Member(name: name, value: .array(records.map(\.printedJSON))))
                }
            }
            try context.print(.object(JSONObject(members)))
            return exitCode
        }
        let range =
            switch (first, last) {
            case (let first?, let last?): first == last ? "\(first)" : "\(first) to \(last)"
            case (let first?, nil): "since \(first)"
            case (nil, let last): last.map { "until \($0)" } ?? "all days"
            }
        if totals.isEmpty { console.note("\(range): nothing was sold.") }
        let lines = totals.flatMap { $0.lines(group.rawValue) }
        try print(lines.map { [range] + $0 }, Self.takingsColumns, on: console)
        for (title, records) in [("low stock", low), ("dead stock", dead)] {
            guard let records else { continue }
            console.note("\(title): \(records.count).")
            let rows = records.map { [title, $0.sku.text, "\($0.quantity)", $0.artist, $0.title] }
            try print(rows, Self.stockColumns, on: console)
        }
        return exitCode
    }

    private static let takingsColumns = [
        Table.Column("days", staysWhole: true, leaves: 1), Table.Column("what"),
        Table.Column("copies", isNumeric: true, staysWhole: true),
        Table.Column("amount", isNumeric: true, staysWhole: true), Table.Column("currency", staysWhole: true),
    ]
    private static let stockColumns = [
        Table.Column("list", staysWhole: true, leaves: 1), Table.Column("SKU", staysWhole: true),
        Table.Column("copies", isNumeric: true, staysWhole: true), Table.Column("artist", leaves: 2),
        Table.Column("title"),
    ]

    /// Prints an aligned table on a terminal, and tab-separated lines elsewhere.
    private func print(_ rows: [[String]], _ columns: [Table.Column], on console: Console) throws {
        guard console.results.isTerminal else {
            for row in rows { try console.print(fields: row) }
            return
        }
        if rows.isEmpty { return }
        var table = Table(columns)
        for row in rows { table.add(row) }
        try console.print(table)
    }

    /// Returns the records that the report names, by SKU. Reads one by one what was sold on a day, and a whole stock only
    /// if it must.
    func records(_ moved: Set<SKU>, _ context: CommandContext) async throws -> [String: Record] {
        var records: [String: Record] = [:]
        if group == .payment, lowStock == nil, deadStock == nil { return records }
        if deadStock == nil, moved.count <= 500 {
            for sku in moved { records[sku.text] = try await context.stock.find(sku)?.record }
            return records
        }
        do {
            _ = try await context.eachPage { page in
                for record in page.lazy.map(\.record)
                where moved.contains(record.sku) || (deadStock != nil && record.quantity > 0) {
                    records[record.sku.text] = record
                }
                return true
            }
        } catch InventoryError.noShop {
            context.reportMissingShop("There are no records")
        }
        return records
    }

    /// Returns the records in stock that neither came in nor were sold for some days, the longest first, with the day of
    /// their last such movement.
    func deadStock(
        _ limit: Int, _ context: CommandContext, _ records: [String: Record]
    ) async throws -> [(record: Record, last: CalendarDay?)] {
        let today = context.today
        var last: [String: CalendarDay] = [:]
        let filter = MovementFilter(kinds: [.opening, .sale, .return, .restock, .tradeIn])
        try await context.stock.eachMovementPage(filter) { page in
            for movement in page.movements {
                last[movement.sku.text] = max(last[movement.sku.text] ?? movement.time.day, movement.time.day)
            }
            return true
        }
        return records.values
            .filter { record in
                record.quantity > 0 && last[record.sku.text].map { today.number - $0.number >= limit } ?? true
            }
            .sorted { ((last[$0.sku.text]?.number ?? 0), $0.sku) < ((last[$1.sku.text]?.number ?? 0), $1.sku) }
            .map { ($0, last[$0.sku.text]) }
    }
}

extension ReportCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        days = try arguments.days()
        group = try arguments.choice("--by") ?? .payment
        lowStock = try arguments.integer("--low-stock", in: 0...Record.quantities.upperBound)
        deadStock = try arguments.integer("--dead-stock", in: 1...36_500)
        page = arguments.value("--html")
        if page != nil, lowStock != nil || arguments.value("--by") != nil {
            throw UsageError("--html shows payments and genres, and no low stock: leave out --by and --low-stock")
        }
    }
}

/// What was sold in one currency.
struct Takings: Equatable {
    let currency: Currency
    var soldCopies = 0
    var returnedCopies = 0
    /// What was paid, less what was given back, in minor units.
    var takings: Int64 = 0
    var discounts: Int64 = 0
    var tradedInCopies = 0
    /// What was paid for trade-ins.
    var paidOut: Int64 = 0
    /// The takings of copies whose cost is known, less the cost.
    var margin: Int64 = 0
    var copiesWithCost = 0
    var groups: [String: Group] = [:]

    struct Group: Equatable {
        var copies = 0
        var takings: Int64 = 0
    }

    /// Adds up sales, returns and trade-ins by currency.
    static func totals(of sums: MovementSums, by name: (MovementSums.Key) -> String) throws -> [Takings] {
        var totals: [String: Takings] = [:]
        for (key, sum) in sums.sums {
            guard let currency = key.currency else { continue }
            try totals[currency.code, default: Takings(currency: currency)].add(sum, key.kind, name(key))
        }
        return totals.values.sorted { $0.currency.code < $1.currency.code }
    }

    private mutating func add(_ sum: MovementSums.Sum, _ kind: Movement.Kind, _ name: String) throws {
        if kind == .tradeIn {
            tradedInCopies = try tradedInCopies.adding(sum.copiesIn).subtracting(sum.copiesOut)
            paidOut = try paidOut.subtracting(sum.paid)
            return
        }
        soldCopies = try soldCopies.adding(sum.copiesOut)
        returnedCopies = try returnedCopies.adding(sum.copiesIn)
        takings = try takings.adding(sum.paid)
        discounts = try discounts.adding(sum.discounts)
        copiesWithCost = try copiesWithCost.adding(sum.copiesWithCost)
        margin = try margin.adding(sum.margin)
        var group = groups[name] ?? Group()
        group.copies = try group.copies.adding(sum.copiesOut).subtracting(sum.copiesIn)
        group.takings = try group.takings.adding(sum.paid)
        groups[name] = group
    }

    private func text(_ amount: Int64) -> String { Money(amount: amount, currency: currency).decimalText }

    /// The lines of the report: what, how many copies, how much, in which currency.
    func lines(_ group: String) -> [[String]] {
        var lines = [["takings", "\(soldCopies - returnedCopies)", text(takings), currency.code]]
        for (name, part) in groups.sorted(by: { $0.key < $1.key }) {
            lines.append(["\(group) \(name)", "\(part.copies)", text(part.takings), currency.code])
        }
        lines.append(["sold", "\(soldCopies)", "", currency.code])
        if returnedCopies != 0 { lines.append(["returned", "\(returnedCopies)", "", currency.code]) }
        if discounts != 0 { lines.append(["discounts", "", text(discounts), currency.code]) }
        if tradedInCopies != 0 || paidOut != 0 {
            lines.append(["trade-ins paid", "\(tradedInCopies)", text(paidOut), currency.code])
        }
        if copiesWithCost != 0 { lines.append(["margin", "\(copiesWithCost)", text(margin), currency.code]) }
        return lines
    }

    func json(_ group: String) -> JSONValue {
        [
            "currency": .string(currency.code), "takings": .integer(takings), "sold": JSONValue(soldCopies),
            "returned": JSONValue(returnedCopies), "discounts": .integer(discounts),
            "traded_in": JSONValue(tradedInCopies), "paid_out": .integer(paidOut),
            "margin": copiesWithCost == 0 ? .null : .integer(margin), "copies_with_cost": JSONValue(copiesWithCost),
            "by": .string(group),
            "groups": .array(
                groups.sorted { $0.key < $1.key }.map { name, part in
                    ["name": .string(name), "copies": JSONValue(part.copies), "takings": .integer(part.takings)]
                }),
        ]
    }
}

extension FixedWidthInteger {
    fileprivate func adding(_ other: Self) throws(MovementSums.TooLarge) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        if overflow { throw MovementSums.TooLarge() }
        return sum
    }

    fileprivate func subtracting(_ other: Self) throws(MovementSums.TooLarge) -> Self {
        let (difference, overflow) = subtractingReportingOverflow(other)
        if overflow { throw MovementSums.TooLarge() }
        return difference
    }
}
