import RecordKitJSON
import RecordKit

// Reading the ledger.
extension Stock {
    /// Reads a movement, or returns `nil` if it does not exist.
    func findMovement(_ id: String) async throws(InventoryError) -> Movement? {
        try await server.found(movement(id))
    }

    /// Passes the matching movements to `body`, page by page, until the end or until `body` returns false. Does nothing
    /// if there is no ledger.
    func eachMovementPage(
        _ filter: MovementFilter = MovementFilter(), _ body: (MovementPage) async throws -> Bool
    ) async throws {
        do {
            try await server.eachPage(of: list(filter), body)
        } catch InventoryError.noShop {
            return
        }
    }

    /// Returns the matching movements, the earliest first. Throws if one of them cannot be read.
    func movements(_ filter: MovementFilter) async throws -> [Movement] {
        var movements: [Movement] = []
        try await eachMovementPage(filter) { page in
            movements += try page.allItems()
            return true
        }
        return movements.inOrder
    }

    /// Returns the movements that take back one of these, in part or as a whole.
    func returns(of ids: [String]) async throws -> Returns {
        try await returns(movements(naming: ids))
    }

    /// Returns the deletions of records, and the openings that took some back.
    func deletions(of skus: Set<SKU>) async throws -> [Movement] {
        if skus.isEmpty { return [] }
        return try await movements(.ends(of: skus.sorted()))
    }

    /// Returns movements that take back others, without those that were taken back themselves.
    func returns(_ found: [Movement]) async throws -> Returns {
        if found.isEmpty { return Returns() }
        let undone = Set(try await movements(naming: found.map(\.id)).compactMap(\.undoes))
        var returns = Returns(standing: found.filter { !undone.contains($0.id) })
        for movement in found {
            guard let sale = movement.undoes else { continue }
            returns.counts[sale, default: 0] += undone.contains(movement.id) ? 2 : 1
        }
        return returns
    }

    private func movements(naming ids: [String]) async throws -> [Movement] {
        var movements: [Movement] = []
        for part in ids.chunks(of: MovementFilter.idLimit) {
            movements += try await self.movements(MovementFilter(undone: Array(part)))
        }
        return movements
    }
}

/// What takes back some movements.
struct Returns: Sendable {
    /// Those that were not taken back themselves.
    var standing: [Movement] = []
    /// How many movements ever took each back, or put it into force again: by the ids of those that are taken back.
    var counts: [String: Int] = [:]
}

extension [Movement] {
    /// The movements, the earliest first.
    var inOrder: [Movement] {
        sorted { ($0.time.milliseconds, $0.id) < ($1.time.milliseconds, $1.id) }
    }
}

/// A difference between a record and its movements.
struct LedgerDifference: Sendable, Equatable {
    let sku: SKU
    /// The copies in stock, or `nil` if the record was deleted.
    let quantity: Int?
    let sum: Int
}

// Keeping the ledger complete.
extension Stock {
    /// Compares each record with its movements. Leaves out records with movements that cannot be read. While another
    /// till sells, a difference may be a sale under way: see ``confirmed(_:)``.
    ///
    /// - Parameters:
    ///   - progress: Receives the number of movements and records read so far.
    ///   - unreadable: Receives each movement that cannot be read.
    func differences(
        _ progress: (Int) -> Void = { _ in }, unreadable: (Unreadable) -> Void = { _ in }
    ) async throws -> [LedgerDifference] {
        var sums: [String: Int] = [:]
        var unknown: Set<SKU> = []
        var count = 0
        try await eachMovementPage { page in
            count += page.items.count
            progress(count)
            for error in page.unreadable {
                unreadable(error)
                if let sku = error.sku { unknown.insert(sku) }
            }
            for movement in page.items where movement.changesStock {
                sums[movement.sku.text, default: 0] &+= movement.quantity
            }
            return true
        }
        var differences: [LedgerDifference] = []
        do {
            try await eachPage { page in
                for record in page.items.lazy.map(\.record) {
                    let sum = sums.removeValue(forKey: record.sku.text)
                    if sum ?? 0 != record.quantity {
                        differences.append(
                            LedgerDifference(
                                sku: record.sku, quantity: record.quantity, sum: sum ?? 0))
                    }
                }
                // The quantity of a record that cannot be read is unknown.
                for record in page.unreadable {
                    if let sku = SKU(recordID: record.id) { sums.removeValue(forKey: sku.text) }
                }
                count += page.items.count
                progress(count)
                return true
            }
        } catch InventoryError.noShop {
            // The shop does not exist, so nothing is in stock.
        }
        for (text, sum) in sums.sorted(by: { $0.key < $1.key }) where sum != 0 {
            if let sku = try? SKU(text) {
                differences.append(LedgerDifference(sku: sku, quantity: nil, sum: sum))
            }
        }
        return differences.filter { !unknown.contains($0.sku) }
    }

