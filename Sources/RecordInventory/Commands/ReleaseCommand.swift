/// Makes copies that were put aside available again, of one customer or of all.
struct ReleaseCommand: Command {
    let code: SKU
    var name: String?
    var id: String?

    static let usage = CommandUsage(
        name: "release", operands: .onlyOne, summary: "make reserved copies available again",
        explanation: "Makes copies that were put aside available again. Accepts a barcode too.",
        options: [Option("--for", .name, help: "only the copies of NAME (default: all)"), .id, .dryRun, .recordFields],
        examples: ["release LP-0042 --for 'Ada L.'"])

    init(_ arguments: ArgumentScanner) throws(UsageError) {
        code = try arguments.sku()
        name = arguments.value("--for")?.personName
        id = try arguments.newID()
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let identity = CommandIdentity(id: id, kinds: [.release], codes: [code])
        return try await context.once(identity) { context in
            let made = try await context.changeOne(code, isSale: true) { try plan($0, context.stock.source) }
            let record = made.record
            let count = made.movements.map { 0 &- $0.quantity }.reduce(0, &+)
            try context.reporter.report(
                record, "Released \(count) of \(record.sku.text); \(record.availability(on: context.today))")
        }
    }

    private func plan(_ stored: StoredRecord, _ source: MovementSource) throws(CommandFailure) -> RecordChange {
        var record = stored.record
        let freed = record.reservations.filter { $0.name == name ?? $0.name }
        guard !freed.isEmpty else {
            let whom = name.map { " for \($0)" } ?? ""
            throw CommandFailure(.notFound, "no copy of \(record.sku.text) is reserved\(whom)")
        }
        let movements = freed.enumerated().map { index, reservation in
            var movement = source.release(index + 1, of: record.sku, reservation)
            movement.reason = "for \(reservation.name)"
            return movement
        }
        for movement in movements { record.reserve(by: movement) }
        return .change(stored, to: record, movements)
    }
}
