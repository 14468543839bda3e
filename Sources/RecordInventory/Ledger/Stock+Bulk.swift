import RecordKit

/// What a change of one of many records has to know.
struct RecordLook {
    let sku: SKU
    /// The record, or why it cannot be read. `nil` if there is none.
    let found: Result<StoredRecord, UnreadableRecord>?
    /// The movements of the record of the kinds that were asked for, the earliest first, read after the record: a
    /// command without one has not changed this version of the record.
    let history: [Movement]

    var stored: StoredRecord? { try? found?.get() }

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
    ///   - kinds: The kinds of movements that the plan has to know. By default those by which a command that is
    ///     repeated under its id finds what it has made.
    ///   - plan: Returns the change of a record as it was just read, or `nil` to leave it. Runs again if another
    ///     program was faster.
    ///   - made: Receives the records of each batch that were changed. A deleted one is as it was.
    func changeEach(
        _ skus: [SKU], size: Int, kinds: [Movement.Kind]? = nil, _ plan: (RecordLook) async throws -> RecordChange?,
        made: ([StoredRecord]) -> Void
    ) async throws {
        if skus.isEmpty { return }
        if !isDryRun { try await checkLedger() }
        let kinds = kinds ?? (source.isNewCommand || source.command == nil ? [] : Self.bulkKinds)
        for portion in skus.chunks(of: try await max(1, batchLimit() * 2 / size)) {
            var open = Array(portion)
            for _ in 0..<Self.attempts where !open.isEmpty {
                open = try await changed(try await lookEach(open, kinds), plan, made)
            }
            if !open.isEmpty { throw InventoryError.tooManyConflicts }
        }
    }

    /// Returns the change that deletes a record. Its movement takes out its copies.
    func deletion(of stored: StoredRecord, _ source: MovementSource) async throws -> RecordChange {
        let opening = try await findMovement(Movement.openingID(of: stored.record.sku.recordID))
        return .delete(stored.record.sku, stored.version, source.deletion(nil, of: stored), opening: opening)
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

    /// Changes records. Returns those that another program changed at the same moment.
    private func changed(
        _ looks: [RecordLook], _ plan: (RecordLook) async throws -> RecordChange?, _ made: ([StoredRecord]) -> Void
    ) async throws -> [SKU] {
        var changes: [(look: RecordLook, change: RecordChange)] = []
        for look in looks {
            if let change = try await plan(look) { changes.append((look, change)) }
        }
        if isDryRun { made(changes.compactMap { $0.change.result ?? $0.look.stored }) }
        if changes.isEmpty || isDryRun { return [] }
        var again: [SKU] = []
        var done: [StoredRecord] = []
        var failure: InventoryError?
        for (item, result) in zip(changes, try await sendAll(changes.map(\.change))) {
            switch result {
            case .success(let stored): if let stored = stored ?? item.look.stored { done.append(stored) }
            case .failure(.conflict), .failure(.notFound): again.append(item.look.sku)
            case .failure(let error): failure = failure ?? error
            }
        }
        made(done)
        if let failure { throw failure }
        return again
    }
}