    /// Looks at a difference again. Returns it as it is now, or `nil` if there is none.
    func confirmed(_ difference: LedgerDifference) async throws -> LedgerDifference? {
        let sku = difference.sku
        let state = try await state(of: sku)
        if state.sum == state.quantity { return nil }
        return LedgerDifference(sku: sku, quantity: state.stored?.record.quantity, sum: state.sum)
    }

    /// A record and its movements at one moment.
    private struct State {
        let stored: StoredRecord?
        let sum: Int
        /// The number of movements that add up to `sum`.
        let count: Int

        var quantity: Int { stored?.record.quantity ?? 0 }
    }

    /// Reads a record and its movements, one after the other. If the record has the same version afterwards, no other
    /// till changed it meanwhile.
    private func state(of sku: SKU) async throws -> State {
        for _ in 0..<Self.attempts {
            let stored = try await find(sku)
            let own = try await movements(MovementFilter(sku: sku)).filter(\.kind.changesStock)
            guard try await find(sku)?.version == stored?.version else { continue }
            return State(stored: stored, sum: own.map(\.quantity).reduce(0, &+), count: own.count)
        }
        throw InventoryError.tooManyConflicts
    }

    /// Enters movements for the differences of records. Returns how many were entered.
    ///
    /// Reads the movements of each record once more, and writes at the version of the record. A change by another till
    /// in between is a conflict. Then the record is read again.
    func mend(_ skus: [SKU], reason: String) async throws -> Int {
        var stock = self
        // The command that found the ledger incomplete needs its ids for its own movements.
        stock.source.command = nil
        stock.source.reason = reason
        let source = stock.source.numbered
        var count = 0
        let kinds = Movement.Kind.allCases.filter(\.changesStock)
        try await stock.changeEach(skus, size: 2, kinds: kinds) { look in
            let sum = look.history.map(\.quantity).reduce(0, &+)
            guard let stored = look.stored else { return look.found == nil ? try await end(look.sku, source) : nil }
            var movement = source.opening(of: stored.record, isAdded: false)
            if !look.history.isEmpty {
                if stored.record.quantity == sum { return nil }
                movement = source.movement(nil, of: look.sku, .correction, stored.record.quantity &- sum)
            }
            return .change(stored, to: stored.record, [movement])
        } refused: {
            throw $1.withoutLedger
        } made: {
            count += $0.count
        }
        return count
    }

    /// Returns the change that enters the last movement of a record that was deleted without one.
    private func end(_ sku: SKU, _ source: MovementSource) async throws -> RecordChange? {
        let state = try await state(of: sku)
        if state.stored != nil || state.sum == 0 { return nil }
        // Without a record there is no version. So two processes that find the same movements write the same id.
        var movement = source.movement(1, of: sku, .deletion, 0 &- state.sum)
        movement.id = "deletion-\(sku.recordID)-\(state.count)"
        return .enter(movement)
    }

