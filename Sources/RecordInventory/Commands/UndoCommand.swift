/// Takes back the movements of a command, or one movement.
struct UndoCommand: Command {
    /// The id of the command or movement, or `nil` for the last command of the till.
    let id: String?
    var reason: String?

    static let usage = CommandUsage(
        name: "undo", operands: CommandUsage.Operands("[ID]", .id, count: 0...1),
        summary: "take back the last sale, or another command",
        explanation: """
            Takes back a command or a movement by its id. Without an ID, finds the last command of this till within two
            days, shows it and asks: only at a terminal. Tills with the same name share what they find, so give two tills
            on one machine two names with --till. New records that were added or imported since then stay. If that
            command cannot be taken back, as an edit, names it and does nothing; then the exit code is 5. Each is taken
            back once. The history keeps both.
            """,
        options: [.reason, .dryRun, .recordFields], examples: ["undo", "undo 261123-K7M29QXWR4TZ2ABC"])

    func run(in context: CommandContext) async throws -> ExitCode {
        if let id { return try await undo(id, in: context) }
        guard context.console.canAsk || context.isDryRun else {
            throw UsageError(
                "undo without an ID asks only at a terminal; give the ID of what to take back, which `history` lists",
                command: Self.usage.name)
        }
        let last = try await lastMovements(context.stock)
        guard let first = last.first else {
            throw CommandFailure(
                .notFound,
                "the till \(context.stock.source.till) has made nothing that can be taken back; `history` lists what others did"
            )
        }
        let id = first.command ?? first.id
        var asking = context
        asking.stock.source.command = Self.command(for: id)
        // What was seen before the question serves the change too.
        var seen: StockSnapshot?
        do {
            let look = try await asking.stock.look(skus: last.skus, undoing: last.map(\.id))
            if !context.isDryRun {
                try checkReversible(last, first)
                guard try context.console.confirm(question(last, first, look)) == true else {
                    context.console.note("Nothing was taken back.")
                    return .failed
                }
            }
            seen = look
        } catch ChangeError.alreadyMade {
            // It is reported below.
        }
        return try await undo(id, last, seen: seen, in: context)
    }

    /// The id of the command that takes back another.
    private static func command(for id: String) -> String { "undo-" + id }

    /// Takes back what has an id.
    ///
    /// - Parameters:
    ///   - originals: The movements with the id, or `nil` to read them.
    ///   - seen: What was just read of their records.
    ///   - printsRecords: Whether the records are printed too.
    func undo(
        _ id: String, _ originals: [Movement]? = nil, seen: StockSnapshot? = nil, in context: CommandContext,
        printsRecords: Bool = true
    ) async throws -> ExitCode {
        let identity = CommandIdentity(id: Self.command(for: id), reason: reason, advice: "")
        return try await context.once(identity) { context in
            var originals = originals ?? []
            if originals.isEmpty { originals = try await context.look(naming: id).named }
            guard let first = originals.first else {
                throw CommandFailure(
                    .notFound, "there is no movement and no command \(id); `history` lists them")
            }
            try checkReversible(originals, first)
            let undone = try await takeBack(originals.filter { $0.kind != .edit }, seen, context)
            try context.report(undone.sentences.joined(separator: "\n")) {
                guard printsRecords, context.printsChanges else { return }
                try context.print(undone.records)
            }
        }
    }

    private func checkReversible(_ originals: [Movement], _ first: Movement) throws(CommandFailure) {
        let movements = originals.filter { $0.kind != .edit }
        guard !movements.isEmpty, !movements.contains(where: { $0.kind == .opening || $0.kind == .deletion }) else {
            throw CommandFailure(
                .conflict,
                "\((first.command ?? first.id).printable) cannot be taken back: it is \(first.kind.title) of \(first.sku.text)"
            )
        }
        if let undone = movements.first(where: { $0.command?.hasPrefix("undo-") == true }) {
            throw CommandFailure(
                .conflict,
                "\((undone.command ?? undone.id).printable) takes back something itself; make the sale again instead")
        }
    }

