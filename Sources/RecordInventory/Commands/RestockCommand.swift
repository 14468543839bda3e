/// Puts copies into the stock.
struct RestockCommand: Command {
    let move: CopyMove

    static let usage = CommandUsage(
        name: "restock", operands: .onlyOne, summary: "put copies into the stock",
        explanation:
            "Puts copies into the stock. Accepts a barcode too. A record that is sold becomes for_sale again.",
        options: [.copies, .reason, .id, .dryRun, .recordFields], examples: ["restock LP-0042 -n 5"])

    func run(in context: CommandContext) async throws -> ExitCode {
        try await CopyMover(context: context).run(move)
    }
}

extension RestockCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        move = try CopyMove(.restock, arguments)
    }
}

extension CommandUsage.Operands {
    /// One record, where a person may expect that several can be given, as to `sell`.
    static let onlyOne = CommandUsage.Operands("SKU", .sku, advice: "; only sell takes several")
}
