/// Brings rows into the stock, by batches, and says of each what became of it.
struct ImportWriter: Sendable {
    struct Row: Sendable {
        let number: Int
        let record: Record
        /// What takes the place of a record in stock; the rest stays as it is there.
        var fields = Set(RecordField.allCases)
    }

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
    mutating func readStock() async throws {
        var known: [String: Record?] = [:]
        do {
            try await stock.eachPage { page in
                for stored in page.records { known[stored.record.sku.recordID] = stored.record }
                for record in page.unreadable { known[record.id] = .some(nil) }
                return true
            }
        } catch InventoryError.noShop {
            // It would be made.
        }
        self.known = known
    }

    /// Writes the rows, counts them in the summary, and gives back those that were rejected.
    func write(_ rows: [Row], _ summary: inout ImportSummary) async throws -> [RowError] {
        if rows.isEmpty { return [] }
        if let known { return compare(rows, with: known, &summary) }
        var rejected: [RowError] = []
        var pending = rows.map { Pending(row: $0, record: $0.record, over: nil) }
        // Each round settles all rows but those that somebody else wrote meanwhile.
        for _ in 0..<Self.patience where !pending.isEmpty {
            let answers = try await stock.write(pending.map { ($0.record, $0.over) })
            var next: [Pending] = []
            for (item, answer) in zip(pending, answers) {
                switch answer {
                case .success:
                    if let over = item.over?.record {
                        update(item.row, over, to: item.record, &summary)
                    } else {
                        summary.created += 1
                    }
                case .failure(.conflict(let existing)):
                    guard policy == .update else {
                        settle(item.row, existing?.record, &summary, &rejected)
                        continue
                    }
                    let current: StoredRecord?
                    do throws(InventoryError) {
                        current = try await self.current(existing, of: item.row.record.sku)
                    } catch {
                        guard case .unreadable = error else { throw error }
                        rejected.append(item.row.rejected(error.description))
                        continue
                    }
                    let wanted = current?.record.taking(item.row.fields, from: item.row.record) ?? item.row.record
                    if current?.record == wanted {
                        summary.unchanged += 1
                    } else {
                        next.append(Pending(row: item.row, record: wanted, over: current))
                    }
                case .failure(.notFound):
                    // It was deleted meanwhile, so there is nothing to update any more.
                    next.append(Pending(row: item.row, record: item.row.record, over: nil))
                case .failure(.refused(let problem)) where problem.code < 500:
                    rejected.append(item.row.rejected("the server says: \(problem.text)"))
                case .failure(let error): throw error
                }
            }
            pending = next
        }
        return rejected + pending.map { $0.row.rejected("somebody else keeps changing this record") }
    }

    /// A row whose SKU is in stock, and stays as it is there; nil when nobody knows how that is.
    private func settle(
        _ row: Row, _ existing: Record?, _ summary: inout ImportSummary, _ rejected: inout [RowError]
    ) {
        if policy == .fail {
            rejected.append(row.rejected("this SKU is in stock already"))
        } else {
            summary.unchanged += 1
            if let existing, existing != existing.taking(row.fields, from: row.record) { summary.differing += 1 }
        }
    }

    /// A row that changes what is in stock. Copies that were sold since the file was written would be sold again.
    private func update(_ row: Row, _ existing: Record, to record: Record, _ summary: inout ImportSummary) {
        summary.updated += 1
        guard existing.quantity == 0, record.quantity > 0 else { return }
        summary.returns.append(
            "row \(row.number) (\(row.record.sku.text)): was sold out; the file puts \(record.quantity) back")
    }

    private func compare(_ rows: [Row], with known: [String: Record?], _ summary: inout ImportSummary) -> [RowError] {
        var rejected: [RowError] = []
        for row in rows {
            switch known[row.record.sku.recordID] {
            case nil: summary.created += 1
            case .some(nil) where policy == .update: rejected.append(row.rejected("what is in stock cannot be read"))
            case let existing?:
                let wanted = existing?.taking(row.fields, from: row.record)
                if policy == .update, let existing, let wanted, existing != wanted {
                    update(row, existing, to: wanted, &summary)
                } else {
                    settle(row, existing, &summary, &rejected)
                }
            }
        }
        return rejected
    }

    /// The record that stands in the way, nil when it is gone again.
    private func current(
        _ existing: StoredRecord?, of sku: SKU
    ) async throws(InventoryError) -> StoredRecord? {
        if let existing, existing.isRecord(of: sku) { return existing }
        return try await stock.find(sku)
    }

    private struct Pending {
        let row: Row
        /// What is to be written for the row.
        let record: Record
        let over: StoredRecord?
    }

    private static let patience = 100
}

extension ImportWriter.Row {
    func rejected(_ reason: String) -> RowError {
        RowError(row: number, sku: record.sku.text, reason: reason)
    }
}
