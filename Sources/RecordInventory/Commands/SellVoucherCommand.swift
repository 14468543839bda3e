/// Sells a voucher. Its goods are sold later, and paid with it.
struct SellVoucherCommand: Command {
    /// `20`, or with its currency.
    let amount: String
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

    func run(in context: CommandContext) async throws -> ExitCode {
        let price = try await context.amount(amount, Self.usage.name, Self.usage.name)
        guard price.amount > 0 else {
            throw UsageError("sell-voucher requires an amount above 0", command: Self.usage.name)
        }
        try await context.createShop()
        var sold = move
        sold.lines = [.voucher(price)]
        return try await context.once(sold.identity) { [sold] context in
            let seen = try await context.look(for: sold)
            let move = try context.naming(sold, seen)
            let made = try await context.stock.change(seen: seen) {
                try await context.look(for: move)
            } plan: { look in
                try move.plan(look, context.stock.source)
            }
            let movements = made.changes.flatMap(\.movements)
            let sentences = ["Sold a voucher of \(price.text).", try movements.roundingSentence()]
            let text = sentences.compactMap(\.self).joined(separator: " ")
            try context.report(text, undo: context.stock.source.command) {
                if context.printsChanges { try context.print(movements.map { HistoryLine($0) }) }
            }
        }
    }
}

extension SellVoucherCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        amount = arguments.operands[0]
        move = try CopyMove(.voucher, arguments)
    }
}
