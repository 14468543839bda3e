/// Sells a voucher. Its goods are sold later, and paid with it.
struct SellVoucherCommand: CopyCommand {
    static let kind = Movement.Kind.voucher

    /// What is typed. Its price may have a currency.
    let move: CopyMove

    static let usage = CommandUsage(
        name: "sell-voucher", synonyms: ["voucher", "gift-card"], operands: CommandUsage.Operands("AMOUNT", .amount),
        summary: "sell a voucher",
        explanation: """
            Sells a voucher: takes money for goods that are sold later. They are then paid with `--payment voucher`. The
            report and the close of the till show both apart, so that neither is counted twice. Vouchers have no numbers
            here, and no balances: write them on the voucher. `undo` takes a voucher back. At the counter, sell-voucher
            is a word too.
            """,
        options: [
            Option("--payment", .payment, repeats: true, help: "the kind of payment: cash, card …; a part is cash:20"),
            .reason, .id, .dryRun,
        ],
        examples: ["sell-voucher 20 --payment cash", "sell-voucher '20.00 USD' --payment card"])

    var createsStore: Bool { true }

    func completed(in context: CommandContext) async throws -> CopyMove {
        let price = try await context.amount(move.price ?? "", Self.usage.name)
        guard price.amount > 0 else {
            throw UsageError("sell-voucher requires an amount above 0")
        }
        try await context.createShop()
        var move = move
        (move.lines, move.price) = ([.voucher(price)], nil)
        return move
    }
}

extension SellVoucherCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        var move = try CopyMove(Self.kind, arguments)
        move.price = arguments.operands[0]
        self.move = move
    }
}
