// Dry runs.
extension ImportWriter {
    /// Compares rows with the stock, and counts what an import would do.
    func compare(_ rows: [ImportRow], _ summary: inout ImportSummary) async throws {
        let stocked = try await stock.find(rows.map(\.record.sku))
        for row in rows {
            let before = summary
            do throws(RowError) {
                try compare(row, with: stocked[row.record.sku.recordID], &summary)
                let result: RowPreview.Result =
                    summary.created > before.created
                    ? .created : summary.updated > before.updated ? .updated : .unchanged
                let old = stocked[row.record.sku.recordID] ?? nil
                let differences = old.map { FieldDifference.all(from: $0, to: updated($0, by: row)) } ?? []
                summary.previews.append(
                    RowPreview(
                        row: row.number, sku: row.record.sku, result: result,
                        differences: result == .updated ? differences : []))
            } catch {
                summary.rejected.append(error)
            }
        }
    }

    /// - Parameter existing: `nil` if the SKU is not in stock, and `nil` in it if the record cannot be read.
    private func compare(
        _ row: ImportRow, with existing: Record??, _ summary: inout ImportSummary
    ) throws(RowError) {
        switch existing {
        case nil: summary.created += 1
        case .some(nil) where policy == .update: throw row.rejected("the record in stock cannot be read")
        case let existing?:
            let wanted = existing.map { updated($0, by: row) }
            if policy == .update, let existing, let wanted, existing != wanted {
                update(row, existing, to: wanted, &summary)
            } else {
                try leave(existing, for: row, &summary)
                if policy == .update { keep(existing, row, &summary) }
            }
        }
    }
}
