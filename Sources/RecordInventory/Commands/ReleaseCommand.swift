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

    func run(in context: CommandContext) async throws -> ExitCode {
        let identity = MovementMaker.Identity(id: id, kind: .release, codes: [code])
        return try await context.maker.once(identity) { context in
            let look = try await context.finder.look(at: [code])
            let sku = try context.finder.record(for: code, in: look, isSale: true).record.sku
            var count = 0
            let record = try await context.maker.change(sku, seen: look, ifUnknown: context.maker.repetition) {
                stored in
                var record = stored.record
                let freed = record.reservations.filter { $0.name == name ?? $0.name }
                guard !freed.isEmpty else {
                    let whom = name.map { " for \($0)" } ?? ""
                    throw CommandFailure(.notFound, "no copy of \(sku.text) is reserved\(whom)")
                }
                count = freed.map(\.quantity).reduce(0, &+)
                let movements = freed.enumerated().map { index, reservation in
                    var movement = context.stock.source.release(index + 1, of: sku, reservation)
                    movement.reason = "for \(reservation.name)"
                    return movement
                }
                for movement in movements { record.reserve(by: movement) }
                return .change(stored, to: record, movements)
            }
            try context.printChange(
                record,
                "Released \(count) of \(sku.text); \(record.available(on: context.today)) of \(record.quantity) "
                    + "available.")
        }
    }
}

extension ReleaseCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        code = try arguments.sku()
        name = arguments.value("--for")
        id = try arguments.newID()
    }
}
