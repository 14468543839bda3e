/// A command with all it needs to know, checked as far as that goes without looking at the stock.
enum Command: Equatable, Sendable {
    case `import`(Import)
    /// To a file, or to standard output, written `-`.
    case export(String)
    case add([FieldChange])
    case edit(SKU, [FieldChange])
    case delete(SKU, confirmed: Bool)
    case show(SKU)
    case list(List)
    /// The SKU may be a barcode, as tills scan it.
    case sell(SKU, count: Int)
    case restock(SKU, count: Int)

    struct Import: Equatable, Sendable {
        /// What happens to a row whose SKU is in stock.
        enum DuplicatePolicy: String, CaseIterable, Sendable {
            case skip, update, fail
        }

        /// `-` is standard input.
        var file: String
        /// Nil to guess it from the header.
        var format: ImportFormat?
        var currency: Currency?
        var onDuplicate = DuplicatePolicy.skip
        var isDryRun = false
    }

    /// What a list is asked for; `Condition` and `SortKey` say which records and in which order.
    struct List: Equatable, Sendable {
        var conditions: [Condition] = []
        var search: String?
        var sort: [SortKey] = []
        /// Nil for all.
        var limit: Int?
    }

    struct Condition: Equatable, Sendable {
        let field: RecordField
        let comparison: RecordFilter.Comparison
        let value: FieldValue
    }

    struct SortKey: Equatable, Sendable {
        let field: RecordField
        let isDescending: Bool
    }

    /// A new value for a field, valid as far as one field tells; nil takes the value away.
    struct FieldChange: Equatable, Sendable {
        let field: RecordField
        let text: String?
    }
}

/// A command by its name, with what may be typed after it.
enum CommandName: String, CaseIterable, Sendable {
    case `import`, export, add, edit, delete, show, list, sell, restock

    /// What it is applied to; nil where it stands alone.
    var operand: String? {
        switch self {
        case .import, .export: "FILE"
        case .edit, .delete, .show, .sell, .restock: "SKU"
        case .add, .list: nil
        }
    }
}
