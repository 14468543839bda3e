/// A row being converted to a record.
struct RowRecord {
    /// The number of the row as in a spreadsheet.
    let number: Int
    private(set) var draft = RecordDraft()
    private(set) var record: Record?
    /// The cell of the SKU.
    private(set) var skuText: String?
    /// Whether the row has no record, and is left out.
    var isSkipped = false
    /// Whether it is left out since it is a product whose variations have rows of their own.
    var isParent = false
    /// Whether another column has a reduced price.
    var isReduced = false
    /// Whether several rows may have its SKU, each for a record of its own.
    var isNumbered = false
    var errors: [String] = []
    var notes: [String] = []

    /// The texts that are errors of a spreadsheet.
    private(set) var errorValues: [RecordField] = []

    /// The price as in the file, perhaps with a decimal comma.
    private(set) var priceText: String?
    private var statusText = ""

    /// Whether the row is malformed. Then only its SKU is used, to name the row.
    private let isBroken: Bool
    /// The message about missing cells, which may be why a value is missing.
    private let shortage: String?
    private let hasDecimalCommas: Bool
    /// What happens to more decimals than a currency has.
    private let rounding: Money.Rounding

    var sku: SKU? { draft.sku }
    var namesCurrency: Bool { draft.currency != nil }

    /// The fields of missing cells.
    var absent: [RecordField] = []
    /// The fields without a value, such as those whose cell is blank.
    var blank: [RecordField] = []
    /// Why the row cannot be a new record, if it lacks what only an update may leave out.
    private(set) var lack: String?
    /// What marketplaces write into the cell of a barcode, such as eBay.
    private static let noBarcode = [
        "does not apply", "nicht zutreffend", "ne s'applique pas", "n/a", "na", "none", "unknown",
    ]
    private static let canLack: [RecordField] = [.artist, .title, .price]

    /// The fields that the row does not set: missing cells, and a quantity or status that is empty.
    var defaulted: [RecordField] {
        (draft.quantity == nil ? [.quantity] : []) + (draft.status == nil ? [.status] : []) + absent
    }

    init(_ row: CSVRow, columns: Int, hasDecimalCommas: Bool, rounding: Money.Rounding = .halfEven) {
        self.rounding = rounding
        number = row.number
        self.hasDecimalCommas = hasDecimalCommas
        if let problem = row.problem {
            errors.append(problem.description)
        } else if (0..<row.count).dropFirst(columns).contains(where: { !row.isEmpty($0) }) {
            errors.append("\(row.count) cells, but row 1 names \(columns) columns")
        }
        let cells = row.count.counted("cell")
        shortage = row.count < columns ? "\(cells), but row 1 names \(columns) columns" : nil
        if let shortage, row.isCut, errors.isEmpty { errors.append("\(shortage); the file ends within this row") }
        isBroken = !errors.isEmpty
    }

    mutating func set(_ field: RecordField, to cell: String?) {
        var text = cell
        if field == .barcode, let cell, cell.utf8.first?.isDigit == false,
            Self.noBarcode.contains(cell.trimmed.lowercased())
        {
            text = nil
        }
        if text.map({ $0.isEmpty || !$0.isTight && $0.trimmed.isEmpty }) ?? true {
            blank.append(field)
            // The default currency stands for no cell.
            if field.isRequired, field != .sku { return }
        }
        if field == .sku { skuText = text.map { String($0.prefix(64)) } }
        // Within texts and SKUs nothing is changed, except for what spreadsheets and programs add.
        if field.kind != .text, field != .sku { text = text.map(Self.withoutProtection) }
        if [.sku, .barcode, .catalogueNumber].contains(field) { text = text.map(Self.withoutMark) }
        if field == .barcode || field.kind == .integer { text = text.map(Self.wholeNumber) }
        if let value = text, field.kind == .text || field == .sku, SpreadsheetText.isError(value) {
            if field == .sku { errors.append("sku \"\(value.shown)\": an error of a spreadsheet") }
            errorValues.append(field)
        }
        if field == .price { priceText = text?.trimmed }
        if field == .status { statusText = text ?? "" }
        if isBroken, field != .sku { return }
        do {
            if field.kind == .price {
                // Other programs write a whole amount with one decimal, also in a currency that has none.
                if hasDecimalCommas, let value = text, !value.contains(".") {
                    // A comma beside a point may separate thousands.
                    text = value.replacing(",", with: ".", maxReplacements: 1)
                }
                if let value = text, value.trimmed.hasSuffix(".0") { text = Self.wholeNumber(value) }
            }
            try draft.set(field, to: text)
        } catch {
            errors.append(error.description)
        }
        if [.artist, .title, .label].contains(field), text?.contains(where: \.isNewline) == true {
            notes.append("\(field.rawValue) has a line break: is a quotation mark missing?")
        }
    }

