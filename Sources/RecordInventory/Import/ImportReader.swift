/// How a file is read.
struct ImportOptions: Sendable {
    /// The format, or `nil` to guess it from the header.
    var format: ImportFormat?
    /// The currency of prices that name none.
    var currency: Currency?
    /// The same for new records alone: an update reads such prices in the currency of the record in stock.
    var usualCurrency: Currency?
    /// The columns of a file of another system.
    var map: ColumnMap?
    /// Whether the file updates records. Then it needs the SKU alone.
    var isUpdate = false
    /// Whether a blank cell removes the value of a record in stock. Otherwise it leaves it.
    var blankClears = false
    /// Whether a row without a SKU gets one that follows from its other fields.
    var makesSKUs = false

    /// The fields that the columns have to name.
    var required: [RecordField] {
        RecordField.essential.filter { $0 == .sku ? !makesSKUs : !isUpdate }
    }
}

/// Reads the records of a file row by row. A bad row does not stop it.
struct ImportReader {
    let format: ImportFormat
    /// The system that writes files with these headings, if it is known.
    let system: ShopSystem?
    private let options: ImportOptions
    private var rows: CSVReader
    private var columns: any RowFormat
    private let seen: RowNumbers
    /// The number of products that were left out, since their variations have rows of their own.
    private(set) var parents = 0
    /// The number of rows with a reduced price that was not read.
    private(set) var reduced = 0
    /// The number of the row that names the columns. The lines above it are left out.
    private(set) var headingRow = 1

    /// How far down the row that names the columns may be, below a title or a banner.
    private static let headingLimit = 10
    /// The number of rows that are looked at to say what a column may be.
    private static let sampleSize = 100

    /// The fields that the file sets.
    var fields: Set<RecordField> { columns.named }

    /// Reads the header.
    init(_ file: InputFile, _ options: ImportOptions = ImportOptions()) throws(ImportError) {
        let seen = try RowNumbers()
        var rows = try CSVReader(file)
        guard let first = try rows.next() else { throw .empty(path: file.path) }
        if let problem = first.problem { throw .header(problem) }
        do {
            self = try Self(first, rows, seen, options)
        } catch {
            var failure = error
            var count = Self.guesses(first)
            var below: [CSVRow] = []
            while below.count < Self.sampleSize, let row = try? rows.next(), row.problem == nil {
                below.append(row)
                guard below.count < Self.headingLimit else { continue }
                do throws(ImportError) {
                    self = try Self(row, rows, seen, options)
                    headingRow = row.number
                    return
                } catch {
                    if error == .noCurrency { throw error }
                    // The row that looks most like a heading is the one to complain about.
                    guard case .columns = failure, case .columns(let mismatch) = error, Self.guesses(row) > count else {
                        continue
                    }
                    count = Self.guesses(row)
                    failure = .columns(mismatch)
                }
            }
            if case .columns(var mismatch) = failure {
                mismatch.samples = below.filter { $0.number > mismatch.row }
                failure = .columns(mismatch)
            }
            throw failure
        }
    }

    /// Returns how many of the fields that a record needs a row seems to name.
    private static func guesses(_ row: CSVRow) -> Int {
        var guesses = HeadingGuesses((0..<row.count).map { row[$0].trimmed })
        return RecordField.essential.count { !guesses.take($0).isEmpty }
    }

    /// - Parameter header: The row that names the columns.
    private init(
        _ header: CSVRow, _ rest: CSVReader, _ seen: RowNumbers, _ options: ImportOptions
    ) throws(ImportError) {
        self.seen = seen
        self.options = options
        rows = rest
        // Spreadsheets leave empty cells to the right of the names.
        var cells = (0..<header.count).map { header[$0].trimmed }
        if let first = cells.first, let name = SpreadsheetText.text(of: Array(first.utf8)[...]) {
            cells[0] = String(decoding: name, as: UTF8.self)
            rows.isForSpreadsheets = true
        }
        let headings = Array(cells.prefix((cells.lastIndex { !$0.isEmpty } ?? -1) + 1))
        let names = headings.map { $0.lowercased() }
        system = ShopSystem(headings: names)
        format = options.map == nil ? options.format ?? ImportFormat(columns: names) : .csv
        // If the comma does not separate cells, it may be the decimal separator, as in much of Europe.
        let hasDecimalCommas = rows.delimiter != .comma
        if let map = options.map {
            columns = try MappedCSV(headings, map, options, hasDecimalCommas: hasDecimalCommas)
        } else if format == .discogs {
            columns = try DiscogsExport(names, isUpdate: options.isUpdate, hasDecimalCommas: hasDecimalCommas)
        } else {
            columns = try InventoryCSV(
                headings, row: header.number, options, hasDecimalCommas: hasDecimalCommas)
        }
        let isKnown = options.currency != nil || options.usualCurrency != nil || columns.namesCurrency
        guard isKnown || options.isUpdate else { throw .noCurrency }
    }

    /// How much of the file has been read, from 0 to 1, or `nil` for a pipe.
    var fractionRead: Double? { rows.fractionRead }

