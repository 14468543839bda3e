/// How a command prints records, movements and other rows.
struct OutputStyle: Equatable, Sendable {
    enum Format: String, CaseIterable, Sendable {
        case table, json, ndjson, csv, tsv
    }

    /// The format that was asked for, or `nil`: a table on a terminal, tab-separated lines elsewhere.
    var format: Format?
    /// The names of the fields to print, in order. `nil` prints all, or the usual columns of a table.
    var fields: [String]?
    /// The fields in tables of records, unless others are asked for. `nil` prints the usual columns.
    var columns: [String]?

    /// Whether the person asked for results in a certain form.
    var isChosen: Bool { format != nil || fields != nil }

    func format(on console: Console) -> Format { format ?? (console.results.isTerminal ? .table : .tsv) }

    /// The same format with all fields, for rows of another kind than the command usually prints.
    var withAllFields: OutputStyle { OutputStyle(format: format, columns: columns) }
}

/// A row of results: a record, a movement, a reservation.
protocol Row {
    /// The names of the fields, in the order of lines and files.
    static var fieldNames: [String] { get }
    /// The fields that are aligned at the right in a table.
    static var numbers: Set<String> { get }
    /// The usual table, without rows.
    static var table: Table { get }
    /// The values of the fields, in order.
    var texts: [String?] { get }
    /// The cells of the usual table.
    var cells: [String?] { get }
    var printedJSON: JSONValue { get }
}

extension Row {
    /// Returns the JSON with these fields alone. A field is a member, or one of a member's object, as `currency` is one of
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

    /// Returns the value of a field.
    func text(of name: String) -> String? { Self.fieldNames.firstIndex(of: name).flatMap { texts[$0] } }
}
