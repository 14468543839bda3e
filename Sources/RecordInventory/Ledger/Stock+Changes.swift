import RecordKit

// Changes of one record, or of several at once.
extension Stock {
    func create(_ record: Record) async throws -> StoredRecord {
        guard let stored = try await write([(record, nil)])[0].get() else { throw InventoryError.notFound }
        return stored
    }

    /// Changes a record with `change`. Reads it again and repeats if another program was faster.
    ///
    /// - Parameter seen: The record as just read, which saves an exchange.
    func update(
        _ sku: SKU, seen: StockLook? = nil, _ change: (Record) throws -> Record
    ) async throws -> StoredRecord {
        let source = source.numbered
        return try await self.change([sku], seen: seen) { look in
            let stored = try look.record(sku)
            let new = try change(stored.record)
            let correction = source.correction(1, from: stored.record, to: new)
            return new == stored.record ? [] : [.change(stored, to: new, [correction])]
        }[0]
    }

    /// Looks at records and makes the changes of `plan`, all or none, until no other program is faster. Returns the
    /// records as they are then, in the order of `skus`, or as they would be in a dry run.
    ///
    /// That is one exchange to look, and one to write. Each conflict costs another two.
    ///
    /// - Parameters:
    ///   - seen: What was just read of the records, which saves the first look.
    ///   - undoing: The ids of movements. Each look also reads what takes them back.
    ///   - plan: Returns a change for some of the records, or none if there is nothing to do. Runs again after each
    ///     conflict. What it reads of the movements of the records is then as true as the records.
    /// - Throws: ``InventoryError/alreadyMade(_:isChanged:)`` if the command of `source` was made.
    func change(
        _ skus: [SKU], seen: StockLook? = nil, undoing: [String] = [],
        _ plan: (StockLook) async throws -> [RecordChange]
    ) async throws -> [StoredRecord] {
        var seen = seen
        var before: [Version]?
        var isChecked = false
        for _ in 0..<Self.attempts {
            var look: StockLook
            if let first = seen { look = first } else { look = try await self.look(skus: skus, undoing: undoing) }
            seen = nil
            // Without a conflict in sight, something else has the versions that the movements need.
            if let before, let records = try? look.records(skus), records.map(\.version) == before {
                try await release(records)
                look = try await self.look(skus: skus, undoing: undoing)
            }
            if look.isMade, let command = source.command {
                throw InventoryError.alreadyMade(command, isChanged: false)
            }
            let changes = try await plan(look)
            let current = try look.records(skus)
            if changes.isEmpty { return current }
            if isDryRun { return try await planned(changes, current) }
            if !isChecked {
                try await prepare(look.ledger)
                try await checkSize(of: changes)
            }
            isChecked = true
            if let records = try await made(changes, current) { return records }
            before = current.map(\.version)
        }
        throw InventoryError.crowded
    }

    /// Sends changes. Returns the records afterwards, or `nil` if another program was faster.
    private func made(_ changes: [RecordChange], _ current: [StoredRecord]) async throws -> [StoredRecord]? {
        let answers = try await send(changes, together: changes.count > 1)
        var isDone = true
        var current = current
        for answer in answers {
            switch answer {
            case .success(let stored):
                if let stored, let index = current.firstIndex(where: { $0.record.sku == stored.record.sku }) {
                    current[index] = stored
                }
            case .failure(.conflict), .failure(.superseded), .failure(.notFound): isDone = false
            case .failure(.noShop): throw InventoryError.notAllowed
            case .failure(let error): throw error
            }
        }
        if !isDone, answers.contains(where: \.isMade) {
            throw InventoryError.partlyMade(zip(changes, answers).filter { $1.isMade }.map(\.0.sku))
        }
        return isDone ? current : nil
    }

    /// Returns the records as the changes would leave them.
    private func planned(_ changes: [RecordChange], _ current: [StoredRecord]) async throws -> [StoredRecord] {
        try await checkSize(of: changes)
        return current.map { stored in
            changes.lazy.compactMap { $0.result(with: stored.version) }.first { $0.record.sku == stored.record.sku }
                ?? stored
        }
    }

