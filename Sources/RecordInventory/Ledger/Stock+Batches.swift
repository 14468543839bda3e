import RecordKit

// Changes of many records.
extension Stock {
    func settings() async throws(InventoryError) -> ServerSettings {
        try await server.value(for: Get(path: ShopPath.settings))
    }

    /// Returns how many records can be changed at once. Each takes two requests, and the lock takes one.
    func batchLimit() async throws(InventoryError) -> Int {
        try await (max(settings().bulkLimit, 3) - 1) / 2
    }
}

extension ChangeResult {
    var isMade: Bool { if case .success = self { true } else { false } }

    /// Whether the request was lost, and the change is not made.
    var isLost: Bool { if case .failure(.notMade) = self { true } else { false } }
}

// Sending.
extension Stock {
    /// Sends changes behind the lock. All changes are sent this way. If the response is lost, asks whether they were
    /// made.
    ///
    /// - Parameters:
    ///   - together: Whether all changes are made, or none.
    ///   - waiting: The tills that wait for the records, to note in the lock.
    ///   - parked: The parked basket that is removed with them.
    func send(
        _ changes: [RecordChange], together: Bool = false, waiting: WaitingTills? = nil,
        removing parked: ParkedBasket? = nil
    ) async throws -> [ChangeResult] {
        // After this, a lost response does not indicate whether the changes were made.
        guard !Task.isCancelled else { throw InventoryError.network(.cancelled) }
        var lock = lock
        lock.waiting = waiting
        let batch = ChangeBatch(changes, together: together, removing: parked.map(removal), behind: lock)
        let outcome: BatchOutcome
        do {
            outcome = try await server.value(for: batch)
        } catch {
            switch error {
            // The embedded store refuses the whole batch, where Kinto refuses one of its requests.
            case .conflict: return Array(repeating: .failure(.superseded), count: changes.count)
            case .unanswered(let cause, _):
                let sku = together || changes.count == 1 ? changes[0].sku : nil
                return try await resultsAfterLoss(of: changes, batch, cause, sku)
            default: throw error
            }
        }
        try await tidy(outcome, changes)
        if together, outcome.isMadeBefore, let command = changes[0].proof.command {
            throw InventoryError.alreadyMade(command, isChanged: false)
        }
        if !outcome.isLocked {
            for case (let change, .success) in zip(changes, outcome.results) where change.needsLock {
                throw InventoryError.noLock(isChanged: true)
            }
        }
        return outcome.results
    }

    /// Removes movements and slots whose record was not changed. If this process is killed before, `doctor` repairs the
    /// movements, and ``release(_:)`` the slots.
    ///
    /// - Throws: ``InventoryError/noLedger(isChanged:)`` or ``InventoryError/alreadyMade(_:isChanged:)`` if a record
    ///   was changed without its movement.
    private func tidy(_ outcome: BatchOutcome, _ changes: [RecordChange]) async throws {
        if !outcome.unclaimed.isEmpty {
            let removals = outcome.unclaimed.map { BatchRequest(.delete, ShopPath.movement($0, in: bucket)) }
            _ = try await server.value(for: Batch(requests: removals))
        }
        for (index, status) in outcome.unentered {
            if status == 412, changes[index].kind == .create {
                // Another program deleted a record with this SKU, and left its first movement.
                _ = try await mend([changes[index].sku], reason: "deleted without a movement, then added")
                continue
            }
            guard status != 401, status != 403, status != 404 else { throw InventoryError.noLedger(isChanged: true) }
            let movement = changes[index].proof
            throw InventoryError.alreadyMade(movement.command ?? movement.id, isChanged: true)
        }
    }
}

// Lost responses.
extension Stock {
    /// Asks the server which changes were made, also if the caller was cancelled.
    private func resultsAfterLoss(
        of changes: [RecordChange], _ batch: ChangeBatch, _ cause: NetworkError, _ sku: SKU?
    ) async throws(InventoryError) -> [ChangeResult] {
        let task = Task { await self.findOutcome(changes, batch, cause) }
        guard let results = await task.value else { throw .unanswered(cause, sku) }
        if results.allSatisfy(\.isMade) {
            notice("The response was lost. The server says that the change was made.")
        }
        return results
    }

    /// Returns `nil` if the server cannot be asked.
    private func findOutcome(
        _ changes: [RecordChange], _ batch: ChangeBatch, _ cause: NetworkError
    ) async -> [ChangeResult]? {
        // No other change has the version of a new record's movement. Taking the last one is enough, since a conflict
        // takes back all changes before it.
        let lastNew = changes.lastIndex { $0.kind == .create }
        for delay in questionDelays {
            if delay > .zero { try? await Task.sleep(for: delay) }
            do {
                let results = try await asked(changes, cause)
                var isPrevented = true
                for (index, change) in changes.enumerated() where !results[index].isMade {
                    let slot = index == lastNew ? batch.slot(of: index) : nil
                    if try await !prevent(change, slot) { isPrevented = false }
                }
                // The record was changed in between, perhaps by this change.
                return isPrevented ? results : try await asked(changes, cause)
            } catch InventoryError.heldBack {
                return nil
            } catch {
                continue
            }
        }
        return nil
    }

    private func asked(_ changes: [RecordChange], _ cause: NetworkError) async throws -> [ChangeResult] {
        var results: [ChangeResult] = []
        for (change, movement) in zip(changes, try await made(changes.map(\.proof.id))) {
            let isMade = movement?.command == change.proof.command && movement?.sku == change.sku
            let found = isMade && change.sku != .none ? try await find(change.sku) : nil
            results.append(isMade ? .success(found) : .failure(.notMade(cause)))
        }
        return results
    }

    /// Takes the version that the last movement was to get, so that the request fails if it arrives later. Returns
    /// false if the version is gone: then the change was just made, or can no longer be made.
    ///
    /// A record that cannot be read is not written, so a request to delete it is not prevented.
    private func prevent(_ change: RecordChange, _ slot: Version?) async throws -> Bool {
        let prevention: RecordChange
        switch change.kind {
        case .enter:
            // A return has the same version whenever it is sent again.
            guard change.sku == .none, change.proof.kind != .return, let version = change.before else { return true }
            prevention = .enter(change.void, at: version)
        case .create:
            guard let slot else { return true }
            prevention = .enter(change.void, at: slot)
        case .change, .delete:
            var current = change.stored
            if change.kind == .delete {
                do { current = try await find(change.sku) } catch .unreadable { return true }
            }
            guard let current, current.version == change.before else { return false }
            prevention = .change(current, to: current.record, [change.void])
        }
        let outcome = try await server.value(for: ChangeBatch([prevention], together: false, behind: lock))
        switch outcome.results[0] {
        case .success: return true
        case .failure(.conflict), .failure(.superseded), .failure(.notFound): return false
        case .failure(let error): throw error
        }
    }
}
