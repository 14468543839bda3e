/// Brings rows into the stock, by batches, and says of each what became of it.
struct ImportWriter: Sendable {
    let stock: Stock
    let policy: Command.Import.DuplicatePolicy
    /// What is in stock, when nothing is to be written.
    private(set) var known: [String: Record?]?
    /// The SKUs of each listing that is in stock, once they were asked for.
    var listings: [Int: Set<String>]?

    init(stock: Stock, policy: Command.Import.DuplicatePolicy) {
        self.stock = stock
        self.policy = policy
    }

    /// From now on nothing is written: rows are held against what is in stock now.
    ///
    /// - Throws: ``InventoryError/noShop`` where there is no shop: then nothing is in stock.
    mutating func readStock() async throws {
        var known: [String: Record?] = [:]
        defer { self.known = known }
        try await stock.eachPage { page in
            for stored in page.records { known[stored.record.sku.recordID] = stored.record }
            for record in page.unreadable { known[record.id] = .some(nil) }
            return true
        }
    }

    /// Writes the rows, and tells in the summary what became of each, also of those before an error.
    func write(_ rows: [ImportRow], _ summary: inout ImportSummary) async throws {
        if rows.isEmpty { return }
        if let known { return compare(rows, with: known, &summary) }
        var pending = rows.map { Pending(row: $0, record: $0.record, over: nil) }
        // Each round settles all rows but those that somebody else wrote meanwhile.
        for _ in 0..<Self.attempts where !pending.isEmpty {
            let answers = try await stock.write(pending.map { ($0.record, $0.over) })
            var next: [Pending] = []
            var failure: (any Error)?
            for (item, answer) in zip(pending, answers) {
                do {
                    if let again = try await settle(item, answer, &summary) { next.append(again) }
                } catch let error as RowError {
                    summary.rejected.append(error)
                } catch {
                    // What was written of the others counts.
                    failure = failure ?? error
                }
            }
            if let failure { throw failure }
            pending = next
        }
        summary.rejected += pending.map {
            $0.row.rejected("somebody else keeps changing this record; import the file again")
        }
    }

    /// What an answer makes of a row: nil when it is settled, else what is to be written next. Throws a `RowError` for
    /// a row that cannot be brought in.
    private func settle(
        _ item: Pending, _ answer: BatchAnswer, _ summary: inout ImportSummary
    ) async throws -> Pending? {
        let row = item.row
        switch answer {
        case .success:
            if let over = item.over?.record {
                update(row, over, to: item.record, &summary)
            } else {
                summary.created += 1
            }
            return nil
        case .failure(.conflict(let existing)) where policy == .update:
            let current = try await current(existing, of: row)
            let wanted = (current?.record).map(row.updating) ?? row.record
            guard current?.record == wanted else { return Pending(row: row, record: wanted, over: current) }
            summary.unchanged += 1
            return nil
        case .failure(.conflict(let existing)):
            try leave(existing?.record, for: row, &summary)
            return nil
        case .failure(.notFound):
            // It was deleted meanwhile, so there is nothing to update any more.
            return Pending(row: row, record: row.record, over: nil)
        case .failure(.refused(let problem)) where problem.code < 500:
            throw row.rejected("the server says: \(problem.text)")
        case .failure(.notAllowed): throw row.rejected("this account may not write this record")
        case .failure(let error): throw error
        }
    }

    /// A row whose SKU is in stock, and stays as it is there; nil when nobody knows how that is.
    private func leave(_ existing: Record?, for row: ImportRow, _ summary: inout ImportSummary) throws(RowError) {
        if policy == .fail { throw row.rejected("this SKU is in stock already") }
        summary.unchanged += 1
        if let existing, existing != row.updating(existing) { summary.differing += 1 }
    }

    /// A row that changes what is in stock. Copies that were sold since the file was written would be sold again.
    private func update(_ row: ImportRow, _ existing: Record, to record: Record, _ summary: inout ImportSummary) {
        summary.updated += 1
        guard existing.quantity == 0, record.quantity > 0 else { return }
        summary.returns.append(
            "row \(row.number) (\(row.record.sku.text)): was sold out; the file puts \(record.quantity) back")
    }

    private func compare(_ rows: [ImportRow], with known: [String: Record?], _ summary: inout ImportSummary) {
        for row in rows {
            do throws(RowError) {
                try compare(row, with: known[row.record.sku.recordID], &summary)
            } catch {
                summary.rejected.append(error)
            }
        }
    }

    /// - Parameter existing: nil when it is not in stock, nil in it when it cannot be read.
    private func compare(
        _ row: ImportRow, with existing: Record??, _ summary: inout ImportSummary
    ) throws(RowError) {
        switch existing {
        case nil: summary.created += 1
        case .some(nil) where policy == .update: throw row.rejected("what is in stock cannot be read")
        case let existing?:
            let wanted = existing.map(row.updating)
            if policy == .update, let existing, let wanted, existing != wanted {
                update(row, existing, to: wanted, &summary)
            } else {
                try leave(existing, for: row, &summary)
            }
        }
    }

    /// The record that stands in the way, nil when it is gone again; read anew where the server tells of none or of
    /// another.
    private func current(_ existing: StoredRecord?, of row: ImportRow) async throws -> StoredRecord? {
        if let existing, existing.record.sku == row.record.sku { return existing }
        do {
            return try await stock.find(row.record.sku)
        } catch InventoryError.unreadable(let record) {
            throw row.rejected(record.description)
        }
    }

    private struct Pending {
        let row: ImportRow
        /// What is to be written for the row.
        let record: Record
        let over: StoredRecord?
    }

    private static let attempts = 100
}

/// What became of the rows of a file.
struct ImportSummary: Sendable {
    var created = 0
    var updated = 0
    var unchanged = 0
    var rejected: [RowError] = []
    /// How many of the unchanged are in stock with other values than the file's.
    var differing = 0
    /// The rows that put copies of what was sold out back into the stock, as they are told of.
    var returns: [String] = []

    /// How many rows went in, or were there already.
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
        ]
    }

    var text: String {
        "\(created) created, \(updated) updated, \(unchanged) unchanged, \(rejected.count) rejected"
    }

    /// What the counts do not tell.
    var notes: [String] {
        if differing == 0 { return returns }
        let subject = differing == 1 ? "1 SKU is" : "\(differing) SKUs are"
        return returns + [
            "\(subject) in stock with other values, which stay as they are; --on-duplicate update takes the file's."
        ]
    }
}
