// Errors of a spreadsheet, such as #NAME?, in place of texts.
extension ImportWriter {
    /// Removes the rows with errors in place of texts whose SKU is not in stock, and returns their errors. A record in
    /// stock keeps its texts.
    func rejectErrorValues(_ rows: inout [ImportRow]) async throws -> [RowError] {
        let damaged = rows.filter { !$0.errorValues.isEmpty }
        if damaged.isEmpty { return [] }
        let stocked = try await stock.stored(damaged.map(\.record.sku))
        let rejected = damaged.filter { stocked[$0.record.sku.recordID] == nil }.compactMap(\.damage)
        let numbers = Set(rejected.map(\.row))
        rows.removeAll { numbers.contains($0.number) }
        return rejected
    }
}

extension ImportRow {
    /// Why the row cannot be a new record, if one of its texts is an error of a spreadsheet.
    var damage: RowError? {
        guard let field = RecordField.allCases.first(where: errorValues.contains) else { return nil }
        let value = field.text(of: record) ?? ""
        return rejected("\(field.rawValue) \"\(value.shown)\": an error of a spreadsheet; correct the cell")
    }
}
