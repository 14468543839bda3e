/// Takes back the movements of a command, or one movement.
struct UndoCommand: Command {
    /// The id of the command or movement, or `nil` for the last command of the till.
    let id: String?
    var reason: String?

    static let usage = CommandUsage(
        name: "undo", operands: CommandUsage.Operands("[ID]", .id, count: 0...1),
        summary: "take back the last command, or another one",
        explanation: """
            Takes back a command or a movement by its id. A sale, a return, a trade-in, a voucher or a reservation is
            taken back as a whole or not at all. Anything else is taken back record by record: edits and imports by
            field, to the old values that the history keeps. A field that was changed since stays, and is named. Copies
            go by their difference, so that sales in between hold. A deleted record comes back as it was, unless its SKU
            is in use again. A record that was added or imported is removed, unless it was sold or reserved since. If
            anything is left, the exit code is 7; the same undo goes on if it was interrupted.

            Without an ID, finds the last command of this till within two days, shows it and asks: only at a terminal.
            Tills with the same name share what they find, so give two tills on one machine two names with --till. If
            that command cannot be taken back, names it and does nothing; then the exit code is 5. Each is taken back
            once, and an undo of fields can itself be undone. The history keeps both.
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
            // What is taken back record by record reads them itself.
            let isWhole = last.contains(where: \.isWhole)
            let look =
                isWhole
                ? try await asking.stock.look(skus: last.skus, undoing: last.map(\.id), deletions: true)
                : try await asking.stock.look(skus: Array(last.skus.prefix(3)))
            if !context.isDryRun {
                try check(last, first)
                guard try context.console.confirm(question(last, first, look)) == true else {
                    context.console.note("Nothing was taken back.")
                    return .failed
                }
            }
            if isWhole { seen = look }
        } catch InventoryError.alreadyMade {
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
        var exitCode = ExitCode.done
        _ = try await context.once(identity) { context in
            var originals = originals ?? []
            if originals.isEmpty { originals = try await context.look(naming: id).named }
            guard let first = originals.first else {
                throw CommandFailure(
                    .notFound,
                    "there is no movement and no command \(id); `history` lists them. Settings, floats, closes and moves of "
                        + "the drawer are not taken back")
            }
            originals.removeAll { $0.kind == .void }
            try check(originals, first)
            guard originals.contains(where: \.isWhole) else {
                exitCode = try await takeBackEach(originals, id, context)
                return
            }
            let undone = try await takeBack(originals.filter { $0.kind != .edit }, seen, context)
            if !undone.left.isEmpty { exitCode = .partlyDone }
            try context.report(undone.sentences.joined(separator: "\n")) {
                guard printsRecords, context.printsChanges else { return }
                try context.print(undone.records)
            }
            for field in undone.left { context.console.complain("\(field); left as it is") }
        }
        return exitCode
    }

    /// Throws if the movements cannot be taken back, before any is.
    private func check(_ originals: [Movement], _ first: Movement) throws(CommandFailure) {
        let movements = originals.filter { $0.kind != .void }
        let id = (first.command ?? first.id).printable
        if movements.isEmpty {
            throw CommandFailure(.conflict, "\(id) cannot be taken back: it was not made, since its request was lost")
        }
        guard movements.contains(where: \.isWhole) else { return try UndoEach.check(movements) }
        if movements.contains(where: { $0.command?.hasPrefix("undo-") == true || $0.undoes != nil && $0.kind == .sale })
        {
            throw CommandFailure(.conflict, "\(id) takes back something itself; make the sale again instead")
        }
    }

    /// Takes back what was done record by record.
    private func takeBackEach(
        _ originals: [Movement], _ id: String, _ context: CommandContext
    ) async throws -> ExitCode {
        let outcome = try await UndoEach(context: context, originals: originals).run()
        if outcome.sentences.isEmpty, outcome.left.isEmpty {
            try await context.reportMade(Self.command(for: id), CommandIdentity(id: Self.command(for: id)))
            return .done
        }
        let count = outcome.sentences.count
        var sentences = count <= 20 ? outcome.sentences : ["Undone: \(id), with \(count.counted("record"))."]
        if outcome.earlier > 0 {
            sentences.append(
                "\(outcome.earlier.counted("record")) \(outcome.earlier == 1 ? "was" : "were") taken back before.")
        }
        if sentences.isEmpty { sentences = ["Nothing was taken back."] }
        try context.report(sentences.joined(separator: "\n")) {
            guard context.printsChanges else { return }
            if context.printsJSON { try context.print(outcome.json) } else { try context.print(outcome.records) }
        }
        for (sku, reason) in outcome.left { context.console.complain("\(sku.text): \(reason); left as it is") }
        return outcome.left.isEmpty ? .done : .partlyDone
    }

    private func takeBack(
        _ originals: [Movement], _ seen: StockSnapshot?, _ context: CommandContext
    ) async throws -> (records: [Record], sentences: [String], left: [String]) {
        let source = context.stock.source
        let skus = originals.skus
        let movements = originals.enumerated().map { index, original in source.reverse(original, index + 1) }
        var left: [SKU: [String]] = [:]
        let made = try await context.stock.change(seen: seen) {
            try await context.stock.look(skus: skus, undoing: originals.map(\.id), deletions: true)
        } plan: { look in
            if let gone = originals.first(where: look.deletions.wasDeleted) {
                throw CommandFailure(
                    .conflict,
                    "\(gone.sku.text) was deleted since, so nothing was changed; `undo` its deletion first, or give the "
                        + "money back with `return \(gone.sku.text) --sale \(gone.command ?? gone.id)`")
            }
            if let earlier = look.returns.first, let id = earlier.undoes {
                throw CommandFailure(
                    .conflict,
                    "\(id) was taken back already, in part or as a whole, by \(earlier.id.printable); nothing was changed"
                )
            }
            let changes = try skus.map { sku in
                let stored = try look.record(for: sku, isSale: false)
                var own = movements.filter { $0.sku == sku }
                var record = try stored.record.moved(
                    by: own.filter(\.kind.changesStock).reduce(0) { $0 + $1.quantity })
                left[sku] = []
                for (index, movement) in own.enumerated() {
                    record.reserve(by: movement)
                    // The copies went with those of the others.
                    guard var fields = originals.first(where: { $0.id == movement.undoes }), fields.changes != nil
                    else {
                        continue
                    }
                    fields.quantity = 0
                    let undo = try FieldUndo(fields, of: record)
                    record = undo.record
                    own[index].changes = undo.taken
                    left[sku]? += undo.left
                }
                return RecordChange.change(stored, to: record, own)
            }
            return changes.entering(movements.filter { $0.sku == .none }, after: look.returns)
        }
        let records = made.changes.map(\.record).filter { $0.sku != .none }
        for record in records {
            context.reportReserved(record, before: try made.look.record(record.sku).record)
        }
        let sentences = movements.compactMap { movement -> String? in
            if movement.sku == .none {
                return "Undone: \(movement.undoes ?? ""), \(Record(soldBy: movement).title.printable)."
            }
            guard let record = records.first(where: { $0.sku == movement.sku }) else { return nil }
            return switch movement.kind {
            case .release: "Released \(-movement.quantity) of \(record.sku.text)."
            case .reservation:
                "Reserved \(movement.quantity) of \(record.sku.text) for \(movement.reservation?.name.printable ?? "") again."
            default: "Undone: \(movement.undoes ?? ""). \(record.sku.text) has \(record.quantity) in stock."
            }
        }
        let money = movements.filter { $0.price != nil && $0.kind != .restock }
        let amounts = try money.total().map { total in
            let own = money.filter { $0.price?.currency == total.currency }
            return Money(amount: own.compactMap(\.rounding).reduce(total.amount, &+), currency: total.currency)
        }
        let kind = money.compactMap(\.payment).isEmpty ? "" : ", \(money.givenBackText)"
        let due = amounts.dueToCustomer
        let given =
            amounts.isEmpty ? [] : ["\(due == nil ? "From" : "To") the customer: \((due ?? amounts).text)\(kind)."]
        let kept = skus.flatMap { sku in (left[sku] ?? []).map { "\(sku.text): \($0)" } }
        return (records, sentences + given, kept)
    }

    /// Returns the movements of the till's last command of the last two days. Goes back no further if that one cannot
    /// be taken back: an earlier one may be another customer's.
    private func lastMovements(_ stock: Stock) async throws -> [Movement] {
        let now = stock.source.now().milliseconds
        var last: Movement?
        // The store's index of times has openings apart, since an import makes one for each row.
        for kinds in [Movement.Kind.allCases.filter { $0 != .opening && $0 != .void }, [.opening]] {
            let filter = MovementFilter(
                till: stock.source.till, kinds: kinds, times: (now - 172_800_000)..<Int64.max, isLatestFirst: true,
                pageSize: 1)
            try await stock.eachMovementPage(filter) { page in
                if let error = page.unreadable.first { throw InventoryError.unreadableMovement(error) }
                guard let found = page.items.first else { return true }
                if found.time.milliseconds > last?.time.milliseconds ?? .min { last = found }
                return false
            }
        }
        guard let last else { return [] }
        guard let command = last.command else { return [last] }
        return try await stock.movements(MovementFilter(command: command))
    }

    /// Returns the question whether to take these movements back: what was moved, for how much, when and by which till.
    private func question(_ movements: [Movement], _ first: Movement, _ look: StockSnapshot) -> String {
        let shown = movements.filter { $0.kind != .void && ($0.kind != .edit || !movements.contains(where: \.isWhole)) }
        let id = first.command ?? first.id
        if shown.count > 3 {
            let kinds = Dictionary(
                shown.map { ($0.kind == .opening ? "addition" : $0.kind.title, 1) }, uniquingKeysWith: +
            ).sorted { $0.key < $1.key }
            let lines = kinds.map { "\($0.key) of \($0.value.counted("record"))" }.joined(separator: "; ")
            return "Till \(first.till), \(first.time.minuteText): \(lines). Take back \(id)?"
        }
        let lines = shown.map { movement in
            let record = try? look.record(movement.sku).record
            let name = movement.sku == .none ? Record(soldBy: movement).name : movement.sku.text
            let title = record.map { ", \($0.artist): \($0.title)" } ?? ""
            let price = movement.paid.map { ", \($0.text)" } ?? ""
            let changes = movement.kind == .deletion ? "" : movement.changesText.map { ", \($0)" } ?? ""
            if movement.kind == .edit { return "edit of \(movement.sku.text)\(title)\(changes)" }
            let kind = movement.kind == .opening ? "addition" : movement.kind.title
            return "\(kind) of \(Int(movement.quantity.magnitude).counted("copy", "copies")) of "
                + "\(name)\(title)\(price)\(changes)"
        }
        return "Till \(first.till), \(first.time.minuteText): \(lines.joined(separator: "; ")). Take back \(id)?"
    }
}

extension UndoCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        id = try arguments.operands.first.map(ArgumentScanner.id)
        reason = arguments.value("--reason")
    }
}

extension Movement {
    /// Whether a command with such a movement is taken back as a whole, or not at all.
    fileprivate var isWhole: Bool { [.sale, .return, .tradeIn, .voucher, .reservation, .release].contains(kind) }
}

extension [Movement] {
    /// The SKUs of the records, each once.
    fileprivate var skus: [SKU] {
        reduce(into: []) { skus, movement in
            if movement.sku != .none, !skus.contains(movement.sku) { skus.append(movement.sku) }
        }
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
        movement.item = original.item
        movement.reservation = original.reservation
        movement.undoes = original.id
        return movement
    }
}
