// Dry runs.
extension ImportWriter {
    /// Compares rows with the stock, and counts what an import would do.
    func compare(_ rows: [ImportRow], _ summary: inout ImportSummary) async throws {
        let stocked = try await stock.stored(rows.map(\.record.sku))
        for row in rows {
            do {
                let preview = try await preview(of: row, over: stocked[row.record.sku.recordID], &summary)
                summary.previews.append(preview)
            } catch let error as RowError {
                summary.rejected.append(error)
            }
        }
    }

    /// - Parameter existing: The record in stock, or `nil` if there is none.
    private func preview(
        of row: ImportRow, over existing: Result<StoredRecord, UnreadableRecord>?, _ summary: inout ImportSummary
    ) async throws -> RowPreview {
        var preview = RowPreview(row: row.number, sku: row.record.sku, result: .unchanged)
        switch existing {
        case nil:
            summary.create(row)
            preview.result = .created
        case .failure:
            if policy == .update { throw row.rejected("the record in stock cannot be read") }
            try leave(nil, for: row, &summary)
        case .success(let stored):
            // As if the server had refused to create the record.
            let pending = Pending(row: row, record: row.record, over: nil)
            guard let next = try await handle(pending, .failure(.conflict(stored)), &summary) else { break }
            update(row, stored.record, to: next.record, &summary)
            preview.result = .updated
            preview.differences = FieldDifference.all(from: stored.record, to: next.record)
        }
        return preview
    }
}
