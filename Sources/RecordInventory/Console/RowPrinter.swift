import RecordKitJSON

/// Prints rows as they come, in one of the formats.
///
/// Holds the rows of one table at most, so that a list of any length takes little memory.
struct RowPrinter<Element: Row> {
    /// The number of rows of a table. A longer list is several tables.
    private static var tableSize: Int { 1_000 }

    private let console: Console
    private let format: OutputStyle.Format
    private let isForSpreadsheet: Bool
    /// The names of the fields to print, or `nil` for all, or for the usual table.
    private let names: [String]?
    /// The columns of lines, files and tables.
    private let columns: [RowColumn<Element>]
    private var rows: [String] = []
    private(set) var count = 0

    init(on console: Console, _ style: OutputStyle) {
        self.console = console
        format = style.format(on: console)
        isForSpreadsheet = style.isForSpreadsheet
        names = style.fields ?? (format == .table && Element.self is Record.Type ? style.columns : nil)
        columns =
            names.map { names in names.compactMap { name in Element.fields.first { $0.name == name }?.named } }
            ?? (format == .table ? Element.tableColumns : Element.fileColumns)
    }

    var isTable: Bool { format == .table }

    /// Whether a row has this field. JSON without a choice of fields has those that take no reading.
    func prints(_ field: String) -> Bool {
        names?.contains(field) ?? ([.csv, .tsv].contains(format) && columns.contains { $0.name == field })
    }

    /// Returns a row as a string for ``print(_:)``.
    func text(of row: Element) -> String {
        switch format {
        case .table: tabbed(row, \.escapedForTerminal)
        case .tsv: tabbed(row, \.escapedForTabs)
        case .csv: Self.line(columns.map { isForSpreadsheet ? $0.protected(row) : $0.text(row) })
        case .json, .ndjson: element(names.map { row.printedJSON($0) } ?? row.printedJSON)
        }
    }

    /// Returns the texts of a row with tabs between them. With `joined`, this was 7 % of the instructions of `history`.
    private func tabbed(_ row: Element, _ escaped: (String) -> String) -> String {
        var line = ""
        for (index, column) in columns.enumerated() {
            if index > 0 { line += "\t" }
            if let text = column.text(row) { line += escaped(text) }
        }
        return line
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
        case .csv where isForSpreadsheet:
            // The mark of UTF-8, and a first cell that tells import what the others are.
            let names = columns.map(\.name)
            let first = names.prefix(1).map(SpreadsheetText.formula)
            try console.print(json: "\u{FEFF}" + Self.line(first + names.dropFirst()))
        case .csv: try console.print(json: Self.line(columns.map(\.name)))
        case .json: try console.write(json: "[")
        case .table, .tsv, .ndjson: break
        }
    }

    private mutating func printTable() throws {
        if rows.isEmpty { return }
        var table = Table(columns.map(\.heading))
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
    static let fields = RecordField.allCases.map { column($0) }

    static let tableColumns = [
        column(.sku, "SKU", staysWhole: true), column(.artist), column(.title), column(.format, leaves: 2),
        column(.mediaCondition, "media", leaves: 3),
        RowColumn("price", isNumeric: true) { $0.price.text },
        column(.quantity, "copies", leaves: 4), column(.location, leaves: 1),
    ]

    private static func column(
        _ field: RecordField, _ title: String? = nil, staysWhole: Bool = false, leaves: Int? = nil
    ) -> RowColumn<Record> {
        let access = field.access
        let isNumeric = access.kind == .integer || access.kind == .price
        return RowColumn(field.rawValue, title, isNumeric: isNumeric, staysWhole: staysWhole, leaves: leaves) {
            access.text($0)
        }
    }
}
