/// A command with its arguments, checked as far as possible without the stock.
enum Command: Equatable, Sendable {
    case `import`(Import)
    /// Exports to a file, or to standard output if the path is `-`.
    case export(String, forSpreadsheet: Bool = false)
    case add([FieldChange])
    case edit(SKU, [FieldChange])
    case delete(SKU, confirmed: Bool)
    case show(SKU)
    case list(List)
    /// Sells copies. The SKU may be a barcode, as tills scan it.
    case sell(SKU, count: Int)
    case restock(SKU, count: Int)

    struct Import: Equatable, Sendable {
        /// What happens to a row whose SKU is in stock.
        enum DuplicatePolicy: String, CaseIterable, Sendable {
            case skip, update, fail
        }

        /// The path of the file. `-` is standard input.
        var file: String
        /// The format, or `nil` to guess it from the header.
        var format: ImportFormat?
        var currency: Currency?
        var onDuplicate = DuplicatePolicy.skip
        var isDryRun = false
        /// Whether a number stands for itself, also where a spreadsheet may have made it of a text.
        var trustsNumbers = false
    }

    /// The conditions, order and length of a list.
    struct List: Equatable, Sendable {
        var conditions: [Condition] = []
        var search: SearchQuery?
        var sort: [SortKey] = []
        /// The maximum number of records, or `nil` for all.
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

    /// A new value for a field, checked as far as possible for one field alone. `nil` removes the value.
    struct FieldChange: Equatable, Sendable {
        let field: RecordField
        let text: String?
    }
}

/// The name of a command.
enum CommandName: String, CaseIterable, Sendable {
    case `import`, export, add, edit, delete, show, list, sell, restock

    /// The placeholder for the operand, or `nil` if the command takes none.
    var operand: String? {
        switch self {
        case .import, .export: "FILE"
        case .edit, .delete, .show, .sell, .restock: "SKU"
        case .add, .list: nil
        }
    }
}
