// Rows that can only update a record: with errors of a spreadsheet, such as #NAME?, or without a title.
extension ImportWriter {
    /// Removes the rows that cannot be new records and whose SKU is not in stock, and returns their errors. A record in
    /// stock keeps its values.
    func rejectIncomplete(_ rows: inout [ImportRow]) async throws -> [RowError] {
        let damaged = rows.filter { $0.damage != nil }
        if damaged.isEmpty { return [] }
        let stocked = try await stock.stored(damaged.map(\.record.sku))
        let rejected = damaged.filter { stocked[$0.record.sku.recordID] == nil }.compactMap(\.damage)
        let numbers = Set(rejected.map(\.row))
        rows.removeAll { numbers.contains($0.number) }
        return rejected
    }
}

extension ImportRow {
    /// Why the row cannot be a new record, if it lacks a value, or one of its texts is an error of a spreadsheet.
    var damage: RowError? {
        if let lack { return rejected(lack) }
        guard let field = RecordField.allCases.first(where: errorValues.contains) else { return nil }
        let value = field.text(of: record) ?? ""
        return rejected("\(field.rawValue) \"\(value.shown)\": an error of a spreadsheet; correct the cell")
    }
}
