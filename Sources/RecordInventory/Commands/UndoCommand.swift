import RecordKitJSON

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
            anything is left, the exit code is 7. Typed again, the same undo goes on: if it was interrupted, or if what
            was left has the command's values again.

            Without an ID, finds the last command of this till within two days, shows it and asks: only at a terminal.
            It passes over undos, and over what they took back: so a second undo goes one further back. Tills with the
            same name share what they find, so give two tills on one machine two names with --till. If that command
            cannot be taken back, names it and does nothing; then the exit code is 5. Each is taken back once, and an
            undo of fields can itself be undone. The history keeps both.
            """,
        options: [.reason, .dryRun, .recordFields], examples: ["undo", "undo 261123-K7M29QXWR4TZ2ABC"])

    func run(in context: CommandContext) async throws -> ExitCode {
        if let id { return try await undo(id, in: context) }
        guard context.console.canAsk || context.isDryRun else {
            throw UsageError(
                "undo without an ID asks only at a terminal; give the ID of what to take back, which `history` lists")
        }
        guard let last = try await lastCommand(context.stock) else {
            throw CommandFailure(
                .notFound,
                "the till \(context.stock.source.till) has made nothing that can be taken back; "
                    + "`history` lists what others did"
            )
        }
        // What was seen before the question serves the change too. What is taken back record by record reads it itself.
        let look =
            last.isWhole
            ? try await context.stock.look(skus: last.skus, undoing: last.movements.map(\.id))
            : try await context.stock.look(skus: Array(last.skus.prefix(3)))
        if !context.isDryRun {
            try last.check()
            guard try context.confirm(question(last, look), orNote: "Nothing was taken back.") else { return .failed }
        }
        return try await undo(last.id, last, seen: last.isWhole ? look : nil, in: context)
    }

    /// The id of the command that takes back another.
    private static func command(for id: String) -> String { "undo-" + id }

    /// Takes back what has an id.
    ///
    /// - Parameters:
    ///   - target: What has the id, or `nil` to read it.
    ///   - seen: What was just read of its records.
    ///   - printsRecords: Whether the records are printed too.
    func undo(
        _ id: String, _ target: UndoTarget? = nil, seen: StockSnapshot? = nil, in context: CommandContext,
        printsRecords: Bool = true
    ) async throws -> ExitCode {
        let identity = CommandIdentity(id: Self.command(for: id), reason: reason, advice: "")
        return try await context.once(identity) { context in
            var found = target
            if found == nil { found = try await UndoTarget(id, in: context.stock) }
            guard let target = found else {
                throw CommandFailure(
                    .notFound,
                    "there is no movement and no command \(id); `history` lists them. Settings, floats, closes and "
                        + "moves of the drawer are not taken back")
            }
            try target.check()
            if target.isWhole {
                try await takeBack(target, seen, context, printsRecords: printsRecords)
            } else {
                try await takeBackEach(target, context)
            }
        }
    }

    /// Takes back what was done record by record. A record that cannot be taken back is left and named.
    private func takeBackEach(_ target: UndoTarget, _ context: CommandContext) async throws {
        var kinds = Stock.bulkKinds
        if target.hasOpenings { kinds += [.sale, .tradeIn, .reservation] }
        var sentences: [String] = []
        var left: [(sku: SKU, reason: String)] = []
        var (earlier, planned) = (0, [SKU: RecordUndo]())
        var work = BulkWork(
            "Undoing", of: target.skus.count, in: context, done: "undone", again: "type the same undo again")
        if context.reporter.printsJSON { work.list = "undone" }
        try await work.run { made in
            try await context.stock.changeEach(target.skus, size: target.hasOpenings ? 4 : 2, kinds: kinds) { look in
                let originals = look.history.filter { target.contains($0) && $0.kind != .void }
                if originals.isEmpty { return nil }
                let undo = RecordUndo(originals, look, from: context.stock.source)
                if let change = undo.changes.first {
                    planned[look.sku] = undo
                    return change
                }
                left += (undo.left + [undo.obstacle].compactMap(\.self)).map { (look.sku, $0) }
                if undo.isEarlier { earlier += 1 }
                return nil
            } made: { changes in
                made(changes)
                for change in changes {
                    guard let undo = planned.removeValue(forKey: change.sku) else { continue }
                    left += undo.left.map { (change.sku, $0) }
                    if sentences.count <= 20 { sentences += undo.sentences }
                }
            }
        }
        if work.count == 0, left.isEmpty, earlier > 0 {
            try await context.reportMade(
                Self.command(for: target.id), CommandIdentity(id: Self.command(for: target.id)))
            return
        }
        if work.count > 20 { sentences = ["Undone: \(target.id), with \(work.count.counted("record"))."] }
        if earlier > 0 {
            sentences.append("\(earlier.counted("record")) \(earlier == 1 ? "was" : "were") taken back before.")
        }
        if work.count == 0 {
            sentences.append("Nothing was taken back\(left.isEmpty ? ": all of it is as it was before" : "").")
        }
        left.sort { $0.sku < $1.sku }
        try context.reporter.report(sentences.joined(separator: "\n")) {
            guard context.reporter.printsChanges else { return }
            try work.finish()
            guard context.reporter.printsJSON else { return }
            let rows = left.map { ["sku": .string($0.sku.text), "reason": .string($0.reason)] as JSONValue }
            try context.console.write(
                json: ",\"undone_before\":\(earlier),\"left\":\(JSONValue.array(rows).text())}\n")
        }
        for (sku, reason) in left { context.reporter.complain("\(sku.text): \(reason); left as it is") }
    }

    /// Takes back a sale, or what else is taken back as a whole or not at all.
    private func takeBack(
        _ target: UndoTarget, _ seen: StockSnapshot?, _ context: CommandContext, printsRecords: Bool
    ) async throws {
        let source = context.stock.source
        let originals = target.movements.filter { $0.kind != .edit && $0.kind != .void }
        var undos: [SKU: RecordUndo] = [:]
        let made = try await context.stock.change(seen: seen) {
            try await context.stock.look(skus: target.skus, undoing: originals.map(\.id))
        } plan: { look in
            try target.check(look, in: Self.command(for: target.id))
            var changes: [RecordChange] = []
            var others = originals.filter { $0.sku == .none }.map { source.reverse($0) }
            for sku in target.skus {
                let own = originals.filter { $0.sku == sku }
                if own.isRefund {
                    others += own.map { source.reverse($0) }
                    continue
                }
                let undo = RecordUndo(own, try look.each(sku), from: source)
                if let obstacle = undo.obstacle {
                    throw CommandFailure(.conflict, "nothing was changed: of \(sku.text), \(obstacle)")
                }
                undos[sku] = undo
                changes += undo.changes
            }
            return changes.entering(others, after: look)
        }
        let records = made.changes.filter { $0.stored != nil }.map(\.record)
        made.changes.forEach(context.reporter.reportReserved)
        let done = made.changes.flatMap { change in change.movements.map { (movement: $0, record: change.record) } }
        let movements = originals.compactMap { original in done.first { $0.movement.undoes == original.id } }
        var sentences = movements.map { $0.movement.undoSentence(about: $0.record) }
        if let money = try movements.map(\.movement).givenBackSentence() { sentences.append(money) }
        try context.reporter.report(sentences.joined(separator: "\n")) {
            if printsRecords, context.reporter.printsChanges { try context.reporter.print(records) }
        }
        for sku in target.skus {
            for reason in undos[sku]?.left ?? [] { context.reporter.complain("\(sku.text): \(reason); left as it is") }
        }
    }

    /// Returns the till's last command of the last two days, which is no undo and was not taken back. Goes back no
    /// further if that one cannot be taken back: an earlier one may be another customer's.
    private func lastCommand(_ stock: Stock) async throws -> UndoTarget? {
        let now = stock.source.now().milliseconds
        var last: Movement?
        // The store's index of times has openings apart, since an import makes one for each row.
        for kinds in [Movement.Kind.allCases.filter { $0 != .opening && $0 != .void }, [.opening]] {
            let filter = MovementFilter(
                till: stock.source.till, kinds: kinds, times: (now - 172_800_000)..<Int64.max, isLatestFirst: true,
                pageSize: 20)
            var passed: Set<String> = []
            try await stock.eachMovementPage(filter) { page in
                for movement in try page.allItems() {
                    guard movement.time.milliseconds > last?.time.milliseconds ?? .min else { return false }
                    let command = movement.command ?? movement.id
                    if command.hasPrefix("undo-") || passed.contains(command) { continue }
                    let undos = try await stock.returns(of: [movement.id]).standing
                    guard undos.contains(where: { $0.command?.hasPrefix("undo-") == true }) else {
                        last = movement
                        return false
                    }
                    passed.insert(command)
                }
                return true
            }
        }
        guard let last else { return nil }
        return try await UndoTarget(last.command ?? last.id, in: stock)
    }

    /// Returns the question whether to take these movements back: what was moved, for how much, when and by which till.
    private func question(_ target: UndoTarget, _ look: StockSnapshot) -> String {
        let (id, first) = (target.id, target.movements[0])
        let shown = target.movements.filter { $0.kind != .void && ($0.kind != .edit || !target.isWhole) }
        let many = target.counts.sorted { $0.key < $1.key }.map { "\($0.key) of \($0.value.counted("record"))" }
        let lines =
            shown.count > 3
            ? many
            : shown.map { movement in
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

/// What an id stands for: the movements of a command, or one movement.
struct UndoTarget {
    let id: String
    /// The movements, with notes of lost requests. Of a command that changed more records, the first 2,000.
    private(set) var movements: [Movement] = []
    /// The SKUs of the records, each once.
    private(set) var skus: [SKU] = []
    /// The number of movements of each kind, by their titles.
    private(set) var counts: [String: Int] = [:]
    /// Whether all of it is taken back, or nothing.
    private(set) var isWhole = false
    private(set) var hasOpenings = false
    /// A movement that lacks the old values. Another program may have written it, or `doctor`.
    private var unknown: Movement?

    /// Returns `nil` if nothing has the id.
    init?(_ id: String, in stock: Stock) async throws {
        self.id = id
        try await stock.eachMovementPage(MovementFilter(command: id)) { page in
            for movement in try page.allItems() { add(movement) }
            return true
        }
        if movements.isEmpty, id.isKintoID, let one = try await stock.findMovement(id) { add(one) }
        if movements.isEmpty { return nil }
        movements = movements.inOrder
        skus = Set(skus).sorted()
    }

    private mutating func add(_ movement: Movement) {
        if movements.count < 2_000 { movements.append(movement) }
        if movement.kind == .void { return }
        if movement.sku != .none { skus.append(movement.sku) }
        counts[movement.kind == .opening ? "addition" : movement.kind.title, default: 0] += 1
        if [.sale, .return, .tradeIn, .voucher, .reservation, .release].contains(movement.kind) { isWhole = true }
        if movement.kind == .opening { hasOpenings = true }
        let hasOldValues: [Movement.Kind] = [.edit, .correction, .deletion, .opening]
        if hasOldValues.contains(movement.kind), movement.changes == nil { unknown = unknown ?? movement }
    }

    /// Returns whether a movement belongs to what is taken back.
    func contains(_ movement: Movement) -> Bool { movement.command == id || movement.id == id }

    /// Throws if a command that is taken back as a whole was taken back before, or what it changed was deleted.
    ///
    /// - Parameter command: The command that takes it back.
    fileprivate func check(_ look: StockSnapshot, in command: String) throws {
        for sku in skus where !movements.filter({ $0.sku == sku }).isRefund {
            guard let gone = movements.first(where: { $0.sku == sku && look.deletions.wasDeleted(after: $0) }) else {
                continue
            }
            throw CommandFailure(
                .conflict,
                "\(sku.text) was deleted since, so nothing was changed; `undo` its deletion first, or give the "
                    + "money back with `return \(sku.text) --sale \(gone.command ?? gone.id)`")
        }
        guard let earlier = look.returns.first, let id = earlier.undoes else { return }
        if earlier.command == command { throw InventoryError.alreadyMade(command, isChanged: false) }
        throw CommandFailure(
            .conflict,
            "\(id) was taken back already, in part or as a whole, by \(earlier.id.printable); nothing was changed")
    }

    /// Throws if it cannot be taken back, before any is.
    func check() throws(CommandFailure) {
        func refusal(_ reason: String) -> CommandFailure {
            CommandFailure(.conflict, "\(id.printable) cannot be taken back: \(reason)")
        }
        if counts.isEmpty { throw refusal("it was not made, since its request was lost") }
        if isWhole {
            let isUndo = movements.contains {
                $0.command?.hasPrefix("undo-") == true || $0.undoes != nil && $0.kind == .sale
            }
            guard isUndo else { return }
            throw CommandFailure(.conflict, "\(id.printable) takes back something itself; make the sale again instead")
        }
        guard let unknown else { return }
        throw refusal(
            "the \(unknown.kind.title) of \(unknown.sku.text) has no old values, as one of doctor or of another "
                + "program; nothing was changed")
    }
}

extension [Movement] {
    /// `To the customer: 18.50 EUR (cash).` `nil` if no money changes hands.
    fileprivate func givenBackSentence() throws -> String? {
        let money = filter { $0.price != nil && $0.kind != .restock }
        let amounts = try money.totalPaid()
        if amounts.isEmpty { return nil }
        let kind = money.compactMap(\.payment).isEmpty ? "" : ", \(money.givenBackText)"
        let due = amounts.dueToCustomer
        return "\(due == nil ? "From" : "To") the customer: \((due ?? amounts).text)\(kind)."
    }
}
