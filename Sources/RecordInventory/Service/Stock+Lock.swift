import RecordKit

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
