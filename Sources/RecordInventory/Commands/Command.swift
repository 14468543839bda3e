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
    /// Sells copies, or brings them in or out in another way.
    case move(Move)
    /// Takes back the movements of a command, or of the till's last one.
    case undo(String?, reason: String?)
    case reserve(SKU, Reserve)
    /// Lists the copies that are put aside.
    case reservations
    /// Makes copies available again, of one customer or of all.
    case release(SKU, name: String?, id: String?)
    /// Sets the quantity of a record to what was counted.
    case count(SKU, Int, reason: String?)
    /// Counts the copies of a location, scanned one by one.
    case countShelf(String, confirmed: Bool, reason: String? = nil)
    case history(History)
    case report(Report)
    /// Compares the records with their movements, and enters what is missing.
    case doctor
    /// Sells from the scanner, line by line.
    case till(payment: String?, sellsDrafts: Bool = false)

    /// Copies that come in or go out.
    struct Move: Equatable, Sendable {
        let kind: Movement.Kind
        /// SKUs or barcodes, as tills scan them. One that comes twice is moved twice.
        var codes: [SKU]
        var count = 1
        /// The decimal price of one copy, in place of the record's.
        var price: String?
        var discount: Discount?
        var payment: String?
        var reason: String?
        /// The id of the command, which is made once.
        var id: String?
        /// The customer whose reserved copies are sold.
        var customer: String?
        /// The id of the sale that a return belongs to.
        var sale: String?
        /// Whether a sale takes drafts too.
        var sellsDrafts = false
    }

    struct Reserve: Equatable, Sendable {
        let name: String
        var count = 1
        var until: CalendarDay?
        var id: String?
    }

    /// The conditions of a list of movements.
    struct History: Equatable, Sendable {
        var sku: SKU?
        /// The id of a command or of a movement.
        var id: String?
        var days: ClosedRange<CalendarDay>?
        /// The maximum number of movements, the latest. `nil` shows all.
        var limit: Int?
    }

    struct Report: Equatable, Sendable {
        enum Group: String, CaseIterable, Sendable {
            case payment, genre, format
        }

        /// `nil` is today.
        var days: ClosedRange<CalendarDay>?
        var group = Group.payment
        /// Also shows records with at most this many copies.
        var lowStock: Int?
        /// Also shows records in stock that were not sold for this many days.
        var deadStock: Int?
    }

    struct Import: Equatable, Sendable {
        /// The path of the file. `-` is standard input.
        var file: String
        /// The format, or `nil` to guess it from the header.
        var format: ImportFormat?
        var currency: Currency?
        var onDuplicate = DuplicatePolicy.skip
        /// Whether a number stands for itself, also where a spreadsheet may have made it of a text.
        var trustsNumbers = false
        /// Whether an update sets quantities. Otherwise it leaves them as they are: copies may have been sold since the
        /// file was written.
        var setsQuantity = false
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
    case `import`, export, add, edit, delete, show, list, sell, till, undo, `return`, restock
    case tradeIn = "trade-in"
    case writeOff = "write-off"
    case reserve, release, count, history, report, doctor

    /// The placeholder for the operand, or `nil` if the command takes none.
    var operand: String? {
        switch self {
        case .import, .export: "FILE"
        case .edit, .delete, .show, .release, .tradeIn, .writeOff, .restock, .return: "SKU"
        case .sell: "SKU…"
        case .undo: "[ID]"
        case .history, .reserve: "[SKU]"
        case .count: "[SKU N]"
        case .add, .list, .till, .report, .doctor: nil
        }
    }

    /// How many operands the command takes.
    var operands: ClosedRange<Int> {
        switch self {
        case .sell: 1...Int.max
        case .undo, .history, .reserve: 0...1
        case .count: 0...2
        default: operand == nil ? 0...0 : 1...1
        }
    }
}
