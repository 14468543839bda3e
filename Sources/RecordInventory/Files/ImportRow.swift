/// One row of a file, with the record that it holds.
struct ImportRow: Sendable {
    /// As a spreadsheet shows it: the header is row 1.
    let number: Int
    let record: Record
    /// What the row says of the record; of the rest it says nothing, and that stays as it is in stock.
    var fields = Set(RecordField.allCases)
    /// What was changed to make a record of it, such as a rounded price.
    var notes: [String] = []

    func rejected(_ reason: String) -> RowError {
        RowError(row: number, sku: record.sku.text, reason: reason)
    }
}
