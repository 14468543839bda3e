import RecordKit

// Changes of many records.
extension Stock {
    func settings() async throws(InventoryError) -> ServerSettings {
        try await server.value(for: ServerService.settings)
    }

    /// Returns how many records ``write(_:)`` takes at once. Each takes two requests, and the lock takes one. The limit
    /// is bounded whatever the server says, since a batch is held in memory.
    func batchLimit() async throws(InventoryError) -> Int {
        try await (min(max(settings().batchLimit, 3), 1_000) - 1) / 2
    }

    /// Creates records and changes stored ones in one batch. Returns a result for each, in order.
    ///
    /// - Parameter numbers: the numbers of the movements in the command, or `nil` to count them.
    func write(
        _ records: [(record: Record, over: StoredRecord?)], numbers: [Int]? = nil
    ) async throws -> [BatchAnswer] {
        let source = source.numbered
        let changes = records.enumerated().map { index, item in
            item.over.map {
                RecordChange.change(
                    $0, to: item.record,
                    [source.correction(numbers?[index] ?? index + 1, from: $0.record, to: item.record)])
            } ?? .create(item.record, source.opening(of: item.record))
        }
        try await checkLedger(needsLock: changes.contains(where: \.needsLock))
        var answers: [BatchAnswer] = Array(repeating: .failure(.superseded), count: changes.count)
        var isMade = false
        for _ in 0..<Self.rounds {
            let open = answers.indices.filter { if case .failure(.superseded) = answers[$0] { true } else { false } }
            if open.isEmpty { return answers }
            for (index, answer) in zip(open, try await send(open.map { changes[$0] })) { answers[index] = answer }
            try await resolve(&answers, of: changes)
            let homeless = answers.indices.filter { answers[$0].hasNoShop }
            if homeless.isEmpty { continue }
            // If only some were refused, the shop exists: another program created it meanwhile, or the account may not
            // change these.
            if !isMade, homeless.count == answers.count { try await makeShop() }
            for index in homeless { answers[index] = .failure(isMade ? .notAllowed : .superseded) }
            isMade = true
        }
        return answers.map { if case .failure(.superseded) = $0 { .failure(.crowded) } else { $0 } }
    }

    /// Finds out which changes were taken back because their own record is another one by now.
    private func resolve(_ answers: inout [BatchAnswer], of changes: [RecordChange]) async throws {
        for (index, change) in changes.enumerated() {
            guard case .failure(.superseded) = answers[index], case .change(let stored, _, _) = change else { continue }
            let current = try await find(stored.record.sku)
            if current?.version != stored.version {
                answers[index] = .failure(current.map { .conflict($0) } ?? .notFound)
            }
        }
    }

    private static let rounds = 100
}

extension BatchAnswer {
    var isMade: Bool { if case .success = self { true } else { false } }

    /// Whether Kinto reported that the shop does not exist, or that the account may not use it.
    fileprivate var hasNoShop: Bool {
        if case .failure(.noShop) = self { true } else { false }
    }
}

// Sending.
extension Stock {
    /// Sends changes behind the lock. All changes are sent this way. If the response is lost, asks whether they were
    /// made.
    ///
    /// - Parameter together: whether all changes are made, or none.
    func send(
        _ changes: [RecordChange], together: Bool = false, isLedgerComplete: Bool = true
    ) async throws(InventoryError) -> [BatchAnswer] {
        // From here on, a lost response leaves open whether the changes were made.
        guard !Task.isCancelled else { throw .network(.cancelled) }
        let batch = BatchService(changes, together: together, in: bucket, isLedgerComplete: isLedgerComplete)
        let outcome: BatchOutcome
        do {
            outcome = try await server.value(for: batch)
        } catch {
            switch error {
            // The embedded store refuses the whole batch where Kinto refuses one of its requests.
            case .conflict: return Array(repeating: .failure(.superseded), count: changes.count)
            case .unanswered(let cause, let sku):
                return try await answers(to: changes, batch, isLedgerComplete, cause, sku)
            default: throw error
            }
        }
        try await tidy(outcome, changes)
        if !outcome.isLocked {
            for case (let change, .success) in zip(changes, outcome.answers) where change.needsLock {
                throw .noLock(isChanged: true)
            }
        }
        return outcome.answers
    }

    /// Enters the movements that are missing, and removes those without a change. Both happen only beside a program
    /// that writes no movements.
    private func tidy(_ outcome: BatchOutcome, _ changes: [RecordChange]) async throws(InventoryError) {
        if !outcome.strays.isEmpty {
            try await server.value(for: LedgerService.Removal(ids: outcome.strays, bucket: bucket))
        }
        for (index, status) in outcome.unentered {
            guard status != 401, status != 403, status != 404 else { throw .noLedger(isChanged: true) }
            guard var movement = changes[index].proof, case .success(let stored) = outcome.answers[index] else {
                continue
            }
            guard movement.kind == .opening else {
                throw .alreadyMade(movement.command ?? movement.id, isChanged: true)
            }
            // The id belongs to an earlier record with the SKU, which an older version of the tool deleted.
            movement.id += "-\(stored?.version.milliseconds ?? movement.time.milliseconds)"
            _ = try await server.value(for: BatchService([.enter(movement)], together: false, in: bucket))
        }
    }
}

