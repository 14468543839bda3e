/// Shows a record, or all with a barcode.
struct ShowCommand: Command {
    let code: SKU

    static let usage = CommandUsage(
        name: "show", operands: .sku, summary: "show a record",
        explanation: "Shows all fields of a record, or all records with a barcode.", options: [.recordFields],
        examples: ["show LP-0042", "show LP-0042 --json"])

    func run(in context: CommandContext) async throws -> ExitCode {
        let records = try await context.look(at: [code]).records(for: code).map(\.record)
        if records.count == 1 { try context.reporter.print(records[0]) } else { try context.reporter.print(records) }
        return .done
    }
}

extension ShowCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        code = try arguments.sku()
    }
}
