/// Our own CSV: a column for each field, named as in `RecordField`, in any order.
///
/// Requires `sku`, `artist`, `title` and `price`, and `currency` unless there is a default. A missing column is a
/// missing value, and so is an empty cell; in an update they leave the field as it is. In a new record, `""` is an
/// empty string.
struct InventoryCSV: RowFormat {
    /// The fields with a column. A price brings its currency, which may be the default.
    let named: Set<RecordField>
    private let fields: [RecordField]
    private let currency: Currency?
    private let hasDecimalCommas: Bool

    /// - Parameter headings: The first row as in the file.
    init(_ headings: [String], _ currency: Currency?, hasDecimalCommas: Bool) throws(ImportError) {
        var fields: [RecordField] = []
        var unknown: [String] = []
        for name in headings {
            guard let field = try? RecordField(named: name) else {
                unknown.append(name)
                continue
            }
            guard !fields.contains(field) else { throw .repeatedColumn(field.rawValue) }
            fields.append(field)
        }
        if unknown.contains(where: { $0.lowercased() == "listing_id" }), fields.contains(.sku) { throw .bothFormats }
        let missing = RecordField.essential.filter { !fields.contains($0) }
        guard unknown.isEmpty, missing.isEmpty else {
            throw .columns(
                ColumnMismatch(
                    unknown: unknown, missing: missing, headings: headings,
                    hasCurrency: currency != nil || fields.contains(.currency)))
        }
        guard currency != nil || fields.contains(.currency) else { throw .noCurrency }
        named = Set(fields)
        self.fields = fields
        self.currency = currency
        self.hasDecimalCommas = hasDecimalCommas
    }

    func record(from row: CSVRow) -> RowRecord {
        var result = RowRecord(row, columns: fields.count, hasDecimalCommas: hasDecimalCommas)
        for (index, field) in fields.enumerated() {
            // Spreadsheets leave out empty cells at the end of a row.
            if index >= row.count { result.absent.append(field) }
            let isNone =
                index >= row.count || (row.isEmpty(index) && !(row.isQuoted(index) && field.kind == .text))
            result.set(field, to: !isNone ? row[index] : field == .currency ? currency?.code : nil)
        }
        if !fields.contains(.currency) { result.set(.currency, to: currency?.code) }
        result.finish(rounding: .refused)
        return result
    }

    /// The header of an exported file.
    static let header = RecordField.allCases.map(\.rawValue)

    /// The header of a file for spreadsheets. Its first cell is protected, which tells import that others may be too.
    static let spreadsheetHeader = [SpreadsheetText.formula(of: header[0])] + header.dropFirst()

    /// Returns the cells of a record for spreadsheets. Protects texts that a spreadsheet may change or run.
    static func spreadsheetTexts(of texts: [String?]) -> [String?] {
        zip(RecordField.allCases, texts).map { field, text in
            let isText = field.kind == .text || field == .sku || field == .barcode
            return text.map { isText && SpreadsheetText.needsProtection($0) ? SpreadsheetText.formula(of: $0) : $0 }
        }
    }
}

extension InventoryCSV {
    /// Returns why import would refuse a row with these cells, or `nil` if it would not. Another program may have
    /// stored such a record.
    func refusal(of texts: [String?]) -> String? {
        var row = CSVRow(number: 1)
        for text in texts {
            if let text { row.append(Array(text.utf8)[...]) }
            row.endCell(isQuoted: text != nil)
        }
        let result = self.record(from: row)
        var errors = [result.lack].compactMap(\.self) + result.errors
        for field in result.errorValues where field != .sku {
            errors.append("\(field.rawValue): an error of a spreadsheet")
        }
        if let sku = result.sku, let stored = texts.first.flatMap(\.self), sku.text != stored, stored.hasPrefix("'") {
            errors.append("its SKU would be read as \(sku.text)")
        }
        return errors.isEmpty ? nil : errors.joined(separator: "; ")
    }
}
