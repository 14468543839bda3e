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
