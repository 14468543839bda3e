/// Sells from the scanner: reads codes and words line by line. Also opens and closes the till.
struct TillCommand: Command {
    enum Work: Equatable {
        case sell
        /// Notes the cash in the drawer: `100.00`, or with its currency. `nil` asks for it.
        case open(float: String?)
        case close(TillClosing.Options)
    }

    var work = Work.sell
    var payment: String?
    /// Whether drafts are sold too.
    var sellsDrafts = false

    static let usage = CommandUsage(
        name: "till",
        operands: CommandUsage.Operands("[open|close]", .choice("[open|close]", ["open", "close"]), count: 0...1),
        summary: "sell from a scanner, line by line; open and close the till",
        explanation: """
            Reads barcodes and SKUs line by line, from a scanner, a keyboard or a pipe. Shows each record, its price,
            what is left and the total; `pay` sells the basket as one sale and prints a receipt. `cash 50` also shows
            the change. `cash 20` and then `card` pays a larger sale in parts: the last part sells, and `undo` takes
            back the part before. What comes back and what the shop buys can be part of a sale, so that the customer
            gets the rest. If the input ends without pay, nothing of the basket is sold, and the exit code is 1.

            The history names the till of each sale. Two tills on one machine need two names: give each its own with
            --till, or RECORD_INVENTORY_TILL.

            `till open` notes the cash in the drawer. On a terminal it asks for it without --float, and proposes what
            the last close left. `till close` shows what the till took since its last close, by kind of payment and
            currency, also with other commands under its name, and what must be in the drawer. On a terminal it then
            asks whether to close; --z closes without a question. A close has a number, names the commands that it
            counts, and never changes; `report --z N` shows it again. It also names the baskets that are parked. A
            command that is made meanwhile is counted by the next close. If the counted cash differs, a close requires
            --reason.

            \(TillWord.explanation)
            """,
        options: [
            .payment, .force, Option("--float", .amount, help: "open: the cash in the drawer, 100.00 or '100.00 EUR'"),
            Option("--z", help: "close: close the till, without a question"),
            Option("--counted", .amount, repeats: true, help: "close: the cash that was counted, of each currency"),
            Option("--reason", .text, help: "close: why the cash differs"), .dryRun,
        ],
        rules: [
            .needs(["--float"], "open"), .needs(["--z", "--counted", "--reason"], "close"),
            .excludes(["--payment", "--force"], ["open", "close"]),
        ],
        examples: [
            "till", "till --payment cash", "till --till counter-2", "till open --float 100.00", "till close",
            "till close --z --counted 231.50 --reason 'wrong change'",
        ])

    var createsStore: Bool { if case .open = work { true } else { false } }

    func run(in context: CommandContext) async throws -> ExitCode {
        switch work {
        case .sell: break
        case .open(let float): return try await TillClosing(context: context).open(float)
        case .close(let options): return try await TillClosing(context: context).close(options)
        }
        var session = CounterSession(context: context, payment: payment, basket: Basket(sellsDrafts: sellsDrafts))
        return try await session.run()
    }
}

extension TillCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        payment = arguments.value("--payment")
        sellsDrafts = arguments.has("--force")
        switch arguments.operands.first {
        case nil: break
        case "open": work = .open(float: arguments.value("--float"))
        case "close":
            work = .close(
                TillClosing.Options(
                    isFinal: arguments.has("--z"), counted: arguments.values("--counted"),
                    reason: arguments.value("--reason")))
        case let word?: throw UsageError("till takes open, close or nothing; not \"\(word.shown)\"")
        }
    }
}
