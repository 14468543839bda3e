import RecordKitJSON

/// Takes back a command that changed each of its records for itself: an edit, an import, an addition, a deletion, a
/// count, a restock or a write-off. A record that cannot be taken back is left and named.
///
/// The id of each movement follows from the one that it takes back. So a second run finds what a first one has done
/// before it was killed, and does the rest.
struct UndoEach {
    let context: CommandContext
    /// What is taken back, without notes of lost requests.
    let originals: [Movement]

    private var stock: Stock { context.stock }

    /// What was done to the records.
    struct Outcome {
        var records: [Record] = []
        var sentences: [String] = []
        var left: [(sku: SKU, reason: String)] = []
        /// The number of movements that were taken back before.
        var earlier = 0

        var json: JSONValue {
            [
                "undone": .array(records.map(\.printedJSON)), "undone_before": JSONValue(earlier),
                "left": .array(left.map { ["sku": .string($0.sku.text), "reason": .string($0.reason)] }),
            ]
        }
    }

    /// Throws if one of the movements lacks the old values. Another program may have written it, or `doctor`.
    static func check(_ originals: [Movement]) throws(CommandFailure) {
        let kinds: [Movement.Kind] = [.edit, .correction, .deletion, .opening]
        guard let unknown = originals.first(where: { kinds.contains($0.kind) && $0.changes == nil }) else { return }
        throw CommandFailure(
            .conflict,
            "\((unknown.command ?? unknown.id).printable) cannot be taken back: the \(unknown.kind.title) of "
                + "\(unknown.sku.text) has no old values, as one of doctor or of another program; nothing was changed")
    }

    func run() async throws -> Outcome {
        var outcome = Outcome()
        // The latest first, in waves that have each record once.
        var open = Array(originals.reversed())
        while !open.isEmpty {
            var wave: [SKU: Movement] = [:]
            var rest: [Movement] = []
            for original in open {
                if wave[original.sku] == nil { wave[original.sku] = original } else { rest.append(original) }
            }
            try await takeBack(wave, &outcome)
            open = rest
        }
        return outcome
    }

    private func takeBack(_ wave: [SKU: Movement], _ outcome: inout Outcome) async throws {
        var kinds = Stock.bulkKinds
        let hasOpenings = wave.values.contains { $0.kind == .opening }
        if hasOpenings { kinds += [.sale, .tradeIn, .reservation] }
        var plans: [SKU: Plan] = [:]
        let progress = ProgressBar("Undoing", total: wave.count, on: context.console)
        defer { progress.finish() }
        var count = 0
        try await stock.changeEach(wave.keys.sorted(), size: hasOpenings ? 4 : 2, kinds: kinds) { look in
            guard let original = wave[look.sku] else { return nil }
            let plan = try plan(original, look)
            plans[look.sku] = plan
            return plan.change
        } made: { _ in
            count = plans.count
            progress.update(count)
        }
        for sku in wave.keys.sorted() {
            guard let plan = plans[sku] else { continue }
            outcome.left += plan.left.map { (sku, $0) }
            if plan.isEarlier { outcome.earlier += 1 }
            guard let change = plan.change else { continue }
            let record = change.result?.record ?? plan.record
            if let record { outcome.records.append(record) }
            if let record, let before = plan.before { context.reportReserved(record, before: before) }
            outcome.sentences.append(plan.sentence)
        }
    }

    /// What happens to a record.
    private struct Plan {
        var change: RecordChange?
        var before: Record?
        var record: Record?
        var sentence = ""
        var left: [String] = []
        /// Whether the movement was taken back before.
        var isEarlier = false
    }

    private func plan(_ original: Movement, _ look: RecordLook) throws -> Plan {
        if look.history.contains(where: { $0.undoes == original.id }) { return Plan(isEarlier: true) }
        switch (original.kind, look.found) {
        case (_, .failure(let error)?): return Plan(left: [error.description])
        case (.deletion, nil): return try restored(original)
        case (.deletion, _): return Plan(left: ["its SKU is in use again"])
        case (_, nil): return Plan(left: ["it was deleted since"])
        case (_, .success?) where look.wasDeleted(after: original):
            return Plan(left: ["it was deleted since, and its SKU is in use again"])
        case (.opening, .success(let stored)?): return removed(stored, original, look)
        case (_, .success(let stored)?): return changed(stored, original)
        }
    }

