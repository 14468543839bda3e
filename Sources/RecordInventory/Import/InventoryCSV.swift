/// Our own CSV: a column for each field, named as in `RecordField`, in any order.
///
/// Requires `sku`, `artist`, `title` and `price`, and `currency` unless there is a default; an update requires `sku`
/// alone. A missing column is a missing value, and so is an empty cell; in an update they leave the field as it is. In
/// a new record, `""` is an empty string.
struct InventoryCSV: RowFormat {
    let named: Set<RecordField>
    private let fields: [RecordField]
    private let hasDecimalCommas: Bool

    var namesCurrency: Bool { named.contains(.currency) }

    /// - Parameters:
    ///   - headings: The row that names the columns, as in the file.
    ///   - row: Its number.
    init(
        _ headings: [String], row: Int = 1, _ options: ImportOptions = ImportOptions(), hasDecimalCommas: Bool = false
    ) throws(ImportError) {
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
        let missing = options.required.filter { !fields.contains($0) }
        guard unknown.isEmpty, missing.isEmpty else {
            throw .columns(
                ColumnMismatch(unknown: unknown, missing: missing, headings: headings, options: options, row: row))
        }
        named = Set(fields)
        self.fields = fields
        self.hasDecimalCommas = hasDecimalCommas
    }

    func record(from row: CSVRow) -> RowRecord {
        var result = RowRecord(
            row, columns: fields.count, hasDecimalCommas: hasDecimalCommas, rounding: .refused)
        for (index, field) in fields.enumerated() {
            // Spreadsheets leave out empty cells at the end of a row.
            if index >= row.count { result.absent.append(field) }
            let isNone =
                index >= row.count || (row.isEmpty(index) && !(row.isQuoted(index) && field.kind == .text))
            result.set(field, to: isNone ? nil : row[index])
        }
        return result
    }

    /// The header of an exported file.
    static let header = RecordField.allCases.map(\.rawValue)

    /// The header of a file for spreadsheets. Its first cell is protected, which tells import that others may be too.
    static let spreadsheetHeader = [SpreadsheetText.formula(of: header[0])] + header.dropFirst()
}

extension InventoryCSV {
    /// Returns why import would refuse a row with the values of all fields, or `nil` if it would not. Another program
    /// may have stored such a record.
    static func refusal(of texts: [String?]) -> String? {
        var result = RowRecord(CSVRow(number: 1), columns: 0, hasDecimalCommas: false, rounding: .refused)
        // A missing value is a missing cell, which is right in each field that can have one.
        for case (let field, let text?) in zip(RecordField.all, texts) { result.set(field, to: text) }
        result.finish(in: nil)
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
