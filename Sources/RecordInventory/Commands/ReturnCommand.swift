/// Takes sold copies back.
struct ReturnCommand: CopyCommand {
    static let kind = Movement.Kind.return

    let move: CopyMove

    static let usage = CommandUsage(
        name: "return", operands: .onlyOne, summary: "take a sold copy back",
        explanation: """
            Takes sold copies back. With --sale, they belong to this sale; otherwise to the newest sales of the record
            of which copies are not back yet. The price and the discount are those of the sale, and no more comes back
            than was sold. Accepts a barcode too.

            The money goes back in the kind of payment of the sale, unless --payment names another. Of a sale that was
            paid in parts, it goes back in the same proportions, and the last return gets the rest.

            With --force, also takes back copies that were not sold here, for the price that --price names.
            """,
        options: [
            .copies, Option("--sale", .id, help: "the sale, for its price and discount"),
            Option("--price", .amount, help: "what the customer gets back for one copy"), .payment,
            Option("--force", help: "also take back what was not sold here; requires --price and --reason"),
            .reason, .id, .dryRun, .recordFields,
        ],
        examples: [
            "return LP-0042 --payment cash", "return LP-0042 --sale 261123-K7M29QXWR4TZ2ABC",
            "return LP-0042 --force --price 8.00 --reason 'bought at the fair'",
        ])
}

extension ReturnCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        move = try CopyMove(Self.kind, arguments)
        if move.sale != nil, move.price != nil {
            throw UsageError("--price and --sale contradict each other: a return of a sale has the price of the sale")
        }
        guard move.isForced else { return }
        if move.sale != nil { throw UsageError("--force and --sale contradict each other") }
        guard move.price != nil, move.reason != nil else {
            throw UsageError("return --force requires --price, what the customer gets back, and --reason")
        }
    }
}
