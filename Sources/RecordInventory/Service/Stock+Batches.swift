import RecordKit

// Changes of many records.
extension Stock {
    /// Returns how many records ``write(_:)`` takes at once. The lock takes the place of one. The limit is bounded
    /// whatever the server says, since a batch is held in memory.
    func batchLimit() async throws(InventoryError) -> Int {
        try await min(max(server.value(for: ServerService.settings).batchLimit, 2), 1_000) - 1
    }

    /// Creates records and changes stored ones in one batch. Returns a result for each, in order.
    func write(_ records: [(record: Record, over: StoredRecord?)]) async throws(InventoryError) -> [BatchAnswer] {
        let changes = records.map { record, stored in
            stored.map { RecordChange.change($0, to: record) } ?? .create(record)
        }
        if changes.contains(where: \.needsLock) { try await checkLock() }
        var answers = try await send(changes)
        let homeless = answers.indices.filter { answers[$0].hasNoShop }
        if homeless.isEmpty { return answers }
        // If only some were refused, the shop exists: another program created it meanwhile, or the account may not
        // change these.
        let isShop = homeless.count < answers.count
        do throws(InventoryError) {
            if !isShop { try await makeShop() }
            let late = try await send(homeless.map { changes[$0] })
            for (index, answer) in zip(homeless, late) {
                answers[index] = isShop && answer.hasNoShop ? .failure(.notAllowed) : answer
            }
        } catch {
            if !isShop { throw error }
            // The other records were written.
            for index in homeless { answers[index] = .failure(error) }
        }
        return answers
    }
}

extension BatchAnswer {
    /// Whether Kinto reported that the shop does not exist, or that the account may not use it.
    fileprivate var hasNoShop: Bool {
        if case .failure(.noShop) = self { true } else { false }
    }
}

// The lock, which isolates the changes of several tills.
extension Stock {
    /// Makes sure that the account can write the lock. A batch continues after a failed request, so without the lock a
    /// change would be made unprotected.
    ///
    /// - Throws: ``InventoryError/noLock(isChanged:)`` if it cannot.
    func checkLock() async throws(InventoryError) {
        if try await server.value(for: ShopLock.look(in: bucket)) { return }
        do {
            try await writeLock()
        } catch {
            guard case .noShop = error else { throw error.withoutLock }
            try await server.value(for: ShopService.makeLocks(in: bucket))
            do { try await writeLock() } catch { throw error.withoutLock }
        }
    }

    private func writeLock() async throws(InventoryError) {
        for _ in 0..<Self.attempts where try await server.value(for: ShopLock.write(in: bucket)) { return }
        throw .crowded
    }

    /// Sends changes behind the lock. All changes are sent this way.
    ///
    /// A conflict of the whole batch changed nothing, so the batch is sent again. Another program created the lock at
    /// the same moment, or wrote without it.
    func send(_ changes: [RecordChange]) async throws(InventoryError) -> [BatchAnswer] {
        for _ in 0..<Self.attempts {
            // From here on, a lost response leaves open whether the changes were made.
            guard !Task.isCancelled else { throw .network(.cancelled) }
            let outcome: BatchOutcome
            do {
                outcome = try await server.value(for: BatchService.send(changes, in: bucket))
            } catch {
                if case .conflict = error { continue }
                throw error
            }
            if !outcome.isLocked {
                for case (let change, .success) in zip(changes, outcome.answers) where change.needsLock {
                    throw .noLock(isChanged: true)
                }
            }
            return outcome.answers
        }
        throw .crowded
    }

    private static let attempts = 100
}

extension InventoryError {
    fileprivate var withoutLock: InventoryError {
        switch self {
        case .noShop, .notAllowed: .noLock(isChanged: false)
        default: self
        }
    }
}
