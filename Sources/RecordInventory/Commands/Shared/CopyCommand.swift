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
            let seen = try await context.look(for: move)
            let source = context.stock.source
            let move = try context.naming(move, seen)
            let made = try await context.stock.change(seen: seen) {
                try await context.look(for: move)
            } plan: { look in
                try move.plan(look, source)
            }
            let changes = made.changes.filter { $0.stored != nil }
            let others = made.changes.filter { $0.stored == nil }.flatMap(\.movements)
            let records = changes.map(\.record)
            for change in changes where move.kind == .writeOff { context.reportReserved(change) }
            var sentences = try changes.map { try $0.movements.sentence(about: $0.record) }
            sentences += try others.compactMap { try $0.refundSentence() }
            if let rounding = try made.changes.flatMap(\.movements).roundingSentence() { sentences.append(rounding) }
            try context.report(sentences.joined(separator: "\n")) {
                guard context.printsChanges else { return }
                if records.isEmpty {
                    try context.print(others.map { HistoryLine($0) })
                } else if records.count == 1 {
                    try context.printRecord(records[0])
                } else {
                    try context.print(records)
                }
            }
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
        // The other lines of a sale in parts, or of one that was rounded, and what came back of them.
        let known = Set(look.sales.map(\.id))
        let roundsCash = look.shop.smallestCoin != nil
        let shared = sales.filter { $0.payments != nil || roundsCash && $0.payment == PaymentKinds.cash }
        for command in Set(shared.compactMap(\.command)) {
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
    /// Whether the kind of payment is the shop's usual one, may be cash, which is rounded, or is one that the shop has
    /// added.
    fileprivate var needsSettings: Bool {
        guard let payment else { return kind == .return || takesMoney }
        return (firstPayments.map(\.kind) + [payment]).contains { kind in
            [nil, PaymentKinds.cash].contains(try? PaymentKinds().kind(kind))
        }
    }

    /// Whether money is moved in a kind that a person names.
    fileprivate var takesMoney: Bool { [.sale, .tradeIn, .voucher].contains(kind) }
}

extension CommandContext {
    /// Returns the move with a kind of payment that the shop takes: the one that was typed, or else the usual one.
    ///
    /// - Parameter seen: What was read for the move. If it cannot be made, nothing is asked.
    func naming(_ move: CopyMove, _ seen: StockSnapshot) throws -> CopyMove {
        let shop = seen.shop
        var move = try move.checkingPayment(shop)
        guard move.payment == nil, move.takesMoney else { return move }
        if shop.usualPayment == nil { _ = try move.plan(seen, stock.source) }
        move.payment = try usualPayment(shop, "--payment")
        return move
    }

    /// Returns the kind of payment where none was named: the shop's usual one, or what a person types. `nil` without a
    /// terminal.
    func usualPayment(_ shop: ShopSettings, _ way: String) throws -> String? {
        if let usual = shop.usualPayment { return usual }
        let names = shop.kinds.all.joined(separator: ", ")
        guard let typed = try console.ask("Paid with (\(names)): ") else {
            console.note(
                "No kind of payment was named, so no close counts it as cash: name it with \(way), or the usual one with "
                    + "`payments --default cash`.")
            return nil
        }
        return try shop.kinds.checked(typed)
    }
}

extension CommandUsage.Operands {
    /// One record, where a person may expect that several can be given, as to `sell`.
    static let onlyOne = CommandUsage.Operands("SKU", .sku, advice: "; only sell takes several")
}
