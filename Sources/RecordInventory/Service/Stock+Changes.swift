import RecordKit

// Changes of one record.
extension Stock {
    func create(_ record: Record) async throws(InventoryError) -> StoredRecord {
        do {
            return try await written(.create(record))
        } catch {
            guard case .noShop = error else { throw error }
        }
        try await makeShop()
        return try await written(.create(record))
    }

    /// Changes a record with `change`. Reads it again and repeats if another program was faster.
    func update(_ sku: SKU, _ change: (Record) throws -> Record) async throws -> StoredRecord {
        try await apply(to: sku) { current in
            let record = try change(current.record)
            return record == current.record ? nil : .change(current, to: record)
        }
    }

    /// Adds to the quantity, or subtracts from it. It never becomes negative. A record for sale becomes sold with its
    /// last copy, and for sale again with the next one.
    ///
    /// - Parameter known: the record as just read, which saves a request.
    /// - Throws: ``InventoryError`` or ``StockShortage``.
    func changeQuantity(of sku: SKU, by difference: Int, known: StoredRecord? = nil) async throws -> StoredRecord {
        try await apply(to: sku, known) { current in
            var record = current.record
            let (quantity, overflow) = record.quantity.addingReportingOverflow(difference)
            // Another program may have stored more than the maximum. Copies can still be subtracted.
            guard !overflow, difference < 0 ? quantity >= 0 : quantity <= Record.quantities.upperBound else {
                throw StockShortage(record: current.record, wanted: difference)
            }
            record.quantity = quantity
            record.adaptStatus(after: current.record.quantity)
            return .change(current, to: record)
        }
    }

    /// Deletes the record, also if another program changes it meanwhile. Returns the deleted record, or `nil` if it
    /// could not be read.
    func delete(_ sku: SKU) async throws(InventoryError) -> Record? {
        for _ in 0..<Self.attempts {
            let (record, version) = try await deletable(sku)
            do {
                try await delete(sku, version)
                return record
            } catch {
                guard case .conflict = error else { throw error }
            }
        }
        throw .conflict(nil)
    }

    /// Deletes the record if it still has the version.
    func delete(_ sku: SKU, _ version: Version) async throws(InventoryError) {
        try await checkLock()
        do {
            _ = try await answer(to: .delete(sku, version))
        } catch {
            if case .noShop = error { throw .notAllowed }
            throw error
        }
    }

    /// Returns the record to delete, or `nil` if it cannot be read, and its version.
    func deletable(_ sku: SKU) async throws(InventoryError) -> (Record?, Version) {
        do {
            let stored = try await fetch(sku)
            return (stored.record, stored.version)
        } catch {
            guard case .unreadable(let record) = error, let version = record.version else { throw error }
            return (nil, version)
        }
    }

    /// Creates the bucket and the collections that are missing.
    func makeShop() async throws(InventoryError) {
        do {
            try await server.value(for: ShopService.makeBucket(bucket))
            try await server.value(for: ShopService.makeRecords(in: bucket))
            try await server.value(for: ShopService.makeLocks(in: bucket))
        } catch {
            if case .noShop = error { throw .notAllowed }
            throw error
        }
    }

    private func answer(to change: RecordChange) async throws(InventoryError) -> StoredRecord? {
        try await send([change])[0].get()
    }

    private func written(_ change: RecordChange) async throws(InventoryError) -> StoredRecord {
        guard let record = try await answer(to: change) else { throw .notFound }
        return record
    }

    /// Reads the record and sends the result of `change`, until no other program is faster. Returns the record as it is
    /// if `change` returns `nil`.
    private func apply(
        to sku: SKU, _ known: StoredRecord? = nil, _ change: (StoredRecord) throws -> RecordChange?
    ) async throws -> StoredRecord {
        var current: StoredRecord
        if let known { current = known } else { current = try await fetch(sku) }
        var isChecked = false
        for _ in 0..<Self.attempts {
            guard let change = try change(current) else { return current }
            if !isChecked { try await checkLock() }
            isChecked = true
            do {
                return try await written(change)
            } catch {
                current = try await newer(than: current, after: error)
            }
        }
        throw InventoryError.conflict(current)
    }

    /// Returns the current record after a conflict, and rethrows any other error. The record existed a moment ago, so
    /// the shop exists too.
    private func newer(
        than current: StoredRecord, after error: InventoryError
    ) async throws(InventoryError) -> StoredRecord {
        if case .noShop = error { throw .notAllowed }
        guard case .conflict(let existing) = error else { throw error }
        // The server may send another record with its conflict, which must not be changed.
        if let existing, existing.record.sku == current.record.sku { return existing }
        return try await fetch(current.record.sku)
    }

    /// The maximum number of attempts. Another program succeeded each time, so many in a row indicate a fault.
    private static let attempts = 1_000
}
