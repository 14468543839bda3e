/// Shows the movements of the stock.
struct HistoryCommand: Command {
    var code: SKU?
    /// The id of a command or of a movement.
    var id: String?
    var days: ClosedRange<CalendarDay>?
    /// The maximum number of movements, the latest. `nil` shows all.
    var limit: Int?

    static let usage = CommandUsage(
        name: "history", synonyms: ["log"], operands: CommandUsage.Operands("[SKU]", .sku, count: 0...1),
        summary: "show the movements of the stock",
        explanation: """
            Shows the movements of a record, of some days, or all: the earliest first. Also those of deleted records. An edit
            has the old and new values of its fields. Accepts a barcode too. A day ends at midnight, or at the hour that
            `payments` sets. A narrow terminal leaves out the reason, the till, the payment, the id, the time and the
            amount, in this order.
            """,
        options: [
            Option("--id", .id, help: "only the command or the movement ID"),
            Option("--limit", .number, help: "the last N"), .fields(of: Movement.fieldNames),
        ] + Option.days,
        examples: ["history LP-0042", "history --day 2026-11-23 --json", "history --fields time,sku,quantity"])

    func run(in context: CommandContext) async throws -> ExitCode {
        let dayEnd = days == nil ? 0 : try await context.stock.readSettings().dayEnd
        var listing = try MovementListing(
            days: days, endingAt: dayEnd, limit: limit, on: context.console, context.output)
        var filter = MovementFilter(command: id)
        if id == nil { filter.times = days?.times }
        if let code { filter.sku = try await sku(for: code, in: context) }
        let progress = ProgressBar("Reading", on: context.console)
        defer { progress.finish() }
        var count = 0
        var unreadable: Set<String> = []
        for filter in filter.filters(latest: limit) {
            var times: [Int64] = []
            unreadable = try await context.eachMovementPage(filter, alreadyReported: unreadable) { movements in
                try listing.sort(movements)
                count += movements.count
                progress.update(count)
                guard let limit, filter.isLatestFirst else { return true }
                let wanted = movements.lazy.filter { days?.contains($0.time.day(endingAt: dayEnd)) ?? true }
                times += wanted.prefix(max(0, limit - times.count)).map(\.time.milliseconds)
                // Movements of the same time are sorted by their ids.
                return times.count < limit || movements.last?.time.milliseconds == times.last
            }
        }
        if let id, count == 0, unreadable.isEmpty {
            guard let movement = try await context.stock.findMovement(id) else {
                throw CommandFailure(.notFound, "\(id) was not made: no movement has this id")
            }
            try listing.sort([movement])
        }
        try listing.print()
        return unreadable.isEmpty ? .done : .partlyDone
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

extension HistoryCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        if let sku = arguments.operands.first { code = try ArgumentScanner.sku(sku) }
        id = try arguments.value("--id").map(ArgumentScanner.id)
        days = try arguments.days()
        limit = try arguments.integer("--limit", in: 1...Int.max)
        if id != nil, code != nil { throw UsageError("history takes a SKU or --id, not both") }
    }
}
