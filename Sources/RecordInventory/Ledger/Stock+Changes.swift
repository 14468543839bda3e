import RecordKitJSON
import RecordKit

// Changes of one record, or of several at once.
extension Stock {
    /// Creates a record. Fails with a conflict if its SKU is in stock.
    func create(_ record: Record) async throws -> StoredRecord {
        let opening = source.numbered.opening(of: record, isAdded: true)
        var created: StoredRecord?
        try await changeEach([record.sku], size: 2, kinds: []) { look in
            guard look.found == nil else { throw InventoryError.conflict(look.stored) }
            return .create(record, opening)
        } made: {
            created = $0[0].stored
        }
        guard let created else { throw InventoryError.notFound }
        return created
    }

    /// Looks, plans and sends the changes, all or none, until no other program is faster. In a dry run, sends nothing.
    ///
    /// That is one exchange to look, and one to send. A refusal usually contains the current records, so a conflict
    /// costs one more exchange. If it does not, or if the plan needs movements too, it costs two, after a random wait.
    /// A till that finds others waiting for its records lets them go first, and looks again. A change that was lost,
    /// and is known not to be made, is planned and sent again until ``patience`` ends.
    ///
    /// - Parameters:
    ///   - seen: What was just read, which saves the first look.
    ///   - parked: The parked basket that is sold, which is removed with the changes.
    ///   - look: Reads what the plan needs, the records before the movements. If the records are unchanged
    ///     when they are written, no movement was missed. Runs again after a conflict.
    ///   - plan: Returns a change for some of the records, or none if there is nothing to do.
    func change(
        seen: StockSnapshot? = nil, removing parked: ParkedBasket? = nil, _ look: () async throws -> StockSnapshot,
        plan: (StockSnapshot) throws -> [RecordChange]
    ) async throws -> Made {
        let end = ContinuousClock.now + patience
        var next = seen
        var isChecked = false
        var refused: [Version?] = []
        for attempt in 0..<Self.attempts {
            var start = ContinuousClock.now
            var snapshot: StockSnapshot
            if let next { snapshot = next } else { snapshot = try await look() }
            next = nil
            var changes = try plan(snapshot)
            let awaited = snapshot.lock.waiting(at: source.now())?.ids ?? []
            if attempt == 0, !isDryRun, changes.contains(where: { awaited.contains($0.sku.recordID) }) {
                // About as long as eight sales take.
                let lookTime = ContinuousClock.now - start
                try await pause(lookTime * 8...lookTime * 10)
                start = .now
                snapshot = try await look()
                changes = try plan(snapshot)
            }
            // Without a conflict in sight, something else has the versions that the movements need.
            if !changes.isEmpty, changes.map(\.before) == refused {
                try await release(changes.compactMap(\.stored))
                snapshot = try await look()
                changes = try plan(snapshot)
            }
            if changes.isEmpty { return Made(look: snapshot, changes: []) }
            if !isChecked {
                if !isDryRun { try await prepare(snapshot, needsLock: changes.contains(where: \.needsLock)) }
                try await checkSize(of: changes)
                isChecked = true
            }
            if isDryRun { return Made(look: snapshot, changes: changes.map { MadeChange($0, $0.result) }) }
            // Notes this till, if another was faster. Otherwise keeps the note that was found.
            let now = source.now()
            let waiting = attempt == 0 ? snapshot.lock.waiting(at: now) : WaitingTills(for: changes.map(\.sku), at: now)
            let results = try await send(changes, together: true, waiting: waiting, removing: parked)
            if results.allSatisfy(\.isLost), !Task.isCancelled, ContinuousClock.now < end {
                try await pause(.zero ... .milliseconds(200))
                continue
            }
            if let made = try made(changes, results) { return Made(look: snapshot, changes: made) }
            next = snapshot.updated(by: results)
            if next == nil {
                let time = ContinuousClock.now - start
                try await pause(.zero...time * min(attempt + 1, 2))
            }
            refused = changes.map(\.before)
        }
        throw InventoryError.tooManyConflicts
    }

    /// Returns what the changes made, or `nil` if another program was faster.
    private func made(_ changes: [RecordChange], _ results: [ChangeResult]) throws -> [MadeChange]? {
        var made: [MadeChange] = []
        for (change, result) in zip(changes, results) {
            switch result {
            case .success(let stored): made.append(MadeChange(change, stored))
            case .failure(.conflict), .failure(.superseded), .failure(.notFound): break
            case .failure(.noShop): throw InventoryError.notAllowed
            case .failure(let error): throw error
            }
        }
        if made.count == changes.count { return made }
        if !made.isEmpty { throw InventoryError.partlyMade(made.map(\.record.sku)) }
        return nil
    }

    /// Waits for a random time, at most two seconds.
    private func pause(_ range: ClosedRange<Duration>) async throws {
        let (low, high) = (range.lowerBound / .milliseconds(1), range.upperBound / .milliseconds(1))
        let wait = Double.random(in: min(low, 1_200)...min(high, 2_000))
        do {
            try await Task.sleep(for: .milliseconds(wait))
        } catch {
            throw InventoryError.network(.cancelled)
        }
    }