    /// Returns the next row or its error, or `nil` at the end.
    mutating func next() throws(ImportError) -> Result<ImportRow, RowError>? {
        while let read = try rows.next().map({ columns.record(from: $0) }) ?? columns.waiting() {
            var result = read
            if result.isParent { parents += 1 }
            if result.isSkipped { continue }
            if result.isReduced { reduced += 1 }
            try nameAlike(&result)
            let ownsCurrency = options.isUpdate && options.currency == nil && !result.namesCurrency
            let source = ownsCurrency ? result : nil
            result.finish(in: options.currency ?? options.usualCurrency, canWait: ownsCurrency)
            if let sku = result.sku, let first = try seen.earlierRow(of: sku, result.number) {
                result.errors.insert("this SKU is already in row \(first)", at: 0)
            }
            guard let record = result.record, result.errors.isEmpty else {
                let reason = ([result.lack].compactMap(\.self) + result.errors).joined(separator: "; ")
                return .failure(RowError(row: result.number, sku: result.skuText, reason: reason))
            }
            return .success(
                ImportRow(
                    number: result.number, record: record,
                    fields: result.fields(of: columns.named, blankClears: options.blankClears), notes: result.notes,
                    errorValues: Set(result.errorValues), lack: result.lack,
                    lacksQuantity: record.quantity == 1 && result.blank.contains(.quantity),
                    source: source))
        }
        return nil
    }

    /// Gives a row its SKU, if it is not alone in having it: the second copy of a release is the second record.
    private func nameAlike(_ row: inout RowRecord) throws(ImportError) {
        if row.sku == nil, row.skuText == nil, options.makesSKUs { row.makeSKU() }
        guard row.isNumbered, let sku = row.sku else { return }
        let number = try seen.count(of: sku)
        if number > 1 { row.set(.sku, to: "\(sku.text)-\(number)") }
    }
}

/// The format of a file to import.
enum ImportFormat: String, CaseIterable, Sendable {
    /// The inventory export of Discogs.
    case discogs
    /// Our own CSV, with a column for each field.
    case csv

    /// Guesses the format from the names of the columns. Discogs has no column `sku`.
    init(columns: [String]) {
        self = columns.contains("listing_id") && !columns.contains("sku") ? .discogs : .csv
    }
}

/// A row of a file, with its record.
struct ImportRow: Sendable {
    /// The number of the row as in a spreadsheet. The header is 1.
    let number: Int
    let record: Record
    /// The fields that the row sets. An update leaves the others as they are in stock.
    var fields = Set(RecordField.allCases)
    /// The adjustments made to the row, such as a rounded price.
    var notes: [String] = []
    /// The texts that are errors of a spreadsheet, such as `#NAME?`. They are never taken.
    var errorValues: Set<RecordField> = []
    /// Why the row can only update a record, if it lacks what a new one needs.
    var lack: String?
    /// Whether the cell of the quantity is blank, so that a new record gets one copy.
    var lacksQuantity = false
    /// The row before its amounts were read, if it names no currency: an update reads them in that of the stock.
    var source: RowRecord?

    /// Whether a number stands for itself, also where a spreadsheet may have made it of a text.
    var trustsNumbers = false

    /// The texts that stay as they are in stock, since a spreadsheet may have made others of them: 12 of `0012`, or
    /// 01-Mar of `MAR-01`.
    func keptTexts(of stocked: Record) -> [RecordField] {
        guard !trustsNumbers else { return [] }
        return fields.filter { field in
            guard field.kind == .text, let old = field.text(of: stocked), let new = field.text(of: record), old != new,
                !errorValues.contains(field)
            else { return false }
            return SpreadsheetValue.mayHaveMade(new, of: old)
        }
    }

    /// Returns a record in stock, updated by the row. If the row sets no quantity, a record without copies does not
    /// become for sale: it may have been sold since the file was written.
    ///
    /// - Parameter setsQuantity: Whether the row may change the quantity. Otherwise no record becomes sold either,
    ///   since that would take out its copies.
    func updating(_ stocked: Record, setsQuantity: Bool = true) throws(RowError) -> Record {
        var fields = fields.subtracting(keptTexts(of: stocked)).subtracting(errorValues)
        if !setsQuantity {
            fields.remove(.quantity)
            if record.status == .sold || stocked.status == .sold { fields.remove(.status) }
        }
        if record.status == .forSale, stocked.quantity == 0, !fields.contains(.quantity) { fields.remove(.status) }
        return stocked.taking(fields, from: try record(in: stocked.price.currency))
    }

    /// Returns the record with its amounts in a currency, unless the row names one.
    private func record(in currency: Currency) throws(RowError) -> Record {
        guard var row = source else { return record }
        row.finish(in: currency)
        guard let record = row.record else { throw rejected(row.errors.joined(separator: "; ")) }
        return record
    }

    func rejected(_ reason: String) -> RowError {
        RowError(row: number, sku: record.sku.text, reason: reason)
    }
}

/// Why a row cannot be imported.
struct RowError: Error, Equatable, Sendable, CustomStringConvertible {
    let row: Int
    /// The SKU, if the row has one.
    let sku: String?
    let reason: String

    /// `row 3 (SKU-2): barcode "4006381333932": …`
    var description: String {
        let name = sku.map { " (\($0.shown))" } ?? ""
        return "row \(row)\(name): \(reason)"
    }
}
