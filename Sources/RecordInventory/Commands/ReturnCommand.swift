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
        rules: [
            .excludes(["--price"], ["--sale"], ": a return of a sale has the price of the sale"),
            .excludes(["--force"], ["--sale"]), .needs(["--force"], "--price", ", what the customer gets back"),
            .needs(["--force"], "--reason"),
        ],
        examples: [
            "return LP-0042 --payment cash", "return LP-0042 --sale 261123-K7M29QXWR4TZ2ABC",
            "return LP-0042 --force --price 8.00 --reason 'bought at the fair'",
        ])

    /// Reads the records before the movements. If the records are unchanged when they are written, no movement was
    /// missed.
    func look(for move: CopyMove, in context: CommandContext) async throws -> StockSnapshot {
        var look = try await context.look(
            at: move.codes, naming: move.sale, undoing: [], settings: move.needsSettings)
        if let sale = move.sale {
            look.sales = try look.sales(named: sale)
            look.add(try await context.stock.returns(of: look.sales.map(\.id)))
        } else {
            for line in move.lines {
                let sku = try look.record(for: line.code, isSale: false).record.sku
                try await addNewestSales(of: line.count, sku, to: &look, context.stock)
            }
        }
        return look
    }

    /// Reads the newest sales of a record, until enough copies of them are not back yet.
    private func addNewestSales(of count: Int, _ sku: SKU, to look: inout StockSnapshot, _ stock: Stock) async throws {
        var (sales, open) = ([Movement](), count)
        var read = look
        // Those of an earlier record with the SKU are no sales of this one. A barcode stands for another SKU.
        let isKnown = look.found.keys.contains(sku)
        let deletions = isKnown ? look.deletions : try await stock.deletions(of: [sku])
        let filter = MovementFilter(
            sku: sku, kinds: [.sale], times: 0..<Int64.max, isLatestFirst: true, pageSize: MovementFilter.idLimit)
        try await stock.eachMovementPage(filter) { page in
            let found = try page.allItems().filter { $0.undoes == nil && !deletions.wasDeleted(after: $0) }
            sales += found
            read.add(try await stock.returns(of: found.map(\.id)))
            for sale in found where open > 0 { open -= max(0, sale.copiesLeft(after: read.returns)) }
            return open > 0
        }
        // The other lines of a sale in parts, or of one that was rounded, and what came back of them.
        let known = Set(look.sales.map(\.id))
        let roundsCash = look.shop.smallestCoin != nil
        let shared = sales.filter { $0.payments != nil || roundsCash && $0.payment == PaymentKinds.cash }
        for command in Set(shared.compactMap(\.command)).sorted() {
            let others = try await stock.movements(MovementFilter(command: command)).filter { other in
                other.kind == .sale && other.undoes == nil && !sales.contains { $0.id == other.id }
            }
            sales += others
            read.add(try await stock.returns(of: others.map(\.id)))
        }
        read.sales += sales.filter { !known.contains($0.id) }
        look = read
    }
}
