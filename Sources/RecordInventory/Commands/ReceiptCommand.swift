import RecordKitJSON

/// Prints the receipt of an earlier sale.
struct ReceiptCommand: Command {
    let sale: String

    static let usage = CommandUsage(
        name: "receipt", operands: CommandUsage.Operands("SALE", .id), summary: "print the receipt of a sale",
        explanation:
            "Prints the receipt of a sale, a return or a trade-in as it was made. SALE is the id of it, or of a line.",
        options: [], examples: ["receipt 261123-K7M29QXWR4TZ2ABC"])

    init(_ arguments: ArgumentScanner) throws(UsageError) {
        sale = try ArgumentScanner.id(arguments.operands.first ?? "")
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let stock = context.stock
        let command = try await stock.findMovement(sale)?.command ?? sale
        let made = try await stock.movements(MovementFilter(command: command))
        let lines = made.filter { $0.price != nil && MovementSums.kinds.contains($0.kind) }
            .sorted { ($0.id.count, $0.id) < ($1.id.count, $1.id) }
        guard !lines.isEmpty else {
            throw CommandFailure(
                .notFound, "\(sale) is no sale: " + (made.isEmpty ? "no movement has this id" : "nothing was paid"))
        }
        if context.reporter.printsJSON {
            try context.reporter.print(["id": .string(command), "movements": .array(lines.map(\.printedJSON))])
            return .done
        }
        let records = try await stock.stored(lines.map(\.sku))
        let items = lines.map { movement in
            let record = try? records[movement.sku.recordID]?.get().record
            return (
                movement.sku == .none ? Record(soldBy: movement) : HistoryLine(movement: movement, record: record).sold,
                movement
            )
        }
        for line in try Receipt(items, given: nil).lines { try context.console.print(line.escapedForTerminal) }
        return .done
    }
}
