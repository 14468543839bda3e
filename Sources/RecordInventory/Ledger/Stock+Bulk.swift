import RecordKit

// Changes of records that have nothing to do with each other, in batches.
extension Stock {
    /// Changes records in batches. Each record is changed for itself: a batch that ends early leaves the others as they
    /// are.
    ///
    /// - Parameters:
    ///   - skus: The records. Those that were deleted meanwhile are left out.
    ///   - size: The number of requests that a change takes, with its movements.
    ///   - plan: Returns the change of a record as it was just read, or `nil` to leave it. Gets the number of its movement
    ///     too. Runs again if another program was faster.
    ///   - made: Receives the records of each batch that were changed. A deleted one is as it was.
    func changeEach(
        _ skus: [SKU], size: Int, _ plan: (StoredRecord, Int) async throws -> RecordChange?,
        made: ([StoredRecord]) -> Void
    ) async throws {
        if skus.isEmpty { return }
        try await checkLedger()
        for portion in Array(skus.indices).chunks(of: try await max(1, batchLimit() * 2 / size)) {
            var open = Array(portion)
            for _ in 0..<Self.attempts where !open.isEmpty {
                open = try await changed(open, of: skus, plan, made)
            }
            if !open.isEmpty { throw ChangeError.tooManyConflicts }
        }
    }

    /// Returns the change that deletes a record. Its movement takes out its copies.
    func deletion(of stored: StoredRecord, _ number: Int, _ source: MovementSource) async throws -> RecordChange {
        let record = stored.record
        return .delete(
            record.sku, stored.version, source.movement(number, of: record.sku, .deletion, 0 &- record.quantity),
            opening: try await findMovement(Movement.openingID(of: record.sku.recordID)))
    }

    /// Changes the records at some positions. Returns the positions of those that another program changed at the same
    /// moment.
    private func changed(
        _ open: [Int], of skus: [SKU], _ plan: (StoredRecord, Int) async throws -> RecordChange?,
        _ made: ([StoredRecord]) -> Void
    ) async throws -> [Int] {
        let found = try await stored(open.map { skus[$0] })
        var changes: [(index: Int, stored: StoredRecord, change: RecordChange)] = []
        for index in open {
            // A record that cannot be read by now is left as it is.
            guard case .success(let stored)? = found[skus[index].recordID],
                let change = try await plan(stored, index + 1)
            else { continue }
            changes.append((index, stored, change))
        }
        if changes.isEmpty { return [] }
        var again: [Int] = []
        var done: [StoredRecord] = []
        var failure: ChangeError?
        for (item, result) in zip(changes, try await sendAll(changes.map(\.change))) {
            switch result {
            case .success(let stored): done.append(stored ?? item.stored)
            case .failure(.conflict), .failure(.notFound): again.append(item.index)
            case .failure(let error): failure = failure ?? error
            }
        }
        made(done)
        if let failure { throw failure }
        return again
    }
}
