/// One row of a file: the record that it holds, or why it holds none.
struct ImportRow: Sendable {
    /// As a spreadsheet shows it: the header is row 1.
    let number: Int
    let record: Result<Record, RowError>
    /// What the row says of the record; of the rest it says nothing.
    var fields: Set<RecordField> = []
    /// What was changed to make a record of it, such as a rounded price.
    var notes: [String] = []
}

/// Why a row cannot be imported.
struct RowError: Error, Equatable, Sendable, CustomStringConvertible {
    let row: Int
    /// As far as the row shows one.
    let sku: String?
    let reason: String

    /// `row 3 (SKU-2): barcode "4006381333932": …`
    var description: String {
        let name = sku.map { " (\($0.shown))" } ?? ""
        return "row \(row)\(name): \(reason)"
    }
}
