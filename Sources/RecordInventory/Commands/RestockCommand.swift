/// Puts copies into the stock.
struct RestockCommand: CopyCommand {
    static let kind = Movement.Kind.restock

    let move: CopyMove

    static let usage = CommandUsage(
        name: "restock", operands: .onlyOne, summary: "put copies into the stock",
        explanation: """
            Puts copies into the stock. Accepts a barcode too. A record that is sold becomes for_sale again.

            With --cost, the record gets the average cost of its copies: 3 that cost 4.00 and one that cost 8.00 cost
            5.00 each. If the cost of those in stock is unknown, it gets the new one. `undo` brings the cost back that
            the record had before.
            """,
        options: [
            .copies, Option("--cost", .amount, help: "what one of the copies cost"), .reason, .id, .dryRun,
            .recordFields,
        ],
        examples: ["restock LP-0042 -n 5", "restock LP-0042 -n 5 --cost 7.50"])
}