// Lost responses.
extension Stock {
    /// Asks the server which changes were made. Also asks if the caller was cancelled: the user wants to know.
    private func answers(
        to changes: [RecordChange], _ batch: BatchService, _ isLedgerComplete: Bool, _ cause: NetworkError, _ sku: SKU?
    ) async throws(InventoryError) -> [BatchAnswer] {
        let task = Task { await self.settled(changes, batch, isLedgerComplete, cause) }
        guard let answers = await task.value else { throw .unanswered(cause, sku) }
        if answers.allSatisfy(\.isMade) {
            notice("The response was lost. The server says that the change was made.")
        }
        return answers
    }

    /// Returns `nil` if the server cannot be asked.
    private func settled(
        _ changes: [RecordChange], _ batch: BatchService, _ isLedgerComplete: Bool, _ cause: NetworkError
    ) async -> [BatchAnswer]? {
        // The version of a new record's movement is in no other change's way. To take the last one is enough, since a
        // conflict takes back all that came before it.
        let lastNew = changes.lastIndex { if case .create(_, .some) = $0 { true } else { false } }
        for delay in questionDelays {
            if delay > .zero { try? await Task.sleep(for: delay) }
            do {
                let answers = try await asked(changes, isLedgerComplete, cause)
                var isPrevented = true
                for (index, change) in changes.enumerated() where !answers[index].isMade {
                    let slot = index == lastNew ? batch.slot(of: index) : nil
                    if try await !prevent(change, slot, isLedgerComplete) { isPrevented = false }
                }
                // Another change of the record came in between: perhaps this one, after all.
                return isPrevented ? answers : try await asked(changes, isLedgerComplete, cause)
            } catch {
                continue
            }
        }
        return nil
    }

    private func asked(
        _ changes: [RecordChange], _ isLedgerComplete: Bool, _ cause: NetworkError
    ) async throws -> [BatchAnswer] {
        let proofs = changes.map { $0.proof ?? $0.missingProof }
        let movements = try await made(proofs.map(\.id), isLedgerComplete: isLedgerComplete)
        var answers: [BatchAnswer] = []
        for ((change, proof), movement) in zip(zip(changes, proofs), movements) {
            var isMade = movement?.command == proof.command && movement?.sku == proof.sku
            var stored: StoredRecord?
            if isMade || change.proof == nil { stored = try await find(change.sku) }
            // A record without copies has no movement. If it is there as it was sent, nothing is left to do.
            if case .create(let record, nil) = change { isMade = stored?.record == record }
            answers.append(isMade ? .success(stored) : .failure(.notMade(cause)))
        }
        return answers
    }

    /// Takes the version that the last movement was to get, so that the request fails if it arrives later. Returns false
    /// if the version is gone: then the change can no longer be made, or it just was.
    ///
    /// A new record without copies has no movement, and a record that cannot be read is not written. So requests to add
    /// the one and to delete the other are not prevented.
    private func prevent(_ change: RecordChange, _ slot: Version?, _ isLedgerComplete: Bool) async throws -> Bool {
        guard let proof = change.proof else { return true }
        var movement = proof
        // A command may be lost more than once, each time with another version of the record.
        movement.id += "-void\(change.before.map { "-\($0.milliseconds)" } ?? "")"
        movement.kind = .edit
        movement.quantity = 0
        (movement.price, movement.discount, movement.payment, movement.cost) = (nil, nil, nil, nil)
        movement.reason = "\(proof.kind.title) \(proof.id) was not made: its request was lost"
        let prevention: RecordChange
        switch change {
        case .change(let stored, _, _): prevention = .change(stored, to: stored.record, [movement])
        case .delete(let sku, let version, _, _):
            let current: StoredRecord?
            do {
                current = try await find(sku)
            } catch {
                guard case .unreadable = error else { throw error }
                return true
            }
            guard let current, current.version == version else { return false }
            prevention = .change(current, to: current.record, [movement])
        case .create:
            guard let slot else { return true }
            // The id of an opening is the same for each attempt to add the record.
            movement.id = "\(proof.command ?? "")-\(movement.id)"
            prevention = .enter(movement, at: slot)
        case .enter: return true
        }
        let outcome = try await server.value(
            for: BatchService([prevention], together: false, in: bucket, isLedgerComplete: isLedgerComplete))
        switch outcome.answers[0] {
        case .success: return true
        case .failure(.conflict), .failure(.superseded), .failure(.notFound): return false
        case .failure(let error): throw error
        }
    }
}

extension RecordChange {
    /// The movement that a record without copies would have.
    fileprivate var missingProof: Movement {
        Movement(
            id: Movement.openingID(of: sku.recordID), sku: sku, kind: .opening, quantity: 0,
            time: MovementTime(milliseconds: 0, offset: 0), till: "")
    }
}
