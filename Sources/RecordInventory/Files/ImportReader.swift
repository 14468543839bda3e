/// Reads the records of a file, one row at a time: a bad row is reported and the next one read.
struct ImportReader {
    let format: ImportFormat
    private var rows: CSVReader
    private let columns: Columns
    /// The row in which each SKU was seen first.
    private var seen: [SKU: Int] = [:]

    private enum Columns {
        case inventory(InventoryCSV)
        case discogs(DiscogsExport)
    }

    /// Reads the header. Without a format it is guessed; the currency is for rows that name none, and a Discogs file,
    /// which never names one, cannot be read without.
    init(_ file: InputFile, format: ImportFormat? = nil, currency: Currency? = nil) throws(ImportError) {
        rows = try CSVReader(file)
        guard let header = try rows.next() else { throw .empty(path: file.path) }
        if let problem = header.problem { throw .header(problem) }
        // Cells that spreadsheets leave behind to the right of the names are no columns.
        let cells = (0..<header.count).map { header[$0].trimmed.lowercased() }
        let names = Array(cells.prefix((cells.lastIndex { !$0.isEmpty } ?? -1) + 1))
        self.format = format ?? ImportFormat(columns: names)
        columns =
            switch self.format {
            case .discogs: .discogs(try DiscogsExport(columns: names, currency: currency))
            case .csv: .inventory(try InventoryCSV(columns: names, currency: currency))
            }
        fields =
            switch columns {
            case .inventory(let columns): columns.named
            case .discogs(let columns): columns.named
            }
    }

    /// What the columns are for.
    private let fields: Set<RecordField>

    /// How much of the file has been read, from 0 to 1; nil for a pipe.
    var fractionRead: Double? { rows.fractionRead }

    /// The next row; nil at the end.
    mutating func next() throws(ImportError) -> ImportRow? {
        guard let row = try rows.next() else { return nil }
        // A comma that does not divide cells may divide decimals, as spreadsheets in much of Europe write them.
        let hasDecimalCommas = rows.delimiter != .comma
        var result: RowRecord =
            switch columns {
            case .inventory(let columns): columns.record(from: row, hasDecimalCommas: hasDecimalCommas)
            case .discogs(let columns): columns.record(from: row, hasDecimalCommas: hasDecimalCommas)
            }
        if let sku = result.sku {
            if let first = seen[sku] {
                result.errors.insert("this SKU is already in row \(first)", at: 0)
            } else {
                seen[sku] = row.number
            }
        }
        if let record = result.record, result.errors.isEmpty {
            return ImportRow(
                number: row.number, record: .success(record), fields: fields.subtracting(result.defaulted),
                notes: result.notes)
        }
        let reason = result.errors.joined(separator: "; ")
        return ImportRow(
            number: row.number, record: .failure(RowError(row: row.number, sku: result.skuText, reason: reason)))
    }
}
