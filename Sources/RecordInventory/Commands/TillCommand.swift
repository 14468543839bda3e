/// Sells from the scanner: reads codes and words line by line.
struct TillCommand: Command {
    var payment: String?
    /// Whether drafts are sold too.
    var sellsDrafts = false

    static let usage = CommandUsage(
        name: "till", summary: "sell from a scanner, line by line",
        explanation: """
            Reads barcodes and SKUs line by line, from a scanner, a keyboard or a pipe. Shows each record, its price, what
            is left and the total; `pay` sells the basket as one sale and prints a receipt. `pay cash 50` also shows the
            change. Type help for all words. If the input ends without pay, nothing of the basket is sold, and the exit
            code is 1.

            The history names the till of each sale. Two tills on one machine need two names: give each its own with
            --till, or RECORD_INVENTORY_TILL.
            """,
        options: [.payment, .force, .dryRun], examples: ["till", "till --payment cash", "till --till counter-2"])

    func run(in context: CommandContext) async throws -> ExitCode {
        var counter = Counter(context: context, payment: payment, basket: Basket(sellsDrafts: sellsDrafts))
        return try await counter.run()
    }
}

extension TillCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        payment = arguments.value("--payment")
        sellsDrafts = arguments.has("--force")
    }
}
