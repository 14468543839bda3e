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
        // Perhaps not all: somebody else may have made the shop meanwhile.
        let homeless = answers.indices.filter { if case .failure(.noShop) = answers[$0] { true } else { false } }
        if homeless.isEmpty { return answers }
        try await makeShop()
        let late = try await send(homeless.map { changes[$0] })
        for (index, answer) in zip(homeless, late) { answers[index] = answer }
        return answers
    }
}
