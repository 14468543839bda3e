/// What a change of one of many records needs.
struct RecordLook {
    let sku: SKU
    /// The record, or why it cannot be read. `nil` if there is none.
    let found: Result<StoredRecord, Unreadable>?
    /// The movements of the record of the kinds that were asked for, the earliest first, read after the record: a
    /// command without one has not changed this version of the record.
    let history: [Movement]

    var stored: StoredRecord? { try? found?.get() }

    /// Returns the record as a movement left it, by the old values of what came later. `nil` if that record was
    /// deleted.
    func record(after movement: Movement) -> Record? {
        guard var record = stored?.record, movement.order > start else { return nil }
        let isOpening = movement.kind == .opening
        let later = history.filter { $0.order > (isOpening ? start : movement.order) && $0.kind != .opening }
        for change in later.sorted(by: { $0.order > $1.order }) {
            record = FieldUndo(change.changes ?? [], of: record, onto: record).record
        }
        if isOpening { record.quantity = movement.quantity }
        return record
    }

    /// The order of the deletion before the record, or 0.
    private var start: Int64 { history.filter { $0.kind == .deletion }.map(\.order).max() ?? 0 }

    /// Whether a command has changed the record.
    func isMade(by command: String?) -> Bool {
        command != nil && history.contains { $0.command == command && $0.kind != .void }
    }
}

// Changes of records that have nothing to do with each other, in batches.
extension Stock {
    /// The kinds of movements of commands that change many records.
    static let bulkKinds: [Movement.Kind] = [
        .opening, .edit, .correction, .deletion, .restock, .count, .writeOff,
    ]

    /// Changes records in batches. Each record is changed for itself: a batch that ends early leaves the others as they
    /// are. In a dry run, sends nothing.
    ///
    /// - Parameters:
    ///   - skus: The records, each once.
    ///   - size: The number of requests that a change takes, with its movements.
    ///   - kinds: The kinds of movements that the plan needs. By default those by which a command that is
    ///     repeated under its id finds what it has made.
    ///   - plan: Returns the change of a record as it was just read, or `nil` to leave it. Runs again if another
    ///     program was faster.
    ///   - refused: Receives why a record was not changed. By default throws that, after the others of the batch.
    ///   - made: Receives the changes of each batch that were made.
    func changeEach(
        _ skus: [SKU], size: Int, kinds: [Movement.Kind]? = nil,
        _ plan: (RecordLook) async throws -> RecordChange?,
        refused: (SKU, InventoryError) throws -> Void = { throw $1 }, made: ([MadeChange]) -> Void
    ) async throws {
        if skus.isEmpty { return }
        let kinds = kinds ?? (source.isNewCommand || source.command == nil ? [] : Self.bulkKinds)
        var writing = EachWriting()
        // Few are not worth a question.
        let isSmall = skus.count * size < ServerSettings.usualBatchLimit
        let limit = isDryRun || isSmall ? 1_000 : try await max(1, batchLimit() * 2 / size)
        for portion in skus.chunks(of: limit) {
            var open = Array(portion)
            for _ in 0..<Self.attempts where !open.isEmpty {
                var changes: [RecordChange] = []
                var released: [SKU] = []
                // A refusal usually contains the current record.
                let known = open.compactMap { kinds.isEmpty ? writing.known.removeValue(forKey: $0) : nil }
                let unknown = open.filter { sku in !known.contains { $0.record.sku == sku } }
                let looks = known.map { RecordLook(sku: $0.record.sku, found: .success($0), history: []) }
                for look in try await looks + lookEach(unknown, kinds) {
                    guard let change = try await plan(look) else { continue }
                    // Another program may have taken the version that the movement needs, and gone.
                    if let stored = change.stored, writing.superseded[look.sku] == stored.version,
                        try await release([stored])
                    {
                        released.append(look.sku)
                    } else {
                        changes.append(change)
                    }
                }
                open = try await released + write(changes, &writing, refused, made)
            }
            for sku in open { try refused(sku, .tooManyConflicts) }
        }
    }

    /// What ``changeEach(_:size:kinds:_:refused:made:)`` knows of its batches before.
    private struct EachWriting {
        /// Whether the ledger was checked, and whether the account may write the lock.
        var isChecked = false, hasLock = false
        var hasMadeShop = false
        /// The records of the latest refusals.
        var known: [SKU: StoredRecord] = [:]
        /// The versions of the records whose change was taken back along with another one.
        var superseded: [SKU: Version] = [:]
    }

    /// Sends changes. Returns the records of those to be planned again.
    private func write(
        _ changes: [RecordChange], _ writing: inout EachWriting, _ refused: (SKU, InventoryError) throws -> Void,
        _ made: ([MadeChange]) -> Void
    ) async throws -> [SKU] {
        if isDryRun, !changes.isEmpty { made(changes.map { MadeChange($0, nil) }) }
        if changes.isEmpty || isDryRun { return [] }
        let needsLock = changes.contains(where: \.needsLock)
        // While the ledger is being created, it is not complete.
        if isLedgerComplete, !writing.isChecked || needsLock && !writing.hasLock {
            try await checkLedger(needsLock: needsLock)
            (writing.isChecked, writing.hasLock) = (true, needsLock)
        }
        var (again, done, failed) = ([SKU](), [MadeChange](), [(SKU, InventoryError)]())
        // Proxies often refuse more than a megabyte.
        for portion in changes.chunks(of: 1_000_000, own: \.textSize) {
            for (change, result) in zip(portion, try await send(Array(portion))) {
                switch result {
                case .success(let stored): done.append(MadeChange(change, stored))
                case .failure(.superseded):
                    writing.superseded[change.sku] = change.before
                    again.append(change.sku)
                case .failure(.conflict(let current)):
                    if let current, current.record.sku == change.sku { writing.known[change.sku] = current }
                    again.append(change.sku)
                case .failure(.notFound): again.append(change.sku)
                case .failure(let error): failed.append((change.sku, error))
                }
            }
        }
        if !done.isEmpty { made(done) }
        // If only some were refused, the shop exists: the account may not change these.
        if !writing.hasMadeShop, failed.count == changes.count, failed.allSatisfy({ $0.1.isNoShop }) {
            try await makeShop()
            writing.hasMadeShop = true
            return failed.map(\.0)
        }
        for (sku, error) in failed { try refused(sku, error.isNoShop ? .notAllowed : error) }
        return again
    }

    /// Returns the change that deletes a record. Its movement takes out its copies.
    func deletion(of stored: StoredRecord, _ source: MovementSource) async throws -> RecordChange {
        let opening = try await findMovement(Movement.openingID(of: stored.record.sku.recordID))
        return .delete(stored, stored.record.sku, stored.version, source.deletion(nil, of: stored), opening: opening)
    }

    /// Reads records, and then their movements of some kinds.
    func lookEach(_ skus: [SKU], _ kinds: [Movement.Kind]) async throws -> [RecordLook] {
        let found = try await stored(skus)
        var history: [SKU: [Movement]] = [:]
        for texts in kinds.isEmpty ? [] : Self.portions(skus.map(\.text)) {
            let filter = MovementFilter(oneOfSKUs: try texts.map { try SKU($0) }, kinds: kinds)
            for movement in try await movements(filter) { history[movement.sku, default: []].append(movement) }
        }
        return skus.map { RecordLook(sku: $0, found: found[$0.recordID], history: history[$0] ?? []) }
    }
}
