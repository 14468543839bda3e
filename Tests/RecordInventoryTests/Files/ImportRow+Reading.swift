@testable import RecordInventory

extension ImportRow {
    /// The rows of a file with this text.
    static func all(in text: String, currency: String? = nil) throws -> [Result<ImportRow, RowError>] {
        let folder = try TemporaryFolder()
        let file = try InputFile(folder.write(text.utf8))
        var reader = try ImportReader(file, currency: currency.map { try Currency($0) })
        var rows: [Result<ImportRow, RowError>] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }
}

extension Result<ImportRow, RowError> {
    var number: Int {
        switch self {
        case .success(let row): row.number
        case .failure(let error): error.row
        }
    }

    var fields: Set<RecordField> { (try? get())?.fields ?? [] }
    var notes: [String] { (try? get())?.notes ?? [] }

    /// Why it holds no record.
    var reason: String? {
        guard case .failure(let error) = self else { return nil }
        return error.reason
    }
}
