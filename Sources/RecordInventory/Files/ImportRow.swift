/// One row of a file, with the record that it holds.
struct ImportRow: Sendable {
    /// As a spreadsheet shows it: the header is row 1.
    let number: Int
    let record: Record
    /// What the row says of the record; of the rest it says nothing, and that stays as it is in stock.
    var fields = Set(RecordField.allCases)
    /// What was changed to make a record of it, such as a rounded price.
    var notes: [String] = []

    /// What the row makes of the record that is in stock under its SKU. Where the row says no quantity, what has no
    /// copies does not become for sale: they may have been sold since the file was written.
    func updating(_ stocked: Record) -> Record {
        let isGone = record.status == .forSale && stocked.quantity == 0 && !fields.contains(.quantity)
        return stocked.taking(isGone ? fields.subtracting([.status]) : fields, from: record)
    }

    func rejected(_ reason: String) -> RowError {
        RowError(row: number, sku: record.sku.text, reason: reason)
    }
}
