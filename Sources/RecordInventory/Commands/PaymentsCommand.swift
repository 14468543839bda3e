import RecordKitJSON

/// Lists the kinds of payment that the shop takes, or adds one. Also has the other settings that all tills share.
struct PaymentsCommand: Command {
    /// The kind to add, or `nil` to list them.
    let kind: String?
    /// The smallest coin. `0` rounds no cash.
    var smallestCoin: String?
    var dayEnd: Int?
    var decimal: Decimal?

    enum Decimal: String, CaseIterable, Sendable {
        case comma, point
    }

    static let usage = CommandUsage(
        name: "payments", synonyms: ["shop", "rounding"],
        operands: CommandUsage.Operands("[KIND]", .text, count: 0...1),
        summary: "list the kinds of payment, or add one; set how cash is rounded",
        explanation: """
            Lists the kinds of payment that --payment and the till take: cash, card, transfer, voucher, other, and those
            that the shop has added. With KIND, adds one. The options set what else all tills of the shop share. A till
            that is open takes it when it is started again.

            --smallest-coin rounds what is paid in cash, or given back, half a coin up: 0.05 in every currency that has
            two decimals, and 0 rounds nothing. The sale keeps its prices: the rounding is an entry of its own in the
            sale, on the receipt, in the report and in the close. Of a sale in parts, only the last part is rounded, if
            it is cash.

            With --day-end 4, what is sold before 4:00 belongs to the day before: in the report, in the history and on
            the close.

            With --decimal comma, amounts may be typed with a decimal comma: `cash 2,50`, `price 2,50`, --price 2,50. A
            decimal point stays possible. What the tool prints has a decimal point, for scripts.
            """,
        options: [
            Option("--smallest-coin", .amount, help: "round payments in cash to this amount: 0.05"),
            Option("--day-end", .number, help: "the hour at which the day ends, 0 to 12"),
            Option(
                "--decimal", .choice("SIGN", Decimal.allCases.map(\.rawValue)),
                help: "comma or point, in amounts that are typed"), .dryRun,
        ],
        examples: ["payments", "payments paypal", "payments --smallest-coin 0.05 --day-end 4 --decimal comma"])

    func run(in context: CommandContext) async throws -> ExitCode {
        try await context.checkHasRecords()
        let before = try await context.stock.readSettings()
        var shop = before
        if let kind, !shop.kinds.all.contains(kind) { shop.kinds.added.append(kind) }
        if let smallestCoin { shop.smallestCoin = smallestCoin.contains { "1"..."9" ~= $0 } ? smallestCoin : nil }
        shop.dayEnd = dayEnd ?? shop.dayEnd
        shop.hasDecimalComma = decimal.map { $0 == .comma } ?? shop.hasDecimalComma
        if kind == nil, smallestCoin == nil, dayEnd == nil, decimal == nil {
            try list(shop, context)
        } else if shop == before {
            context.console.note("Nothing was changed: the shop has this already.")
        } else if context.isDryRun {
            context.console.note("Nothing was written. It would be: \(shop.text)")
        } else {
            try await store(shop, over: before, in: context.stock)
            context.console.note("The shop takes \(shop.text)")
        }
        return .done
    }

    private func list(_ shop: ShopSettings, _ context: CommandContext) throws {
        if context.printsJSON {
            return try context.print([
                "payments": .array(shop.kinds.all.map { .string($0) }), "smallest_coin": JSONValue(shop.smallestCoin),
                "day_end": JSONValue(shop.dayEnd), "decimal_comma": .bool(shop.hasDecimalComma),
            ])
        }
        for name in shop.kinds.all { try context.console.print(name.escapedForTabs) }
        if shop.others != ShopSettings().others { context.console.note(shop.others) }
    }

    private func store(_ shop: ShopSettings, over old: ShopSettings, in stock: Stock) async throws {
        let request = shop.write(over: old, in: stock.bucket)
        do {
            try await stock.server.value(for: request)
        } catch InventoryError.noShop {
            try await stock.makeShop()
            try await stock.server.value(for: request)
        }
    }
}

extension ShopSettings {
    /// The settings besides the kinds of payment.
    fileprivate var others: String {
        (smallestCoin.map { "Cash is rounded to \($0)." } ?? "Cash is not rounded.") + " The day ends at \(dayEnd):00."
            + (hasDecimalComma ? " Amounts may have a decimal comma." : "")
    }

    fileprivate var text: String { "\(kinds.all.joined(separator: ", ")). \(others)" }
}

extension PaymentsCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        kind = try arguments.operands.first?.parsed(as: "the payment", PaymentKinds.new)
        smallestCoin = arguments.value("--smallest-coin")
        try smallestCoin?.parsed(as: "--smallest-coin", Money.checkAmount)
        dayEnd = try arguments.integer("--day-end", in: ShopSettings.dayEnds)
        decimal = try arguments.choice("--decimal")
    }
}
