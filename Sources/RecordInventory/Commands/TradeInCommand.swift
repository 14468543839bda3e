/// Buys copies from a customer.
struct TradeInCommand: CopyCommand {
    static let kind = Movement.Kind.tradeIn

    let move: CopyMove

    static let usage = CommandUsage(
        name: "trade-in", operands: .onlyOne, required: "--price AMOUNT", summary: "buy copies from a customer",
        explanation: """
            Buys copies from a customer. Accepts a barcode too. The report shows what was paid.

            The price that was paid becomes the cost of the record. If copies whose cost is known are in stock, it
            becomes the average: 3 copies that cost 4.00 and one that is bought for 8.00 cost 5.00 each. `undo` brings
            the cost back that the record had before.
            """,
        options: [
            .copies, Option("--price", .amount, help: "what the customer gets for one copy"), .payment, .reason, .id,
            .dryRun, .recordFields,
        ],
        rules: [.required("--price", " AMOUNT, what the customer gets for one copy")],
        examples: ["trade-in LP-0042 --price 6 --payment cash"])
}