    private func takeBack(
        _ originals: [Movement], _ seen: StockSnapshot?, _ context: CommandContext
    ) async throws -> (records: [Record], sentences: [String]) {
        let source = context.stock.source
        let skus = originals.skus
        let movements = originals.enumerated().map { index, original in source.reverse(original, index + 1) }
        let made = try await context.stock.change(seen: seen) {
            try await context.stock.look(skus: skus, undoing: originals.map(\.id))
        } plan: { look in
            if let earlier = look.returns.first, let id = earlier.undoes {
                throw CommandFailure(
                    .conflict,
                    "\(id) was taken back already, in part or as a whole, by \(earlier.id.printable); nothing was changed"
                )
            }
            return try skus.map { sku in
                let stored = try look.record(for: sku, isSale: false)
                let own = movements.filter { $0.sku == sku }
                var record = try stored.record.moved(
                    by: own.filter(\.kind.changesStock).reduce(0) { $0 + $1.quantity })
                for movement in own {
                    record.reserve(by: movement)
                    if movement.kind == .tradeIn { record.cost = movement.cost }
                }
                return .change(stored, to: record, own)
            }
        }
        let records = made.changes.map(\.record)
        for record in records {
            context.reportReserved(record, before: try made.look.record(record.sku).record)
        }
        let sentences = movements.compactMap { movement -> String? in
            guard let record = records.first(where: { $0.sku == movement.sku }) else { return nil }
            return switch movement.kind {
            case .release: "Released \(-movement.quantity) of \(record.sku.text)."
            case .reservation:
                "Reserved \(movement.quantity) of \(record.sku.text) for \(movement.reservation?.name.printable ?? "") again."
            default: "Undone: \(movement.undoes ?? ""). \(record.sku.text) has \(record.quantity) in stock."
            }
        }
        return (records, sentences)
    }

    /// Returns the movements of the till's last command of the last two days. Goes back no further if that one cannot be
    /// taken back: an earlier one may be another customer's.
    private func lastMovements(_ stock: Stock) async throws -> [Movement] {
        let now = stock.source.now().milliseconds
        // The store's index of times has no openings, since an import makes one for each row.
        let filter = MovementFilter(
            till: stock.source.till, kinds: Movement.Kind.allCases.filter { $0 != .opening },
            times: (now - 172_800_000)..<Int64.max, isLatestFirst: true, pageSize: 1)
        var last: Movement?
        try await stock.eachMovementPage(filter) { page in
            if let error = page.unreadable.first { throw InventoryError.unreadableMovement(error) }
            last = page.items.first
            return last == nil
        }
        guard let last else { return [] }
        guard let command = last.command else { return [last] }
        return try await stock.movements(MovementFilter(command: command))
    }

    /// Returns the question whether to take these movements back: what was moved, for how much, when and by which till.
    private func question(_ movements: [Movement], _ first: Movement, _ look: StockSnapshot) -> String {
        let lines = movements.filter { $0.kind != .edit }.map { movement in
            let record = try? look.record(movement.sku).record
            let title = record.map { ", \($0.artist): \($0.title)" } ?? ""
            let price = movement.paid.map { ", \($0.text)" } ?? ""
            return "\(movement.kind.title) of \(Int(movement.quantity.magnitude).counted("copy", "copies")) of "
                + "\(movement.sku.text)\(title)\(price)"
        }
        return "Till \(first.till), \(first.time.minuteText): \(lines.joined(separator: "; ")). Take back "
            + "\(first.command ?? first.id)?"
    }
}

extension UndoCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        id = try arguments.operands.first.map(ArgumentScanner.id)
        reason = arguments.value("--reason")
    }
}

extension [Movement] {
    /// The SKUs of the records, each once.
    fileprivate var skus: [SKU] {
        reduce(into: []) { skus, movement in if !skus.contains(movement.sku) { skus.append(movement.sku) } }
    }
}

extension MovementSource {
    /// Creates the movement that takes another one back.
    fileprivate func reverse(_ original: Movement, _ number: Int) -> Movement {
        let kind: Movement.Kind =
            switch original.kind {
            case .sale: .return
            case .return: .sale
            case .reservation: .release
            case .release: .reservation
            default: original.kind
            }
        var movement = movement(number, of: original.sku, kind, -original.quantity)
        movement.price = original.price
        movement.discount = original.discount
        movement.payment = original.payment
        movement.payments = original.payments?.map { Movement.Payment(kind: $0.kind, amount: 0 &- $0.amount) }
        movement.rounding = original.rounding.map { 0 &- $0 }
        movement.cost = original.cost
        movement.reservation = original.reservation
        movement.undoes = original.id
        return movement
    }
}
