/// What the columns of a file are for, and what they make of its rows.
protocol RowFormat: Sendable {
    /// The fields that the file has a value for.
    var named: Set<RecordField> { get }

    func record(from row: CSVRow) -> RowRecord
}
