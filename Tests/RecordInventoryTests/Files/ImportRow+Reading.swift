@testable import RecordInventory

extension ImportRow {
    /// The rows of a file with this text.
    static func all(in text: String, currency: String? = nil) throws -> [ImportRow] {
        let folder = try TemporaryFolder()
        let file = try InputFile(folder.write(text.utf8))
        var reader = try ImportReader(file, currency: currency.map { try Currency($0) })
        var rows: [ImportRow] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }

    /// Why it holds no record.
    var reason: String? {
        guard case .failure(let error) = record else { return nil }
        return error.reason
    }
}
