/// Puts copies into the stock.
struct RestockCommand: CopyCommand {
    static let kind = Movement.Kind.restock

    let move: CopyMove

    static let usage = CommandUsage(
        name: "restock", operands: .onlyOne, summary: "put copies into the stock",
        explanation:
            "Puts copies into the stock. Accepts a barcode too. A record that is sold becomes for_sale again.",
        options: [.copies, .reason, .id, .dryRun, .recordFields], examples: ["restock LP-0042 -n 5"])
}
