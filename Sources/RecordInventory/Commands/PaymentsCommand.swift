import RecordKit
import RecordKitJSON

/// Lists the kinds of payment that the shop takes, or adds one. Also has the other settings that all tills share.
struct PaymentsCommand: Command {
    /// The kind to add, or `nil` to list them.
    let kind: String?
    /// The kind where none is named. `none` asks for it again.
    var usual: String?
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

            --default cash is the kind of a sale, a trade-in or a voucher that names none, also of `pay` at the counter.
            Without it, they ask at a terminal, and elsewhere the reports have the sale as "not named". --default none
            takes it away.

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
            Option("--default", .payment, help: "the kind of payment where none is named"),
            Option("--smallest-coin", .amount, help: "round payments in cash to this amount: 0.05"),
            Option("--day-end", .number, help: "the hour at which the day ends, 0 to 12"),
            Option(
                "--decimal", .choice("SIGN", Decimal.allCases.map(\.rawValue)),
                help: "comma or point, in amounts that are typed"), .dryRun,
        ],
        examples: [
            "payments", "payments paypal", "payments --default cash",
            "payments --smallest-coin 0.05 --day-end 4 --decimal comma",
        ])

    /// Whether something is set.
    var createsStore: Bool { [kind, usual, smallestCoin].contains { $0 != nil } || dayEnd != nil || decimal != nil }

    init(_ arguments: ArgumentScanner) throws(UsageError) {
        kind = try arguments.operands.first?.parsed(as: "the payment", PaymentKinds.new)
        usual = arguments.value("--default")
        smallestCoin = arguments.value("--smallest-coin")
        try smallestCoin?.parsed(as: "--smallest-coin", Money.checkAmount)
        dayEnd = try arguments.integer("--day-end", in: ShopSettings.dayEnds)
        decimal = try arguments.choice("--decimal")
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let before = try await context.stock.readSettings()
        var shop = before
        if let kind, !shop.kinds.all.contains(kind) { shop.kinds.added.append(kind) }
        if let usual { shop.usualPayment = usual == "none" ? nil : try shop.kinds.checked(usual) }
        if let smallestCoin { shop.smallestCoin = smallestCoin.contains { "1"..."9" ~= $0 } ? smallestCoin : nil }
        shop.dayEnd = dayEnd ?? shop.dayEnd
        shop.hasDecimalComma = decimal.map { $0 == .comma } ?? shop.hasDecimalComma
        if !createsStore {
            try list(shop, context)
        } else if shop == before {
            context.console.note("Nothing was changed: the shop has this already.")
        } else if context.isDryRun {
            context.console.note("Nothing was written. It would be: \(shop.text)")
        } else {
            try await context.createShop()
            try await context.stock.server.value(for: shop.write(over: before, in: context.stock.bucket))
            context.console.note("The shop takes \(shop.text)")
        }
        return .done
    }

    private func list(_ shop: ShopSettings, _ context: CommandContext) throws {
        if context.reporter.printsJSON {
            return try context.reporter.print([
                "payments": .array(shop.kinds.all.map { .string($0) }), "default": JSONValue(shop.usualPayment),
                "smallest_coin": JSONValue(shop.smallestCoin), "day_end": JSONValue(shop.dayEnd),
                "decimal_comma": .bool(shop.hasDecimalComma),
            ])
        }
        for name in shop.kinds.all { try context.console.print(name.escapedForTabs) }
        if shop.others != ShopSettings().others { context.console.note(shop.others) }
    }
}

extension ShopSettings {
    /// The settings besides the kinds of payment.
    fileprivate var others: String {
        (usualPayment.map { "Without a name, it is \($0). " } ?? "")
            + (smallestCoin.map { "Cash is rounded to \($0)." } ?? "Cash is not rounded.")
            + " The day ends at \(dayEnd):00."
            + (hasDecimalComma ? " Amounts may have a decimal comma." : "")
    }

    fileprivate var text: String { "\(kinds.all.joined(separator: ", ")). \(others)" }
}
