/// What the columns of a format make of one row.
struct RowRecord {
    private(set) var draft = RecordDraft()
    private(set) var record: Record?
    /// The cell that the SKU came from.
    private(set) var skuText: String?
    var errors: [String] = []
    var notes: [String] = []

    /// The price as the file has it, perhaps with a decimal comma.
    private(set) var priceText: String?
    private var statusText = ""

    /// Of a row that is broken only the SKU is of use: to say which row it is.
    private let isBroken: Bool
    /// What may be why something is missing.
    private let shortage: String?
    private let hasDecimalCommas: Bool

    var sku: SKU? { draft.sku }

    /// Fields whose cells the row does not reach.
    var absent: [RecordField] = []

    /// What the row does not say: what it leaves empty and a new record has all the same, and what it does not reach.
    var defaulted: [RecordField] {
        (draft.quantity == nil ? [.quantity] : []) + (draft.status == nil ? [.status] : []) + absent
    }

    init(_ row: CSVRow, columns: Int, hasDecimalCommas: Bool) {
        self.hasDecimalCommas = hasDecimalCommas
        if let problem = row.problem {
            errors.append(problem.description)
        } else if (0..<row.count).dropFirst(columns).contains(where: { !row.isEmpty($0) }) {
            errors.append("\(row.count) cells, but row 1 names \(columns) columns")
        }
        let plural = row.count == 1 ? "" : "s"
        shortage = row.count < columns ? "\(row.count) cell\(plural), but row 1 names \(columns) columns" : nil
        if let shortage, row.isCut, errors.isEmpty { errors.append("\(shortage); the file ends within this row") }
        isBroken = !errors.isEmpty
    }

    mutating func set(_ field: RecordField, to text: String?) {
        if field == .sku { skuText = text.map { String($0.prefix(64)) } }
        // A text is kept to the letter, and so is a SKU.
        let text = field.kind == .text || field == .sku ? text : text.map(Self.withoutProtection)
        if field == .price { priceText = text?.trimmed }
        if field == .status { statusText = text ?? "" }
        if isBroken, field != .sku { return }
        do {
            try draft.set(field, to: hasDecimalCommas && field == .price ? text.map(Self.decimalPoint) : text)
        } catch {
            errors.append(error.description)
        }
        if [.artist, .title, .label].contains(field), text?.contains(where: \.isNewline) == true {
            notes.append("\(field.rawValue) has a line break: is a quotation mark missing?")
        }
    }

    mutating func finish(rounding: Money.Rounding) {
        guard errors.isEmpty else { return }
        takeCopiesOfSold()
        do {
            if hasDecimalCommas { try checkThousands() }
            record = try draft.record(rounding: rounding)
        } catch {
            // As the file has it.
            let value = error.field == .price ? priceText : error.value
            let error = FieldError(field: error.field, value: value, reason: error.reason)
            errors = [error.description] + [shortage].compactMap { $0 }
        }
    }

    /// What is sold has no copies, whatever the row says.
    private mutating func takeCopiesOfSold() {
        guard draft.status == .sold else { return }
        if let quantity = draft.quantity, quantity > 0 {
            notes.append("quantity \(quantity) became 0: the status is \"\(statusText.shown)\"")
        }
        draft.quantity = 0
    }

    /// Where commas and points may both divide decimals, both may divide thousands too: `1,850` has two readings.
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

    /// `="4006"` as `4006`, where whoever wrote the file put what a spreadsheet protects in quotation marks.
    private static func withoutProtection(_ text: String) -> String {
        text.count > 3 && text.hasPrefix("=\"") && text.hasSuffix("\"") ? String(text.dropFirst(2).dropLast()) : text
    }

    /// `18,50` as `18.50`; with a point as well, the comma might be for thousands, and stays.
    private static func decimalPoint(_ text: String) -> String {
        text.contains(".") ? text : text.replacing(",", with: ".", maxReplacements: 1)
    }
}

/// What the columns of a file are for, and what they make of its rows.
protocol RowFormat: Sendable {
    /// The fields that the file has a value for.
    var named: Set<RecordField> { get }

    func record(from row: CSVRow) -> RowRecord
}
