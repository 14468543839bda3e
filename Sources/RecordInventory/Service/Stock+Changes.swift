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

    /// Changes a record to what `change` makes of it as it is at that moment. When somebody else is faster, reads it
    /// again and starts over.
    func update(_ sku: SKU, _ change: (Record) throws -> Record) async throws -> StoredRecord {
        try await apply(to: sku) { current in
            let record = try change(current.record)
            return record == current.record ? nil : .change(current, to: record)
        }
    }

    /// Adds to the quantity, or takes from it; never below zero. What was for sale is sold with its last copy, and for
    /// sale again with the next one.
    ///
    /// - Parameter known: the record as it was a moment ago, which saves reading it.
    /// - Throws: ``InventoryError`` or ``StockShortage``.
    func changeQuantity(of sku: SKU, by difference: Int, known: StoredRecord? = nil) async throws -> StoredRecord {
        try await apply(to: sku, known) { current in
            var record = current.record
            let (quantity, overflow) = record.quantity.addingReportingOverflow(difference)
            // Another program may have stored more than a record can have: some can be taken all the same.
            guard !overflow, difference < 0 ? quantity >= 0 : quantity <= Record.quantities.upperBound else {
                throw StockShortage(record: current.record, wanted: difference)
            }
            record.quantity = quantity
            record.adaptStatus(after: current.record.quantity)
            return .change(current, to: record)
        }
    }

    /// Deletes the record as it is, also when somebody else changes it meanwhile. Gives back what was deleted; nil for
    /// a record that somebody else wrote and that cannot be read.
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

    /// Deletes the record if it is still of that version.
    func delete(_ sku: SKU, _ version: Version) async throws(InventoryError) {
        try await checkLock()
        do {
            _ = try await answer(to: .delete(sku, version))
        } catch {
            if case .noShop = error { throw .notAllowed }
            throw error
        }
    }

    /// The record that could be deleted now, nil for one that cannot be read, and its version.
    func deletable(_ sku: SKU) async throws(InventoryError) -> (Record?, Version) {
        do {
            let stored = try await fetch(sku)
            return (stored.record, stored.version)
        } catch {
            guard case .unreadable(let record) = error, let version = record.version else { throw error }
            return (nil, version)
        }
    }

    /// Makes the bucket and the collections where they are missing.
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

    /// Reads the record and sends what `change` makes of it, again and again as long as somebody else is faster. When
    /// there is nothing to send, the record is as it should be.
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

    /// The record as it is now, after a conflict; any other error is thrown again. It was there a moment ago: so the
    /// shop is there too.
    private func newer(
        than current: StoredRecord, after error: InventoryError
    ) async throws(InventoryError) -> StoredRecord {
        if case .noShop = error { throw .notAllowed }
        guard case .conflict(let existing) = error else { throw error }
        // A server whose conflict tells of another record would have that one changed.
        if let existing, existing.record.sku == current.record.sku { return existing }
        return try await fetch(current.record.sku)
    }

    /// Each time somebody else got through; so many in a row mean that something is wrong.
    private static let attempts = 1_000
}
