/// A command that moves copies of records in or out, as it is typed.
protocol CopyCommand: Command {
    static var kind: Movement.Kind { get }
    var move: CopyMove { get }

    init(move: CopyMove)
}

extension CopyCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        self.init(move: try CopyMove(Self.kind, arguments))
    }

    /// Looks, plans and sends: all lines or none.
    func run(in context: CommandContext) async throws -> ExitCode {
        try await context.once(move.identity) { context in
            var refund: Refund?
            let made = try await context.stock.change {
                try await context.look(for: move)
            } plan: { look in
                refund = try move.refund(look)
                if let refund { return try refund.changes(from: context.stock.source) }
                return try move.checkingPayment(look).plan(look, context.stock.source)
            }
            if let refund { return try refund.report(made.changes.flatMap(\.movements), in: context) }
            let records = made.changes.map(\.record)
            for change in made.changes where move.kind == .writeOff { context.reportReserved(change) }
            var sentences = try made.changes.map { try $0.movements.sentence(about: $0.record) }
            if let rounding = try made.changes.flatMap(\.movements).roundingSentence() { sentences.append(rounding) }
            try context.report(sentences.joined(separator: "\n")) {
                guard context.printsChanges else { return }
                if records.count == 1 { try context.printRecord(records[0]) } else { try context.print(records) }
            }
        }
    }
}

extension Refund {
    fileprivate func report(_ movements: [Movement], in context: CommandContext) throws {
        let given = [movements[0]]
        let text = try given.total().map { Money(amount: abs($0.amount), currency: $0.currency) }
        let kinds = movements[0].payment == nil ? "" : " (\(given.givenBackText))"
        let what =
            sale.sku == .none
            ? "\(record.title.printable)." : "\(sale.sku.text), whose record was deleted. No copy is in stock."
        let rounding = try given.roundingSentence().map { " " + $0 } ?? ""
        try context.report("Gave back \(text.text)\(kinds) for \(move.lines[0].count) of \(what)\(rounding)") {
            if context.printsChanges { try context.print(movements.map { HistoryLine($0) }) }
        }
    }
}

extension CommandContext {
    /// Reads what a move needs: the records before the movements. If the records are unchanged when they are
    /// written, no movement was missed.
    func look(for move: CopyMove) async throws -> StockSnapshot {
        var look = try await look(
            at: move.codes, naming: move.sale, undoing: move.lines.compactMap(\.sale?.id),
            deletions: move.kind == .return, settings: move.needsSettings)
        guard move.kind == .return else { return look }
        look.knowsMovements = true
        if let sale = move.sale {
            look.sales = try look.sales(named: sale)
            look.add(try await stock.returns(of: look.sales.map(\.id)))
        } else {
            for line in move.lines {
                try await addNewestSales(
                    of: line.count, look.record(for: line.code, isSale: false).record.sku, to: &look)
            }
        }
        return look
    }

    /// Reads the newest sales of a record, until enough copies of them are not back yet.
    private func addNewestSales(of count: Int, _ sku: SKU, to look: inout StockSnapshot) async throws {
        var (sales, open) = ([Movement](), count)
        var read = look
        // Those of an earlier record with the SKU are no sales of this one. A barcode stands for another SKU.
        let isKnown = look.found.keys.contains(sku)
        let deletions = isKnown ? look.deletions : try await stock.deletions(of: [sku])
        let filter = MovementFilter(
            sku: sku, kinds: [.sale], times: 0..<Int64.max, isLatestFirst: true, pageSize: MovementFilter.idLimit)
        try await stock.eachMovementPage(filter) { page in
            if let error = page.unreadable.first { throw InventoryError.unreadableMovement(error) }
            let found = page.items.filter { $0.undoes == nil && !deletions.wasDeleted(after: $0) }
            sales += found
            read.add(try await stock.returns(of: found.map(\.id)))
            for sale in found where open > 0 { open -= max(0, sale.copiesLeft(after: read.returns)) }
            return open > 0
        }
        // The other lines of a sale in parts, and what came back of them.
        let known = Set(look.sales.map(\.id))
        for command in Set(sales.filter { $0.payments != nil }.compactMap(\.command)) {
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

extension CopyMove {
    /// Whether a kind of payment may be cash, which is rounded, or one that the shop has added.
    fileprivate var needsSettings: Bool {
        let kinds = firstPayments.map(\.kind) + [payment].compactMap(\.self)
        return kind == .return || kinds.contains { PaymentKinds.mustBeRead(for: $0) }
    }
}

extension PaymentKinds {
    /// Returns whether a kind may be cash, or one that the shop has added.
    static func mustBeRead(for kind: String) -> Bool {
        [nil, PaymentKinds.cash].contains(try? PaymentKinds().kind(kind))
    }

    /// Returns the kind of a name on the command line.
    func checked(_ name: String) throws(UsageError) -> String { try name.parsed(as: "the payment", kind) }
}

extension CommandUsage.Operands {
    /// One record, where a person may expect that several can be given, as to `sell`.
    static let onlyOne = CommandUsage.Operands("SKU", .sku, advice: "; only sell takes several")
}
