/// Takes sold copies back.
struct ReturnCommand: Command {
    let move: CopyMove

    static let usage = CommandUsage(
        name: "return", operands: .onlyOne, summary: "take a sold copy back",
        explanation: """
            Takes sold copies back. With --sale, they belong to this sale; otherwise to the newest sales of the record of
            which copies are not back yet. The price and the discount are those of the sale, and no more comes back than
            was sold. Accepts a barcode too.

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

    func run(in context: CommandContext) async throws -> ExitCode {
        try await CopyMover(context: context).run(move) { mover, move, look, lines in
            let advice = mover.context.maker.repetition
            guard let sale = move.sale else {
                return try await mover.moved(move, lines, seen: look, ifUnknown: advice) { look in
                    try await newest(lines, mover.context.stock, look)
                }
            }
            // A return that was taken back is no sale of its own.
            let sold = look.named.filter { $0.kind == .sale && $0.undoes == nil }
            guard !sold.isEmpty else {
                throw CommandFailure(.notFound, "there is no sale \(sale); `history` lists the sales with their ids")
            }
            var lines = lines
            for index in lines.indices {
                lines[index].sale = sold.first { $0.sku == lines[index].sku }
                guard lines[index].sale != nil else {
                    throw CommandFailure(.notFound, "the sale \(sale) has no copy of \(lines[index].sku.text)")
                }
            }
            return try await mover.moved(move, lines, undoing: sold.map(\.id), ifUnknown: advice)
        }
    }

    /// Divides the copies that come back among the newest sales of the record, of which copies are not back yet.
    private func newest(
        _ lines: [CopyMover.Line], _ stock: Stock, _ look: StockLook
    ) async throws -> [CopyMover.Part] {
        var parts: [CopyMover.Part] = []
        for (index, line) in lines.enumerated() {
            var open = line.count
            let filter = MovementFilter(
                sku: line.sku, kinds: [.sale], times: 0..<Int64.max, isLatestFirst: true,
                pageSize: MovementFilter.idLimit)
            try await stock.eachMovementPage(filter) { page in
                if let error = page.unreadable.first { throw InventoryError.unreadableMovement(error) }
                let sales = page.movements.filter { $0.undoes == nil }
                let returns = try await stock.movements(undoing: sales.map(\.id))
                for sale in sales where open > 0 {
                    let own = returns.filter { $0.undoes == sale.id }
                    let count = min(open, 0 &- sale.quantity &- own.map(\.quantity).reduce(0, &+))
                    if count <= 0 { continue }
                    parts.append(CopyMover.Part(line: index, count: count, sale: sale.returning(count, after: own)))
                    open -= count
                }
                return open > 0
            }
            guard open > 0 else { continue }
            guard move.isForced else {
                throw CommandFailure(
                    .conflict,
                    "only \(line.count - open) of \(line.sku.text) were sold and did not come back, \(line.count) wanted; "
                        + "nothing was changed. To take back what was not sold here, give --force, --price and --reason"
                )
            }
            parts.append(CopyMover.Part(line: index, count: open))
        }
        return parts
    }
}

extension ReturnCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        move = try CopyMove(.return, arguments)
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