    /// Throws ``TooManyLines`` if the changes do not fit into one batch.
    func checkSize(of changes: [RecordChange]) async throws {
        let size = changes.map(\.size).reduce(changes.count, +)
        if size > ServerSettings.usualBatchLimit {
            let limit = try await settings().batchLimit
            if size > limit { throw TooManyLines(count: changes.count, limit: max(1, limit / 3), size: size) }
        }
    }

    /// Gives records new versions whose version is taken: by an earlier change of several records, which was taken back
    /// itself. No change of such a record succeeds meanwhile. Returns whether there were any.
    @discardableResult
    func release(_ records: [StoredRecord]) async throws -> Bool {
        var isReleased = false
        for stored in records {
            let slot: RequestQuery = ["last_modified": "\(stored.version.milliseconds)", "_limit": "1"]
            if try await objects(Ledger.collection, slot).isEmpty { continue }
            let touch = BatchRequest(
                .patch, ShopPath.record(stored.record.sku, in: bucket), .ifUnchanged(since: stored.version),
                body: .wrapped(["quantity": JSONValue(stored.record.quantity)]))
            _ = try await server.value(for: Batch(requests: [lock.request, touch]))
            isReleased = true
        }
        return isReleased
    }

    /// Reads what ``delete(_:seen:)`` needs.
    func lookToDelete(_ sku: SKU) async throws -> StockSnapshot {
        var look = try await look(skus: [sku], naming: Movement.openingID(of: sku.recordID))
        // The copies of a record that cannot be read are those of its movements.
        if case .failure(.unreadable) = look.found[sku] { look.sales = try await movements(MovementFilter(sku: sku)) }
        return look
    }

    /// Deletes the record. A last movement takes out its copies. Returns the deleted record, or `nil` if it could not
    /// be read.
    ///
    /// - Parameter seen: What was just read. The record then has to be as it was.
    func delete(_ sku: SKU, seen: StockSnapshot? = nil) async throws -> Record? {
        let source = source.numbered
        let wanted = try seen?.deletable(sku).version
        let made = try await change(seen: seen) {
            try await lookToDelete(sku)
        } plan: { look in
            let (stored, version) = try look.deletable(sku)
            guard wanted ?? version == version else { throw InventoryError.conflict(stored) }
            let copies = look.sales.filter(\.changesStock).map(\.quantity).reduce(0, &+)
            let movement =
                stored.map { source.deletion(1, of: $0) } ?? source.movement(1, of: sku, .deletion, 0 &- copies)
            return [.delete(stored, sku, version, movement, opening: look.named.first)]
        }
        return try made.look.deletable(sku).stored?.record
    }

    /// Creates the bucket and the collections that are missing.
    ///
    /// Kinto 26.5.0 on PostgreSQL responds with 409 to a bucket, too, if another one is created in the same
    /// millisecond. It is not there then, so it is created again.
    func makeShop() async throws {
        for attempt in 1...3 {
            do {
                try await server.createIfAllowed(ShopPath.bucket(bucket))
                try await server.create(ShopPath.collection(ShopPath.records, in: bucket))
                try await server.createIfAllowed(ShopPath.collection(Ledger.lockCollection, in: bucket))
                break
            } catch InventoryError.noShop {
                if attempt == 3 { throw InventoryError.notAllowed }
            }
        }
        try await prepareLedger()
    }

    /// The maximum number of attempts. Another program succeeded each time, so many in a row indicate a fault.
    static let attempts = 100
}

/// What a change made, or would make.
struct Made: Sendable {
    /// What the plan was made of.
    let look: StockSnapshot
    /// Empty if there was nothing to do.
    let changes: [MadeChange]
}

struct MadeChange: Sendable {
    private let change: RecordChange
    /// The record afterwards. `nil` if there is none.
    let stored: StoredRecord?

    /// - Parameter stored: The record afterwards, if it is known.
    init(_ change: RecordChange, _ stored: StoredRecord?) {
        self.change = change
        self.stored = stored ?? change.result
    }

    var sku: SKU { change.sku }
    /// The record before, if the change knows it.
    var before: Record? { change.stored?.record }
    /// The record afterwards, or as it was deleted, or what takes its place for a movement without one.
    var record: Record {
        stored?.record ?? before ?? Record(soldBy: change.proof)
    }
    var movements: [Movement] { change.movements }
}

extension Record {
    /// Returns the record with more copies, or fewer if `difference` is negative.
    func moved(by difference: Int) throws(StockShortage) -> Record {
        var record = self
        let (quantity, overflow) = record.quantity.addingReportingOverflow(difference)
        // Another program may have stored more than the maximum. Copies can still be subtracted.
        guard !overflow, difference < 0 ? quantity >= 0 : quantity <= Record.quantities.upperBound else {
            throw StockShortage(record: self, wanted: difference)
        }
        record.quantity = quantity
        record.adaptStatus(after: self.quantity)
        return record
    }
}

/// A change of more records than the server writes at once. Nothing was sent.
struct TooManyLines: Error, CustomStringConvertible {
    let count: Int
    let limit: Int
    /// The number of requests in the batch.
    let size: Int

    /// What the operator of the server can do.
    var advice: String { "set kinto.batch_max_requests to \(size) or more in the server's settings" }

    var description: String {
        "\(count) different records are too many for one change on this server, which takes \(limit): nothing was "
            + "changed; make several, or \(advice)"
    }
}
