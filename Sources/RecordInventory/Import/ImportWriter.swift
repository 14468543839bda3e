import RecordKitJSON

/// What happens to a row of an import whose SKU is in stock.
enum DuplicatePolicy: String, CaseIterable, Sendable {
    case skip, update, fail
}

/// Writes rows to the stock in batches, and counts the results.
struct ImportWriter: Sendable {
    let stock: Stock
    let policy: DuplicatePolicy
    /// Whether an update sets quantities.
    var setsQuantity = false
    /// The SKUs of each listing in stock, once they have been read.
    var listings: [Int: Set<String>]?

    /// Writes rows and adds the results to `summary`, also those before an error. In a dry run, only compares them.
    func write(_ rows: [ImportRow], _ summary: inout ImportSummary) async throws {
        if rows.isEmpty { return }
        if stock.isDryRun { return try await compare(rows, &summary) }
        let made = try await made(rows.map(\.record.sku))
        summary.unchanged += made.count
        var pending = rows.filter { !made.contains($0.record.sku) }.map {
            Pending(row: $0, record: $0.record, over: nil)
        }
        // Each round settles all rows except those whose records another program has changed.
        for _ in 0..<Self.attempts where !pending.isEmpty {
            let results = try await stock.write(pending.map { ($0.record, $0.over) })
            var next: [Pending] = []
            var failure: (any Error)?
            for (item, result) in zip(pending, results) {
                do {
                    if let again = try await handle(item, result, &summary) { next.append(again) }
                } catch let error as RowError {
                    summary.rejected.append(error)
                } catch {
                    // The other rows of the batch still count.
                    failure = failure ?? error
                }
            }
            if let failure { throw failure }
            pending = next
        }
        summary.rejected += pending.map {
            $0.row.rejected("another program keeps changing this record; import the file again")
        }
    }

    /// Returns the records that the command has changed before, under the same id.
    private func made(_ skus: [SKU]) async throws -> Set<SKU> {
        if stock.source.isNewCommand || stock.source.command == nil { return [] }
        let looks = try await stock.lookEach(skus, Stock.bulkKinds)
        return Set(looks.filter { $0.isMade(by: stock.source.command) }.map(\.sku))
    }

    /// Handles the response to a row. Returns the next attempt, or `nil` if there is none.
    ///
    /// - Throws: `RowError` if the row cannot be imported.
    func handle(
        _ item: Pending, _ result: ChangeResult, _ summary: inout ImportSummary
    ) async throws -> Pending? {
        let row = item.row
        switch result {
        case .success:
            if let over = item.over?.record {
                update(row, over, to: item.record, &summary)
            } else {
                summary.create(row)
            }
            return nil
        case .failure(.conflict(let existing)) where policy == .update:
            let current = try await current(existing, of: row)
            if current == nil, let damage = row.damage { throw damage }
            let wanted =
                try (current?.record).map { record throws(RowError) in try updated(record, by: row) } ?? row.record
            guard current?.record == wanted else { return Pending(row: row, record: wanted, over: current) }
            summary.unchanged += 1
            keep(current?.record, row, &summary)
            return nil
        case .failure(.conflict(let existing)):
            try leave(existing?.record, for: row, &summary)
            return nil
        case .failure(.notFound):
            // The record was deleted in the meantime, so it is created again.
            if let damage = row.damage { throw damage }
            return Pending(row: row, record: row.record, over: nil)
        case .failure(.refused(let problem)) where problem.code < 500:
            throw row.rejected("the server says: \(problem.text)")
        case .failure(.notAllowed): throw row.rejected("this account may not write this record")
        case .failure(let error): throw error
        }
    }

    /// Counts a row whose SKU stays unchanged in stock.
    ///
    /// - Parameter existing: The record in stock, or `nil` if it is unknown.
    func leave(_ existing: Record?, for row: ImportRow, _ summary: inout ImportSummary) throws(RowError) {
        if policy == .fail { throw row.rejected("this SKU is in stock already") }
        summary.unchanged += 1
        if let existing, try existing != updated(existing, by: row) { summary.differing += 1 }
    }

    /// Counts a row that changes a record. Notes copies that come back to a record that was sold out.
    func update(_ row: ImportRow, _ existing: Record, to record: Record, _ summary: inout ImportSummary) {
        summary.updated += 1
        keep(existing, row, &summary)
        if existing.quantity != record.quantity { summary.corrected += 1 }
        if record.quantity < existing.quantity { summary.lowered.append((record, existing)) }
        guard existing.quantity == 0, record.quantity > 0 else { return }
        summary.returns.append(
            "row \(row.number) (\(row.record.sku.text)): was sold out; the file puts \(record.quantity) back")
    }

