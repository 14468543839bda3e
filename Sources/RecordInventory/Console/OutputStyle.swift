import RecordKitJSON

/// How a command prints records, movements and other rows.
struct OutputStyle: Equatable, Sendable {
    enum Format: String, CaseIterable, Sendable {
        case table, json, ndjson, csv, tsv

        /// The options, as they are typed, that name another format.
        static func options(but format: Format) -> [String] {
            allCases.filter { $0 != format }.map { "--output \($0.rawValue)" }
        }
    }

    /// The format that was asked for, or `nil`: a table on a terminal, tab-separated lines elsewhere.
    var format: Format?
    /// The names of the fields to print, in order. `nil` prints all, or the usual columns of a table.
    var fields: [String]?
    /// The fields in tables of records, unless others are asked for. `nil` prints the usual columns.
    var columns: [String]?

    /// Whether CSV protects the texts that a spreadsheet may change or run.
    var isForSpreadsheet = false

    /// Whether the person asked for results in a certain form.
    var isChosen: Bool { format != nil || fields != nil }

    func format(on console: Console) -> Format { format ?? (console.results.isTerminal ? .table : .tsv) }

    /// The same format with all fields, for rows of another kind than the command usually prints.
    var withAllFields: OutputStyle { OutputStyle(format: format, columns: columns) }
}

/// A row of results: a record, a movement, a reservation.
protocol Row {
    /// The fields, in the order of lines and files.
    static var fields: [RowColumn<Self>] { get }
    /// The usual fields of lines and files. The default is all.
    static var fileColumns: [RowColumn<Self>] { get }
    /// The columns of the usual table. The default is the fields.
    static var tableColumns: [RowColumn<Self>] { get }
    var printedJSON: JSONValue { get }
}

/// A field of a row in lines and files, or a column of a table.
struct RowColumn<Element>: Sendable {
    let name: String
    /// Whether the values are texts, which a spreadsheet is to keep as they are: no numbers, days or times.
    let isText: Bool
    /// The column of the usual table.
    let heading: Table.Column
    let text: @Sendable (Element) -> String?

    /// - Parameter title: The title in the usual table. The default is the name.
    init(
        _ name: String, _ title: String? = nil, isNumeric: Bool = false, isTime: Bool = false, staysWhole: Bool = false,
        leaves: Int? = nil,
        text: @escaping @Sendable (Element) -> String?
    ) {
        self.name = name
        isText = !isNumeric && !isTime
        heading = Table.Column(title ?? name, isNumeric: isNumeric, staysWhole: staysWhole, leaves: leaves)
        self.text = text
    }

    /// Returns the value for a spreadsheet, which may change or run a text.
    func protected(_ element: Element) -> String? {
        isText ? text(element).map(SpreadsheetText.protecting) : text(element)
    }

    /// The column as it was asked for by its name. Other commands take SKUs and ids, so these are never cut.
    var named: RowColumn {
        RowColumn(
            name, isNumeric: heading.isNumeric, isTime: !isText && !heading.isNumeric,
            staysWhole: ["sku", "id"].contains(name), text: text)
    }
}

extension Row {
    /// Returns the JSON with these fields alone. A field is a member, or one of a member's object, as `currency` is one
    /// of
    /// `price`.
    func printedJSON(_ names: [String]) -> JSONValue {
        let json = printedJSON.object ?? JSONObject()
        return .object(
            JSONObject(
                names.map { name in
                    let inner = json.members.lazy.compactMap { $0.value.object?[name] }.first
                    return JSONObject.Member(name: name, value: json[name] ?? inner ?? JSONValue(text(of: name)))
                }))
    }

    static var fileColumns: [RowColumn<Self>] { fields }
    static var tableColumns: [RowColumn<Self>] { fields }

    static var fieldNames: [String] { fields.map(\.name) }

    /// Returns the value of a field.
    func text(of name: String) -> String? { Self.fields.first { $0.name == name }?.text(self) }
}
