/// Puts cash into the drawer, or takes it out, without a sale.
struct DrawerCommand: Command {
    /// Cash that goes in or out, as it is typed.
    struct Entry: Equatable, Sendable {
        let kind: DrawerMove.Kind
        /// `5.00`, or with its currency.
        let amount: String
        let reason: String
    }

    let entry: Entry
    var id: String?

    static let usage = CommandUsage(
        name: "drawer", synonyms: ["petty-cash"],
        operands: CommandUsage.Operands(
            "in|out AMOUNT REASON", .choice("in|out AMOUNT REASON", ["in", "out"]), count: 3...20),
        summary: "put cash into the drawer, or take it out",
        explanation: """
            Notes cash that is put into the drawer of the till, or taken out, without a sale: stamps, change from the
            bank. The close of the till counts it. Asks at a terminal before more is taken out than the drawer has. At
            the counter, drawer is a word too.
            """,
        options: [.id, .dryRun],
        examples: ["drawer out 4.50 stamps", "drawer in 50.00 change from the bank", "drawer out '20.00 USD' tip"])

    var createsStore: Bool { true }

    init(_ arguments: ArgumentScanner) throws(UsageError) {
        entry = try Entry(arguments.operands)
        id = try arguments.newID()
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        try await TillClosing(context: context).move(entry, id: id)
    }
}

extension DrawerCommand.Entry {
    /// Parses `in 5.00 change from the bank`.
    init(_ operands: [String]) throws(UsageError) {
        guard operands.count > 2, let kind = DrawerMove.Kind(rawValue: operands[0].lowercased()) else {
            throw UsageError("drawer takes in or out, an amount and a reason: drawer out 4.50 stamps")
        }
        self.kind = kind
        amount = operands[1]
        reason = operands.dropFirst(2).joined(separator: " ").trimmed
        if reason.isEmpty { throw UsageError("drawer requires a reason: drawer out 4.50 stamps") }
    }
}