    func updated(_ existing: Record, by row: ImportRow) throws(RowError) -> Record {
        let (own, stocked) = (row.record.price.currency, existing.price.currency)
        if row.source == nil, row.fields.contains(.cost), !row.fields.contains(.price), row.record.cost != nil,
            own != stocked
        {
            throw row.rejected(
                "the cost is in \(own.code), and the price in stock in \(stocked.code); give the price too")
        }
        return try row.updating(existing, setsQuantity: setsQuantity)
    }

    /// Counts the values of the file that differ from the stock, and are not taken: quantities, and texts that a
    /// spreadsheet may have made.
    func keep(_ existing: Record?, _ row: ImportRow, _ summary: inout ImportSummary) {
        guard let existing else { return }
        summary.keptTexts += row.keptTexts(of: existing).count
        summary.errorValues += row.errorValues.count
        guard !setsQuantity, row.fields.contains(.quantity) else { return }
        if existing.quantity != row.record.quantity { summary.kept += 1 }
    }

    /// Returns the conflicting record, or `nil` if it no longer exists. Reads it again if the server sent none, or
    /// another one.
    private func current(_ existing: StoredRecord?, of row: ImportRow) async throws -> StoredRecord? {
        if let existing, existing.record.sku == row.record.sku { return existing }
        do {
            return try await stock.find(row.record.sku)
        } catch InventoryError.unreadable(let record) {
            throw row.rejected(record.description)
        }
    }

    struct Pending {
        let row: ImportRow
        /// The record to write for the row.
        let record: Record
        let over: StoredRecord?
    }

    private static let attempts = 100
}

/// The results of an import.
struct ImportSummary: Sendable {
    var created = 0
    var updated = 0
    var unchanged = 0
    var rejected: [RowError] = []
    /// The number of unchanged rows that differ from the stock.
    var differing = 0
    /// What a dry run would do with the rows of the latest batch.
    var previews: [RowPreview] = []
    /// The number of texts that stay, since a spreadsheet may have made others of them.
    var keptTexts = 0
    /// The number of texts that stay, since the file has a spreadsheet's error in place of them.
    var errorValues = 0
    /// The number of quantities that were set.
    var corrected = 0
    /// The number of quantities in the file that differ from the stock, and were not taken.
    var kept = 0
    /// The records of the latest batch that have fewer copies, each after and before.
    var lowered: [(record: Record, before: Record)] = []
    /// The notes about copies that come back to records that were sold out.
    var returns: [String] = []

    /// The number of new records that got one copy, since the cell of their quantity is blank.
    var withoutQuantity = 0

    /// Counts a row that adds a record.
    mutating func create(_ row: ImportRow) {
        created += 1
        if row.lacksQuantity { withoutQuantity += 1 }
    }

    /// The number of rows that are in stock now.
    var accepted: Int { created + updated + unchanged }

    var json: JSONValue {
        [
            "created": JSONValue(created),
            "updated": JSONValue(updated),
            "unchanged": JSONValue(unchanged),
            "rejected": .array(
                rejected.sorted { $0.row < $1.row }.map { row in
                    ["row": JSONValue(row.row), "sku": JSONValue(row.sku), "reason": .string(row.reason)]
                }),
            "quantities_set": JSONValue(corrected),
            "quantities_kept": JSONValue(kept),
        ]
    }

    var text: String {
        "\(created) created, \(updated) updated, \(unchanged) unchanged, \(rejected.count) rejected"
            + (corrected == 0 ? "" : "; \(corrected) quantit\(corrected == 1 ? "y" : "ies") set")
    }

    /// The notes beside the counts.
    var notes: [String] {
        var notes = returns
        if withoutQuantity > 0 { notes.append("\(withoutQuantity.counted("row")) without a quantity got 1 copy.") }
        if kept > 0 {
            notes.append(
                "\(kept) quantit\(kept == 1 ? "y differs" : "ies differ") from the stock, which stays as it is: copies may "
                    + "have been sold since the file was written; --set-quantity takes the file's.")
        }
        if keptTexts > 0 {
            notes.append(
                "\(keptTexts) text\(keptTexts == 1 ? " stays" : "s stay") as in stock, since a spreadsheet may have made the "
                    + "one in the file of it, such as 12 of 0012 or 01-Mar of MAR-01; --trust-numbers takes the file's."
            )
        }
        if errorValues > 0 {
            notes.append(
                "\(errorValues) text\(errorValues == 1 ? " stays" : "s stay") as in stock, since the file has a spreadsheet's "
                    + "error there, such as #NAME?.")
        }
        if differing == 0 { return notes }
        let subject = differing == 1 ? "1 SKU is" : "\(differing) SKUs are"
        return notes + [
            "\(subject) in stock with other values, which stay as they are; --on-duplicate update takes the file's."
        ]
    }
}
