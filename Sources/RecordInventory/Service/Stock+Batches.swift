import RecordKit

// Changes of many records.
extension Stock {
    /// How many records ``write(_:)`` takes at once.
    func batchLimit() async throws(InventoryError) -> Int {
        try await server.value(for: ServerService.settings).batchLimit
    }

    /// Writes new records, and records over a version of theirs, in one go: an answer for each, in order.
    func write(_ records: [(record: Record, over: Version?)]) async throws(InventoryError) -> [BatchAnswer] {
        var answers = try await send(records)
        // Perhaps not all: somebody else may have made the shop meanwhile.
        let homeless = answers.indices.filter { if case .failure(.noShop) = answers[$0] { true } else { false } }
        if homeless.isEmpty { return answers }
        try await makeShop()
        for (index, answer) in zip(homeless, try await send(homeless.map { records[$0] })) { answers[index] = answer }
        return answers
    }

    private func send(_ records: [(record: Record, over: Version?)]) async throws(InventoryError) -> [BatchAnswer] {
        let batch = records.filter { BatchRequest.canHold($0.record, in: bucket) }
        var batched = try await sendTogether(batch)[...]
        if batch.count == records.count { return Array(batched) }
        var answers: [BatchAnswer] = []
        for (record, version) in records {
            if BatchRequest.canHold(record, in: bucket), let answer = batched.popFirst() {
                answers.append(answer)
            } else {
                answers.append(await sendAlone(record, over: version))
            }
        }
        return answers
    }

    private func sendTogether(
        _ records: [(record: Record, over: Version?)]
    ) async throws(InventoryError) -> [BatchAnswer] {
        if records.isEmpty { return [] }
        let requests = records.map { BatchRequest.write($0.record, over: $0.over, in: bucket) }
        let answers = try await server.value(for: BatchService.send(requests))
        guard answers.count == requests.count else {
            let text = "\(answers.count) answers to \(requests.count) requests"
            throw .refused(KintoProblem(code: 200, errno: nil, error: "Bad batch", message: text, missing: nil))
        }
        return answers
    }

    private func sendAlone(_ record: Record, over version: Version?) async -> BatchAnswer {
        do throws(InventoryError) {
            return .success(
                try await shop.value(for: version.map { RecordService.One.replace(record, $0) } ?? .create(record)))
        } catch {
            return .failure(error)
        }
    }
}