    /// Throws if the changes do not fit into one batch.
    private func checkSize(of changes: [RecordChange]) async throws {
        let size = changes.map(\.size).reduce(changes.count, +)
        // Every server accepts 25, unless it was set lower.
        if size > 25 {
            let limit = try await settings().batchLimit
            if size > limit { throw TooManyLines(count: changes.count, limit: max(1, limit / 3)) }
        }
    }

    /// Gives records new versions whose version is taken: by an earlier change of several records, which was taken back
    /// itself. No change of such a record succeeds meanwhile.
    func release(_ records: [StoredRecord]) async throws {
        for stored in records {
            let slot: RequestQuery = ["last_modified": "\(stored.version.milliseconds)", "_limit": "1"]
            if try await objects(Ledger.collection, slot).isEmpty { continue }
            let touch = JSONValue.batched(
                .patch, ShopPath.record(stored.record.sku, in: bucket), .ifUnchanged(since: stored.version),
                body: .wrapped(["quantity": JSONValue(stored.record.quantity)]))
            try await server.value(
                for: PlainBatch(requests: [ShopLock.json(in: bucket, isComplete: true), touch]))
        }
    }

    /// Reads what ``delete(_:seen:)`` has to know.
    func lookToDelete(_ sku: SKU) async throws -> StockLook {
        try await look(skus: [sku], naming: Movement.openingID(of: sku.recordID))
    }

    /// Deletes the record, also if another program changes it meanwhile. A last movement takes out its copies. Returns the
    /// deleted record, or `nil` if it could not be read.
    ///
    /// - Parameter seen: What was just read. The record then has to be as it was.
    func delete(_ sku: SKU, seen: StockLook? = nil) async throws -> Record? {
        for _ in 0..<Self.attempts {
            let look: StockLook
            if let seen { look = seen } else { look = try await lookToDelete(sku) }
            let (record, version) = try look.deletable(sku)
            try await prepare(look.ledger)
            let quantity: Int
            if let record {
                quantity = record.quantity
            } else {
                quantity = try await movements(MovementFilter(sku: sku)).filter(\.kind.changesStock).map(\.quantity)
                    .reduce(0, &+)
            }
            let movement = source.numbered.movement(1, of: sku, .deletion, 0 &- quantity)
            switch try await send([.delete(sku, version, movement, opening: look.named.first)])[0] {
            case .success: return record
            case .failure(.conflict), .failure(.superseded): if seen != nil { throw InventoryError.conflict(nil) }
            case .failure(.noShop): throw InventoryError.notAllowed
            case .failure(let error): throw error
            }
        }
        throw InventoryError.conflict(nil)
    }

    /// Creates the bucket and the collections that are missing.
    func makeShop() async throws {
        do {
            try await server.value(for: ShopService.makeBucket(bucket))
            try await server.value(for: ShopService.makeRecords(in: bucket))
            try await server.value(for: ShopService.makeLocks(in: bucket))
        } catch InventoryError.noShop {
            throw InventoryError.notAllowed
        }
        try await prepareLedger()
    }

    /// The maximum number of attempts. Another program succeeded each time, so many in a row indicate a fault.
    static let attempts = 100
}

extension Record {
    /// Returns the record with more copies, or fewer if `difference` is negative.
    func moved(by difference: Int) throws(StockShortage) -> Record {
        var record = self
        let (quantity, overflow) = record.quantity.addingReportingOverflow(difference)
        // Another program may have stored more than the maximum. Copies can still be subtracted.
        guard !overflow, difference < 0 ? quantity >= 0 : quantity <= Record.quantities.upperBound else {
            throw StockShortage(record: self, wanted: difference)
        }
        record.quantity = quantity
        record.adaptStatus(after: self.quantity)
        return record
    }
}

/// A change of more records than the server writes at once. Nothing was sent.
struct TooManyLines: Error, CustomStringConvertible {
    let count: Int
    let limit: Int

    var description: String {
        "\(count) different records are too many for one change on this server, which takes \(limit): nothing was "
            + "changed; make several"
    }
}
