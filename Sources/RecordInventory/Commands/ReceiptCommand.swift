import RecordKitJSON

/// Prints the receipt of an earlier sale.
struct ReceiptCommand: Command {
    let sale: String

    static let usage = CommandUsage(
        name: "receipt", operands: CommandUsage.Operands("SALE", .id), summary: "print the receipt of a sale",
        explanation: """
            Prints the receipt of a sale, a return or a trade-in as it was made: SALE is its id, which `history` shows,
            or that of one of its lines. What was taken back since has a receipt of its own.
            """,
        options: [], examples: ["receipt 261123-K7M29QXWR4TZ2ABC"])

    func run(in context: CommandContext) async throws -> ExitCode {
        let stock = context.stock
        var made = try await stock.movements(MovementFilter(command: sale))
        if made.isEmpty, let line = try await stock.findMovement(sale) {
            made = try await stock.movements(MovementFilter(command: line.command ?? line.id))
            if made.isEmpty { made = [line] }
        }
        let lines = made.filter { $0.price != nil && MovementSums.kinds.contains($0.kind) }
            .sorted { ($0.id.count, $0.id) < ($1.id.count, $1.id) }
        guard !lines.isEmpty else {
            throw CommandFailure(
                .notFound, "\(sale) is no sale: " + (made.isEmpty ? "no movement has this id" : "nothing was paid"))
        }
        if context.printsJSON {
            try context.print(["id": .string(sale), "movements": .array(lines.map(\.json.withDecimals))])
            return .done
        }
        let records = try await stock.stored(Set(lines.map(\.sku)).subtracting([.none]).sorted())
        let items = lines.map { movement in
            var record = (try? records[movement.sku.recordID]?.get().record) ?? Record(soldBy: movement)
            if movement.sku != .none {
                record.sku = movement.sku
                record.artist = movement.item?.artist ?? record.artist
                record.title = movement.item?.title ?? record.title
            }
            return (record, movement)
        }
        for line in try Receipt(items, given: nil).lines { try context.console.print(line.escapedForTerminal) }
        return .done
    }
}

extension ReceiptCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        sale = try ArgumentScanner.id(arguments.operands.first ?? "")
    }
}
