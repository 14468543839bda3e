import RecordKitJSON

/// Lists the kinds of payment that the shop takes, or adds one.
struct PaymentsCommand: Command {
    /// The kind to add, or `nil` to list them.
    let kind: String?

    static let usage = CommandUsage(
        name: "payments", operands: CommandUsage.Operands("[KIND]", .text, count: 0...1),
        summary: "list the kinds of payment, or add one",
        explanation: """
            Lists the kinds of payment that --payment and the till take: cash, card, transfer, voucher, other, and those
            that the shop has added. With KIND, adds one, for all tills.
            """,
        options: [.dryRun], examples: ["payments", "payments paypal"])

    func run(in context: CommandContext) async throws -> ExitCode {
        let kinds = try await context.look(payments: true).payments ?? PaymentKinds()
        if let kind {
            try await add(kind, to: kinds, in: context)
        } else if context.printsJSON {
            try context.print(.array(kinds.all.map { .string($0) }))
        } else {
            for name in kinds.all { try context.console.print(name.escapedForTabs) }
        }
        return .done
    }

    private func add(_ kind: String, to kinds: PaymentKinds, in context: CommandContext) async throws {
        let (stock, console) = (context.stock, context.console)
        if kinds.all.contains(kind) { return console.note("Nothing was changed: the shop takes \(kind) already.") }
        if context.isDryRun { return console.note("Nothing was written. It would be added: \(kind).") }
        let request = PaymentKinds(added: kinds.added + [kind]).write(in: stock.bucket)
        do {
            try await stock.server.value(for: request)
        } catch InventoryError.noShop {
            try await stock.makeShop()
            try await stock.server.value(for: request)
        }
        console.note("Added \(kind).")
    }
}

extension PaymentsCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        kind = try arguments.operands.first?.parsed(as: "the payment", PaymentKinds.new)
    }
}
