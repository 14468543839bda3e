/// What the columns of a format make of one row.
struct RowRecord {
    private(set) var draft = RecordDraft()
    private(set) var record: Record?
    /// The cell that the SKU came from.
    private(set) var skuText: String?
    var errors: [String] = []
    var notes: [String] = []

    /// Of a row that is broken only the SKU is of use: to say which row it is.
    private let isBroken: Bool

    var sku: SKU? { draft.sku }

    /// What the row leaves empty and a new record has all the same.
    var defaulted: [RecordField] {
        (draft.quantity == nil ? [.quantity] : []) + (draft.status == nil ? [.status] : [])
    }

    init(_ row: CSVRow, columns: Int) {
        if let problem = row.problem {
            errors.append(problem.description)
        } else if row.count < columns || (columns..<row.count).contains(where: { !row.isEmpty($0) }) {
            let cells = row.count == 1 ? "1 cell" : "\(row.count) cells"
            errors.append("\(cells), but row 1 names \(columns) columns")
        }
        isBroken = !errors.isEmpty
    }

    mutating func set(_ field: RecordField, to text: String?, hasDecimalCommas: Bool = false) {
        if field == .sku { skuText = text.map { String($0.prefix(64)) } }
        if isBroken, field != .sku { return }
        do {
            try draft.set(field, to: hasDecimalCommas && field == .price ? text.map(Self.decimalPoint) : text)
        } catch {
            errors.append(error.description)
        }
    }

    mutating func finish(rounding: Money.Rounding) {
        guard errors.isEmpty else { return }
        do {
            record = try draft.record(rounding: rounding)
        } catch {
            errors.append(error.description)
        }
    }

    /// `18,50` as `18.50`; with a point as well, the comma might be for thousands, and stays.
    private static func decimalPoint(_ text: String) -> String {
        text.contains(".") ? text : text.replacing(",", with: ".", maxReplacements: 1)
    }
}
