/// Prints records or movements as they come: rows of a table on a terminal, tab-separated lines elsewhere, or an array of JSON.
///
/// Holds the rows of one table at most, so that a list of any length takes little memory.
struct RowPrinter {
    private enum Form {
        case table, lines, json
    }

    /// The number of rows of a table. A longer list is several tables.
    private static let tableSize = 1_000

    private let console: Console
    private let form: Form
    private let table: Table
    private var rows: [String] = []
    private(set) var count = 0

    /// - Parameter table: The table without rows.
    init(on console: Console, asJSON: Bool, table: Table = RecordColumns.table) {
        self.console = console
        self.table = table
        form = asJSON ? .json : console.results.isTerminal ? .table : .lines
    }

    var isTable: Bool { form == .table }

    /// Returns the record as a string for ``print(_:)``.
    func text(of record: Record) -> String {
        text(cells: RecordColumns.texts(of: record), fields: RecordField.texts(of: record), json: record.printedJSON)
    }

    /// Returns one of three forms as a string for ``print(_:)``: cells of the table, fields of a line, or JSON.
    func text(
        cells: @autoclosure () -> [String?], fields: @autoclosure () -> [String?], json: @autoclosure () -> JSONValue
    ) -> String {
        switch form {
        case .table: cells().map { ($0 ?? "").escapedForTerminal }.joined(separator: "\t")
        case .lines: fields().map { $0?.escapedForTabs ?? "" }.joined(separator: "\t")
        case .json: element(json())
        }
    }

    mutating func print(_ text: String) throws {
        count += 1
        switch form {
        case .table:
            rows.append(text)
            if rows.count == Self.tableSize { try printTable() }
        case .lines: try console.print(text)
        case .json: try console.write(json: (count == 1 ? "[" : ",") + lineBreak + text)
        }
    }

    /// Prints what is left, and the end of the array.
    mutating func finish() throws {
        switch form {
        case .table: try printTable()
        case .lines: break
        case .json: try console.write(json: (count == 0 ? "[" : lineBreak) + "]\n")
        }
    }

    private mutating func printTable() throws {
        if rows.isEmpty { return }
        var table = table
        for row in rows { table.add(row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)) }
        rows.removeAll(keepingCapacity: true)
        try console.print(table)
    }

    private var isPretty: Bool { console.results.isTerminal }
    private var lineBreak: String { isPretty ? "\n" : "" }

    /// Returns an element of the array, which is indented on a terminal.
    private func element(_ value: JSONValue) -> String {
        let text = value.text(pretty: isPretty)
        return isPretty ? "  " + text.replacing("\n", with: "\n  ") : text
    }
}

/// The columns of a table of records.
enum RecordColumns {
    static var table: Table { Table(columns.map(\.heading)) }

    static func texts(of record: Record) -> [String?] {
        columns.map { $0.text(record) }
    }

    private struct Column {
        let heading: Table.Column
        let text: @Sendable (Record) -> String?

        static func field(_ field: RecordField, _ title: String? = nil, leaves: Int? = nil) -> Column {
            // The other commands take the SKU, so it is never cut.
            let heading = Table.Column(
                title ?? field.rawValue, isNumeric: field.kind == .integer, staysWhole: field == .sku, leaves: leaves)
            return Column(heading: heading) { field.text(of: $0) }
        }
    }

    private static let columns: [Column] = [
        .field(.sku, "SKU"), .field(.artist), .field(.title), .field(.format, leaves: 2),
        .field(.mediaCondition, "media", leaves: 3),
        Column(heading: Table.Column("price", isNumeric: true)) { "\($0.price.decimalText) \($0.price.currency.code)" },
        .field(.quantity, "copies", leaves: 4), .field(.location, leaves: 1),
    ]
}
