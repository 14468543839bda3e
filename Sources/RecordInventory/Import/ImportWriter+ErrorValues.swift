// Errors of a spreadsheet, such as #NAME?, in place of texts.
extension ImportWriter {
    /// Removes the rows with errors in place of texts whose SKU is not in stock, and returns their errors. A record in
    /// stock keeps its texts.
    func rejectErrorValues(_ rows: inout [ImportRow]) async throws -> [RowError] {
        let damaged = rows.filter { !$0.errorValues.isEmpty }
        if damaged.isEmpty { return [] }
        let stocked = try await stock.stored(damaged.map(\.record.sku))
        let rejected = damaged.filter { stocked[$0.record.sku.recordID] == nil }
        let numbers = Set(rejected.map(\.number))
        rows.removeAll { numbers.contains($0.number) }
        return rejected.compactMap { row in
            do throws(RowError) { try row.checkErrorValues() } catch { return error }
            return nil
        }
    }
}

extension ImportRow {
    /// Throws if a text of a new record is an error of a spreadsheet.
    func checkErrorValues() throws(RowError) {
        guard let field = RecordField.allCases.first(where: errorValues.contains) else { return }
        let value = field.text(of: record) ?? ""
        throw rejected("\(field.rawValue) \"\(value.shown)\": an error of a spreadsheet; correct the cell")
    }
}