    /// Puts a deleted record back, as it was.
    private func restored(_ original: Movement) throws -> Plan {
        let members = (original.changes ?? []).map { JSONObject.Member(name: $0.field, value: $0.from) }
        guard let record = original.deletedRecord else { return Plan(left: ["its old values cannot be read"]) }
        guard record.sku == original.sku, record.quantity == 0 &- original.quantity else {
            return Plan(left: ["its old values are not those of the movement"])
        }
        var opening = stock.source.opening(of: record, isAdded: true)
        opening.undoes = original.id
        return Plan(
            change: .create(record, opening, members: members), record: record,
            sentence:
                "Undone: \(original.id). \(record.sku.text) is back, with \(record.quantity.counted("copy", "copies"))."
        )
    }

    /// Removes a record that was added.
    private func removed(_ stored: StoredRecord, _ original: Movement, _ look: RecordLook) -> Plan {
        let isMoved = look.history.contains { movement in
            let isTrade = [.sale, .tradeIn, .reservation].contains(movement.kind)
            return isTrade && movement.time.milliseconds >= original.time.milliseconds
        }
        if isMoved || original.undoes == nil && !stored.record.reservations.isEmpty {
            return Plan(left: ["it was sold, bought or reserved since"])
        }
        if stored.record.quantity != original.quantity { return Plan(left: ["its copies were changed since"]) }
        var movement = stock.source.deletion(nil, of: stored)
        movement.id = original.undoID
        // The deletion gives the opening this id.
        movement.undoes = Movement.id(of: original, renamedAt: stored.version)
        let change = RecordChange.delete(stored, stored.record.sku, stored.version, movement, opening: original)
        return Plan(
            change: change, record: stored.record,
            sentence: "Undone: \(original.id). \(stored.record.sku.text) is removed.")
    }

    /// Takes back fields and copies.
    private func changed(_ stored: StoredRecord, _ original: Movement) -> Plan {
        let undo: FieldUndo
        do {
            undo = try FieldUndo(original, of: stored.record)
        } catch {
            return Plan(left: ["\(error)"])
        }
        var movement = stock.source.movement(of: original.sku, original.kind, 0 &- original.quantity)
        if !original.kind.changesStock || original.quantity == 0 { movement.kind = .edit }
        movement.id = original.undoID
        movement.undoes = original.id
        movement.changes = undo.taken
        var plan = Plan(before: stored.record, left: undo.left)
        guard movement.quantity != 0 || !undo.taken.isEmpty else {
            // Without a change, what is as it was counts as done.
            plan.isEarlier = undo.left.isEmpty
            return plan
        }
        plan.change = .change(stored, to: undo.record, [movement])
        let fields = undo.taken.map(\.text).joined(separator: "; ")
        let copies = movement.quantity == 0 ? "" : " \(original.sku.text) has \(undo.record.quantity) in stock."
        plan.sentence = "Undone: \(original.id)." + (fields.isEmpty ? "" : " \(original.sku.text): \(fields).") + copies
        return plan
    }
}

extension RecordLook {
    /// Whether the record was deleted after a movement, and is another one with the same SKU now.
    func wasDeleted(after movement: Movement) -> Bool { history.wasDeleted(after: movement) }
}

extension [Movement] {
    /// Whether a record was deleted after a movement, and the deletion was not taken back.
    func wasDeleted(after movement: Movement) -> Bool {
        let lifted = Set(compactMap { $0.kind == .opening ? $0.undoes : nil })
        return contains { deletion in
            deletion.sku == movement.sku && deletion.kind == .deletion && !lifted.contains(deletion.id)
                && deletion.time.milliseconds >= movement.time.milliseconds
        }
    }
}