    /// Creates the ledger of a shop, with the first movement of each record in stock. Also enters what was changed
    /// without a movement.
    func prepareLedger() async throws {
        do {
            try await server.create(ShopPath.collection(Ledger.collection, in: bucket))
            try await server.create(ShopPath.anchor(in: bucket), ["last_modified": .integer(Ledger.anchorVersion)])
        } catch {
            throw error.withoutLedger
        }
        await warnOfMemoryStorage()
        let found = try await newDifferences()
        // The lock says so until all are entered: a process that is killed meanwhile leaves the rest to the next one.
        var incomplete = self
        incomplete.isLedgerComplete = false
        _ = try await incomplete.mend(found.map(\.sku), reason: "changed without a movement")
        try await writeLock()
    }

    /// Reports a server that accepts two objects of a list with one version. It does not refuse an overtaken change.
    private func warnOfMemoryStorage() async {
        let version = Ledger.freeVersion()
        for name in ["one", "two"] {
            let path = ShopPath.movement("\(Ledger.slotPrefix)\(version)-\(name)", in: bucket)
            let probe = Write(path: path, data: ["last_modified": .integer(version)])
            guard case .success = await server.result(for: probe) else { return }
        }
        notice(
            "This server has no transactions, as Kinto on memory storage: use it for trials only, since two tills may "
                + "sell the same copy. Use Kinto with PostgreSQL.")
    }

    /// Returns the differences in a shop that several tills may be creating. Kinto 26.5.0 then responds with 500 to one
    /// of two first reads of an empty list.
    private func newDifferences() async throws -> [LedgerDifference] {
        for _ in 0..<4 {
            do {
                return try await differences()
            } catch InventoryError.refused(let problem) where problem.code == 500 {
                continue
            }
        }
        return try await differences()
    }

    /// Ensures that each record has its movements, and that the account can write the lock and movements.
    ///
    /// - Parameter needsLock: Whether records are changed. A batch continues after a failed request, so without the
    ///   lock a change would be made unprotected.
    /// - Throws: ``InventoryError/noLock(isChanged:)`` or ``InventoryError/noLedger(isChanged:)`` if it cannot.
    func checkLedger(needsLock: Bool = true) async throws {
        var asking = self
        asking.source.command = nil
        try await prepare(asking.look(), needsLock: needsLock)
    }

    /// Completes what is missing of the lock and the ledger. See ``checkLedger(needsLock:)``.
    ///
    /// - Throws: ``InventoryError/halfRestored`` or ``InventoryError/otherFormat(_:)`` if nothing may be changed.
    func prepare(_ look: StockSnapshot, needsLock: Bool = true) async throws {
        switch look.lock.ledger {
        case Ledger.format, Ledger.incomplete: break
        case Ledger.halfRestored: throw InventoryError.halfRestored
        case let format: throw InventoryError.otherFormat(format)
        }
        if !needsLock, !look.lock.exists { return try await makeShop() }
        if needsLock, !look.lock.isWritable {
            var stock = self
            stock.isLedgerComplete = look.lock.isLedgerComplete
            try await stock.makeLock()
        }
        if !look.lock.isLedgerComplete { return try await prepareLedger() }
        if look.anchor.isWritable { return }
        do {
            try await server.value(for: Write(path: ShopPath.anchor(in: bucket), data: [:]))
        } catch {
            throw error.withoutLedger
        }
    }

    private func makeLock() async throws(InventoryError) {
        do {
            try await writeLock()
        } catch {
            guard case .noShop = error else { throw error.withoutLock }
            try await server.createIfAllowed(ShopPath.collection(Ledger.lockCollection, in: bucket))
            do { try await writeLock() } catch { throw error.withoutLock }
        }
    }

    func writeLock() async throws(InventoryError) {
        for _ in 0..<Self.attempts {
            do {
                return try await server.value(for: lock.write)
            } catch {
                // Another program wrote it at the same moment.
                guard case .conflict = error else { throw error }
            }
        }
        throw .tooManyConflicts
    }
}