    /// Returns the fields that the row sets, of those that its file has. A price brings its currency.
    ///
    /// - Parameter clears: Whether a blank cell removes the value, where a record can be without one.
    func fields(of named: Set<RecordField>, blankClears clears: Bool) -> Set<RecordField> {
        let kept = clears ? blank.filter(\.isRequired) : blank
        let fields = named.subtracting(defaulted).subtracting(kept)
        return fields.contains(.price) ? fields : fields.subtracting([.currency])
    }

    /// Makes the SKU of a row that has none.
    mutating func makeSKU() {
        set(.sku, to: SKU.made(for: draft.values).text)
        isNumbered = true
    }

    /// Makes the record.
    ///
    /// - Parameters:
    ///   - currency: The currency of the amounts, if the row names none.
    ///   - canWait: Whether the amounts may be read later, in another currency. Then only a new record lacks one.
    mutating func finish(in currency: Currency?, canWait: Bool = false) {
        var lacking = Self.canLack.filter(draft.lacks)
        if let currency, !namesCurrency { try? draft.set(.currency, to: currency.code) }
        if canWait, lacking.isEmpty, !namesCurrency { lacking = [.currency] }
        if !isBroken, !lacking.isEmpty {
            let names = lacking.map(\.rawValue).joined(separator: ", ")
            lack = (["\(names): missing"] + [shortage].compactMap(\.self)).joined(separator: "; ")
        }
        guard errors.isEmpty else { return }
        do throws(FieldError) {
            try takeCopiesOfSold()
            if hasDecimalCommas { try checkThousands() }
            let record = try draft.record(
                rounding: rounding, canLack: Self.canLack + (canWait ? [.currency] : []))
            noteRounding(of: record)
            self.record = record
        } catch {
            // The value as in the file.
            let value = error.field == .price ? priceText : error.value
            let error = FieldError(field: error.field, value: value, reason: error.reason)
            errors = [error.description] + [shortage].compactMap { $0 }
        }
    }

    private mutating func noteRounding(of record: Record) {
        let currency = record.price.currency
        guard currency != .none, let price = draft.price, let text = priceText, let point = price.firstIndex(of: "."),
            price[point...].dropFirst(1 + currency.exponent).contains(where: { $0 != "0" })
        else { return }
        notes.append("price \(text) was rounded to \(record.price.text)")
    }

    /// Sets the quantity of a sold record to 0.
    private mutating func takeCopiesOfSold() throws(FieldError) {
        guard draft.status == .sold else { return }
        if let quantity = draft.quantity, quantity > 0 {
            notes.append("quantity \(quantity) became 0: the status is \"\(statusText.shown)\"")
        }
        try draft.set(.quantity, to: "0")
    }

    /// Throws if a separator may stand for decimals or for thousands, as in `1,850`.
    private func checkThousands() throws(FieldError) {
        guard let price = draft.price, let currency = draft.currency, currency.exponent < 3 else { return }
        let parts = price.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, 1...3 ~= parts[0].count, parts[0].first != "0", parts[1].count == 3,
            let decimal = try? Money(price, in: currency, rounding: .halfEven).decimalText
        else { return }
        throw FieldError(
            field: .price, value: priceText,
            reason: "could be \(parts.joined()) or \(decimal); write it without a thousands separator")
    }

    /// Unwraps `="4006"` to `4006` if the quotation marks were doubled on the way.
    private static func withoutProtection(_ text: String) -> String {
        text.count > 3 && text.hasPrefix("=\"") && text.hasSuffix("\"") ? String(text.dropFirst(2).dropLast()) : text
    }

    /// Removes the apostrophe of `'0012`, with which spreadsheets mark a number as text.
    private static func withoutMark(_ text: String) -> String {
        let cell = text.trimmed
        let rest = cell.dropFirst()
        return cell.hasPrefix("'") && rest.utf8.first?.isDigit == true ? String(rest) : text
    }

    /// Removes the decimals of `1979.0`, `1,00` and `2.00000`, which programs add to whole numbers. Three could be
    /// thousands.
    static func wholeNumber(_ text: String) -> String {
        // Most cells have no decimals, and a pattern takes long.
        guard text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }),
            let match = text.trimmed.wholeMatch(of: /(\d+)[.,](0{1,2}|0{4,})/)
        else { return text }
        return String(match.1)
    }
}

/// A format of files: what its columns mean.
protocol RowFormat: Sendable {
    /// The fields that the file sets.
    var named: Set<RecordField> { get }
    /// Whether the file names the currency of its prices.
    var namesCurrency: Bool { get }

    mutating func record(from row: CSVRow) -> RowRecord
    /// Returns the next of the rows that waited for the end of the file, or `nil` if there is none.
    mutating func waiting() -> RowRecord?
}

extension RowFormat {
    mutating func waiting() -> RowRecord? { nil }
}
