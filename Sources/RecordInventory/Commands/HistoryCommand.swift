/// Shows the movements of the stock.
struct HistoryCommand: Command {
    var code: SKU?
    /// The id of a command or of a movement.
    var id: String?
    var days: WantedDays?
    /// The maximum number of movements, the latest. `nil` shows all.
    var limit: Int?
    /// Whether to list the parts of the payments in place of the movements.
    var listsPayments = false
    /// The conditions for the record, as it was sold.
    var conditions: [ListCommand.Condition] = []

    static let usage = CommandUsage(
        name: "history", synonyms: ["log"], operands: CommandUsage.Operands("[SKU]", .sku, count: 0...1),
        summary: "show the movements of the stock",
        explanation: """
            Shows the movements of a record, of some days, or all: the earliest first. Also those of deleted records. An
            edit has the old and new values of its fields. Accepts a barcode too. A day ends at midnight, or at the hour
            that `payments` sets. A narrow terminal leaves out the reason, the till, the payment, the id, the time and
            the amount, in this order.

            In a file, `amount` is what was paid for the line without the `rounding` of cash, `margin` is the amount
            less the cost, and `close` is the number of the till's close that counts it; `note` marks sales without a
            known cost. Artist and title are those of the time of the sale. With --payments, there is a line for each
            kind of payment of a sale, a return or a trade-in: its amount includes the rounding. Both add up to the
            report of the same days. With --where, shows the movements of matching records, as the sale noted them:
            `--where consignor=ADA` lists what was sold for a consignor. Amounts in JSON are in minor units: 1850 is
            18.50 EUR.
            """,
        options: [
            Option("--id", .id, help: "only the command or the movement ID"),
            Option("--limit", .number, help: "the last N"), .fields(of: HistoryLine.fieldNames),
            Option("--payments", help: "the parts of the payments, in place of the movements"),
            Option(
                "--where", .condition, repeats: true, help: "only of matching records, as they were sold: consignor=ADA"
            ),
            .spreadsheet,
        ] + Option.days,
        rules: [
            .days, .excludes(["SKU"], ["--id", "--payments"]),
            .excludes(["--payments"], ["--id", "--limit", "--where"], ": payments are listed by days alone"),
        ],
        examples: [
            "history LP-0042", "history --day 2026-11-23 --json", "history --fields time,sku,quantity",
            "history --payments --from 2026-11-01 --output csv",
            "history --from 2026-11-01 --where consignor=ADA --spreadsheet",
        ])

    var fieldNames: [String] { listsPayments ? PaymentLine.fieldNames : HistoryLine.fieldNames }

    init(_ arguments: ArgumentScanner) throws(UsageError) {
        if let sku = arguments.operands.first { code = try ArgumentScanner.sku(sku) }
        id = try arguments.value("--id").map(ArgumentScanner.id)
        days = try arguments.days()
        limit = try arguments.integer("--limit", in: 1...Int.max)
        listsPayments = arguments.has("--payments")
        conditions = try ListCommand.conditions(arguments)
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let dayEnd = days == nil ? 0 : try await context.stock.readSettings().dayEnd
        let days = try days?.range(today: context.stock.source.now().day(endingAt: dayEnd))
        if listsPayments { return try await listPayments(of: days, endingAt: dayEnd, in: context) }
        var listing = try MovementListing(
            days: days, endingAt: dayEnd, limit: limit, on: context.console, context.reporter.output)
        var filter = MovementFilter(command: id)
        if id == nil { filter.times = days?.times }
        if let code { filter.sku = try await sku(for: code, in: context) }
        let closes = listing.prints("close") ? try await context.stock.closes(since: filter.times?.lowerBound) : [:]
        let progress = ProgressBar("Reading", on: context.console)
        defer { progress.finish() }
        var count = 0
        for filter in filter.filters(latest: limit) {
            var times: [Int64] = []
            try await context.eachMovementPage(filter) { movements in
                let own = movements.filter(listing.isWanted)
                let readsRecords =
                    !conditions.isEmpty || ["title", "artist", "consignor"].contains(where: listing.prints)
                let unnoted = readsRecords ? own.filter { $0.item == nil || !conditions.isEmpty } : []
                let records = try await context.stock.stored(unnoted.map(\.sku))
                let lines = own.map { movement in
                    let record = try? records[movement.sku.recordID]?.get().record
                    return HistoryLine(
                        movement: movement, record: record, close: closes[movement.command ?? movement.id])
                }.filter { line in conditions.allSatisfy { $0.accepts(line.sold) } }
                for line in lines { try listing.sort(line) }
                count += movements.count
                progress.update(count)
                guard let limit, filter.isLatestFirst else { return true }
                times += lines.prefix(max(0, limit - times.count)).map(\.movement.time.milliseconds)
                // Movements of the same time are sorted by their ids.
                return times.count < limit || movements.last?.time.milliseconds == times.last
            }
        }
        if let id, count == 0, !context.reporter.isPartlyDone {
            guard let movement = try await context.stock.findMovement(id) else {
                throw CommandFailure(.notFound, "\(id) was not made: no movement has this id")
            }
            try listing.sort(HistoryLine(movement: movement, close: closes[movement.command ?? movement.id]))
        }
        try listing.print()
        return .done
    }

    /// Lists what each command moved with each kind of payment.
    private func listPayments(
        of days: ClosedRange<CalendarDay>?, endingAt dayEnd: Int, in context: CommandContext
    ) async throws -> ExitCode {
        let times = (days ?? CalendarDay.all).times
        var printer = RowPrinter<PaymentLine>(on: context.console, context.reporter.output)
        let closes = try await context.stock.closes(since: times.lowerBound)
        var lines = PaymentLines()
        let filter = MovementFilter(kinds: MovementSums.kinds, times: times)
        try await context.eachMovementPage(filter) { movements in
            for movement in movements where days?.contains(movement.time.day(endingAt: dayEnd)) ?? true {
                guard movement.hasSummableAmounts else {
                    context.reporter.leaveOut(Unreadable.tooLarge(movement))
                    continue
                }
                let close = closes[movement.command ?? movement.id]
                for line in try lines.add(movement, close: close) { try printer.print(line) }
            }
            return true
        }
        for line in lines.finish() { try printer.print(line) }
        try printer.finish()
        if printer.count == 0 { context.console.note("There are no such payments.") }
        return .done
    }

    /// Returns the SKU of a code, whose record may have been deleted.
    private func sku(for code: SKU, in context: CommandContext) async throws -> SKU {
        do {
            return try await context.look(at: [code]).record(for: code, isSale: false).record.sku
        } catch  where (try? context.failure(of: error))?.exitCode == .notFound {
            var isKnown = false
            try await context.stock.eachMovementPage(MovementFilter(sku: code, pageSize: 1)) { page in
                isKnown = !page.items.isEmpty || !page.unreadable.isEmpty
                return false
            }
            if !isKnown { throw error }
            return code
        } catch InventoryError.unreadable {
            return code
        }
    }
}
