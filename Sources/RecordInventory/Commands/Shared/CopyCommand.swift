/// A command that moves copies of records in or out, as it is typed.
protocol CopyCommand: Command {
    static var kind: Movement.Kind { get }
    var move: CopyMove { get }

    init(move: CopyMove)
    /// Returns the move with what only the shop tells. The default is the move.
    func completed(in context: CommandContext) async throws -> CopyMove
    /// Reads what a move needs. The default reads its records.
    func look(for move: CopyMove, in context: CommandContext) async throws -> StockSnapshot
}

extension CopyCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        self.init(move: try CopyMove(Self.kind, arguments))
    }

    func completed(in context: CommandContext) -> CopyMove { move }

    func look(for move: CopyMove, in context: CommandContext) async throws -> StockSnapshot {
        try await context.look(at: move.codes, settings: move.needsSettings)
    }

    /// Looks, plans and sends: all lines or none.
    func run(in context: CommandContext) async throws -> ExitCode {
        let typed = try await completed(in: context)
        return try await context.once(typed.identity) { context in
            let seen = try await look(for: typed, in: context)
            let source = context.stock.source
            let move = try context.naming(typed, seen)
            let made = try await context.stock.change(seen: seen) {
                try await look(for: move, in: context)
            } plan: { look in
                try move.plan(look, source)
            }
            let changes = made.changes.filter { $0.stored != nil }
            let others = made.changes.filter { $0.stored == nil }.flatMap(\.movements)
            changes.forEach(context.reporter.reportReserved)
            var sentences = try changes.map { try $0.movements.sentence(about: $0.record) }
            sentences += try others.compactMap { try $0.sentence() }
            if let rounding = made.changes.flatMap(\.movements).roundingSentence { sentences.append(rounding) }
            // Without a record, only this names the command.
            try context.reporter.report(
                sentences.joined(separator: "\n"), undo: changes.isEmpty ? source.command : nil
            ) {
                guard context.reporter.printsChanges else { return }
                if changes.isEmpty {
                    try context.reporter.print(others.map { HistoryLine(movement: $0) })
                } else if changes.count == 1 {
                    try context.reporter.print(changes[0].record)
                } else {
                    try context.reporter.print(changes.map(\.record))
                }
            }
        }
    }
}

extension CopyMove {
    /// Whether the kind of payment is the shop's usual one, may be cash, which is rounded, or is one that the shop has
    /// added.
    var needsSettings: Bool {
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
        var move = move
        move.payment = try move.payment.map { try shop.kinds.checked($0) }
        for index in move.firstPayments.indices {
            move.firstPayments[index].kind = try shop.kinds.checked(move.firstPayments[index].kind)
        }
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
                "No kind of payment was named, so no close counts it as cash: name it with \(way), or the usual one "
                    + "with `payments --default cash`.")
            return nil
        }
        return try shop.kinds.checked(typed)
    }
}

extension CommandUsage.Operands {
    /// One record, where a person may expect that several can be given, as to `sell`.
    static let onlyOne = CommandUsage.Operands("SKU", .sku, advice: "; only sell takes several")
}
