/// Prints rows as they come, in one of the formats.
///
/// Holds the rows of one table at most, so that a list of any length takes little memory.
struct RowPrinter<Element: Row> {
    /// The number of rows of a table. A longer list is several tables.
    private static var tableSize: Int { 1_000 }

    private let console: Console
    private let format: OutputStyle.Format
    /// The names of the fields to print, or `nil` for all, or for the usual table.
    private let names: [String]?
    private var rows: [String] = []
    private(set) var count = 0

    init(on console: Console, _ style: OutputStyle) {
        self.console = console
        format = style.format(on: console)
        names = style.fields ?? (format == .table && Element.self is Record.Type ? style.columns : nil)
    }

    var isTable: Bool { format == .table }

    /// Returns a row as a string for ``print(_:)``.
    func text(of row: Element) -> String {
        let texts = { names?.map { row.text(of: $0) } ?? row.texts }
        return switch format {
        case .table: (names == nil ? row.cells : texts()).map { ($0 ?? "").escapedForTerminal }.joined(separator: "\t")
        case .tsv: texts().map { $0?.escapedForTabs ?? "" }.joined(separator: "\t")
        case .csv: Self.line(texts())
        case .json, .ndjson: element(names.map { row.printedJSON($0) } ?? row.printedJSON)
        }
    }

    mutating func print(_ text: String) throws {
        if count == 0 { try printHeader() }
        count += 1
        switch format {
        case .table:
            rows.append(text)
            if rows.count == Self.tableSize { try printTable() }
        case .tsv: try console.print(text)
        case .csv, .ndjson: try console.print(json: text)
        case .json: try console.write(json: (count == 1 ? "" : ",") + lineBreak + text)
        }
    }

    mutating func print(_ row: Element) throws { try print(text(of: row)) }

    /// Prints what is left, and the end of the array.
    mutating func finish() throws {
        if count == 0 { try printHeader() }
        switch format {
        case .table: try printTable()
        case .json: try console.write(json: (count == 0 ? "" : lineBreak) + "]\n")
        case .tsv, .csv, .ndjson: break
        }
    }

    private func printHeader() throws {
        switch format {
        case .csv: try console.print(json: Self.line(names ?? Element.fieldNames))
        case .json: try console.write(json: "[")
        case .table, .tsv, .ndjson: break
        }
    }

    private mutating func printTable() throws {
        if rows.isEmpty { return }
        var table =
            names.map { names in
                Table(
                    names.map { name in
                        // Other commands take SKUs and ids, so these are never cut.
                        Table.Column(
                            name, isNumeric: Element.numbers.contains(name), staysWhole: ["sku", "id"].contains(name))
                    })
            } ?? Element.table
        for row in rows { table.add(row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)) }
        rows.removeAll(keepingCapacity: true)
        try console.print(table)
    }

    private static func line(_ cells: [String?]) -> String {
        String(decoding: CSVWriter.row(cells).dropLast(), as: UTF8.self)
    }

    private var isPretty: Bool { format == .json && console.results.isTerminal }
    private var lineBreak: String { isPretty ? "\n" : "" }

    /// Returns an element of the array, which is indented on a terminal.
    private func element(_ value: JSONValue) -> String {
        let text = value.text(pretty: isPretty)
        return isPretty ? "  " + text.replacing("\n", with: "\n  ") : text
    }
}

extension Record: Row {
    static let fieldNames = RecordField.allCases.map(\.rawValue)
    static let numbers = Set(
        RecordField.allCases.filter { $0.kind == .integer || $0.kind == .price }.map(\.rawValue))
    static var table: Table { RecordColumns.table }
    var texts: [String?] { RecordField.texts(of: self) }
    var cells: [String?] { RecordColumns.texts(of: self) }
}

/// The columns of the usual table of records.
private enum RecordColumns {
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
