import RecordKit

// Changes of many records.
extension Stock {
    /// How many records ``write(_:)`` takes at once, whatever a server says: the lock takes the place of one, and a
    /// batch is held in memory.
    func batchLimit() async throws(InventoryError) -> Int {
        try await min(max(server.value(for: ServerService.settings).batchLimit, 2), 1_000) - 1
    }

    /// Writes new records, and what stored ones are to become, in one go: an answer for each, in order.
    func write(_ records: [(record: Record, over: StoredRecord?)]) async throws(InventoryError) -> [BatchAnswer] {
        let changes = records.map { record, stored in
            stored.map { RecordChange.change($0, to: record) } ?? .create(record)
        }
        if changes.contains(where: \.needsLock) { try await checkLock() }
        var answers = try await send(changes)
        let homeless = answers.indices.filter { answers[$0].hasNoShop }
        if homeless.isEmpty { return answers }
        // Where only some were refused there is one: made by somebody meanwhile, or these are not for this account.
        let isShop = homeless.count < answers.count
        do throws(InventoryError) {
            if !isShop { try await makeShop() }
            let late = try await send(homeless.map { changes[$0] })
            for (index, answer) in zip(homeless, late) {
                answers[index] = isShop && answer.hasNoShop ? .failure(.notAllowed) : answer
            }
        } catch {
            if !isShop { throw error }
            // The others are written all the same.
            for index in homeless { answers[index] = .failure(error) }
        }
        return answers
    }
}

extension BatchAnswer {
    /// Kinto says so of a shop that is not there, and of one that this account may not use.
    fileprivate var hasNoShop: Bool {
        if case .failure(.noShop) = self { true } else { false }
    }
}

// What keeps the changes of several tills apart.
extension Stock {
    /// Makes sure that this account can lock the shop. A batch goes on when its first request fails, so that a change
    /// whose lock cannot be had would be made without it.
    ///
    /// - Throws: ``InventoryError/noLock(isChanged:)`` when it cannot.
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

    /// Sends changes behind the lock, which is the only way that any are sent.
    ///
    /// A conflict of the whole batch changed nothing, and it is sent again: somebody made the lock in the same moment,
    /// or wrote without it.
    func send(_ changes: [RecordChange]) async throws(InventoryError) -> [BatchAnswer] {
        for _ in 0..<Self.attempts {
            // From here on nobody may know in the end whether the changes were made.
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
