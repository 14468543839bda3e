/// Reads the records of a file, one row at a time: a bad row is reported and the next one read.
struct ImportReader {
    let format: ImportFormat
    private var rows: CSVReader
    private let columns: any RowFormat
    /// The row in which each SKU was seen first.
    private var seen: [SKU: Int] = [:]

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
        // A comma that does not divide cells may divide decimals, as spreadsheets in much of Europe write them.
        let hasDecimalCommas = rows.delimiter != .comma
        columns =
            switch self.format {
            case .discogs: try DiscogsExport(names, currency, hasDecimalCommas: hasDecimalCommas)
            case .csv: try InventoryCSV(names, currency, hasDecimalCommas: hasDecimalCommas)
            }
    }

    /// How much of the file has been read, from 0 to 1; nil for a pipe.
    var fractionRead: Double? { rows.fractionRead }

    /// The next row, or why it cannot be imported; nil at the end.
    mutating func next() throws(ImportError) -> Result<ImportRow, RowError>? {
        guard let row = try rows.next() else { return nil }
        var result = columns.record(from: row)
        if let sku = result.sku {
            if let first = seen[sku] {
                result.errors.insert("this SKU is already in row \(first)", at: 0)
            } else {
                seen[sku] = row.number
            }
        }
        guard let record = result.record, result.errors.isEmpty else {
            let reason = result.errors.joined(separator: "; ")
            return .failure(RowError(row: row.number, sku: result.skuText, reason: reason))
        }
        let fields = columns.named.subtracting(result.defaulted)
        return .success(ImportRow(number: row.number, record: record, fields: fields, notes: result.notes))
    }
}

/// Whose file it is.
enum ImportFormat: String, CaseIterable, Sendable {
    /// Discogs' inventory export.
    case discogs
    /// Our own, with a column for each field.
    case csv

    /// Guesses from the names of the columns. Discogs has no column for a SKU that is called so.
    init(columns: [String]) {
        self = columns.contains("listing_id") && !columns.contains("sku") ? .discogs : .csv
    }
}

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
