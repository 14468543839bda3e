/// Which column of a file each field of a record comes from: `sku:Variant SKU,title:Title,currency=EUR`.
///
/// An entry is a field, a colon and the heading of a column, or a field, an equals sign and a value for all rows.
/// Headings and values are quoted as in CSV. A field with several columns takes the first that is not empty, then the
/// value. A heading with `*` stands for all that begin and end so. A column of artist and title is divided at its first
/// hyphen between spaces. A map may begin with the name of another one, whose fields the other entries replace.
struct ColumnMap: Equatable, Sendable {
    struct Column: Equatable, Sendable {
        let field: RecordField
        let heading: String
    }

    var columns: [Column] = []
    /// The values for all rows.
    var constants: [RecordField: String] = [:]

    // What only the maps that come with the tool have.

    /// The values of new records, which an update does not set.
    var defaults: [RecordField: String] = [:]
    /// Whether columns of fields that no record needs may be missing from the file.
    var isTolerant = false
    /// What stands before the SKU, which several rows may have.
    var skuPrefix = ""

    init() {}

    /// Parses a map.
    ///
    /// - Parameter named: Returns the map of a name.
    init(_ text: String, named: (String) throws(InvalidValue) -> ColumnMap) throws(InvalidValue) {
        var replaced: Set<RecordField> = []
        for (index, entry) in try MapEntry.all(in: text).enumerated() {
            guard let sign = entry.sign else {
                guard index == 0 else {
                    throw InvalidValue("\"\(entry.name.shown)\" is neither FIELD:HEADING nor FIELD=VALUE")
                }
                self = try named(entry.name)
                continue
            }
            let field: RecordField
            do { field = try RecordField(named: entry.name) } catch { throw InvalidValue(error.description) }
            if replaced.insert(field).inserted { remove(field) }
            if sign == ":" {
                guard !entry.value.isEmpty else { throw InvalidValue("\(field.rawValue) has no heading") }
                guard entry.value != "*" || field == .quantity else {
                    throw InvalidValue("\(field.rawValue):* is any column; give the heading of one")
                }
                columns.append(Column(field: field, heading: entry.value))
            } else {
                try set(field, to: entry.value)
            }
        }
        if columns.isEmpty { throw InvalidValue("it names no column; write FIELD:HEADING, such as sku:Item Number") }
    }

    private mutating func remove(_ field: RecordField) {
        columns.removeAll { $0.field == field }
        constants[field] = nil
        defaults[field] = nil
        if field == .sku { skuPrefix = "" }
    }

    private mutating func set(_ field: RecordField, to value: String) throws(InvalidValue) {
        if field == .sku {
            throw InvalidValue("each record has a SKU of its own; give its column, sku:HEADING, or --make-skus")
        }
        guard constants[field] == nil else { throw InvalidValue("\(field.rawValue) has two values") }
        var draft = RecordDraft()
        do { try draft.set(field, to: value) } catch { throw InvalidValue(error.description) }
        constants[field] = value
    }

    /// The fields that the file sets, also in an update.
    var fields: Set<RecordField> {
        var fields = Set(columns.map(\.field) + constants.keys)
        // A currency is set with its price.
        if !fields.contains(.price) { fields.remove(.currency) }
        return fields
    }

    /// The map as `--map` reads it.
    var text: String {
        let headings = columns.map { "\($0.field.rawValue):\(MapEntry.quoted($0.heading))" }
        let values = RecordField.allCases.compactMap { field in
            constants[field].map { "\(field.rawValue)=\(MapEntry.quoted($0))" }
        }
        return (headings + values).joined(separator: ",")
    }
}

/// A part of a map: the name of a map, or a field with its heading or value.
private struct MapEntry {
    var name: String
    var sign: Character?
    var value = ""

    /// Splits a map at the commas and line breaks that are not in quotes.
    static func all(in text: String) throws(InvalidValue) -> [MapEntry] {
        var entries: [MapEntry] = []
        var rest = text.drop(while: \.isWhitespace)
        while !rest.isEmpty {
            var entry: MapEntry
            if let whole = try quotedText(&rest) {
                let name = whole.prefix { !":=".contains($0) }
                let value = whole.dropFirst(name.count)
                entry = MapEntry(name: String(name), sign: value.first, value: String(value.dropFirst()))
            } else {
                entry = MapEntry(name: take(&rest) { ":=,".contains($0) || $0.isNewline })
                if let sign = rest.first, ":=".contains(sign) {
                    rest.removeFirst()
                    rest = rest.drop { $0 == " " }
                    entry.sign = sign
                    entry.value = try quotedText(&rest) ?? take(&rest) { $0 == "," || $0.isNewline }
                }
            }
            entry.name = entry.name.trimmed
            entries.append(entry)
            rest = rest.drop { $0 == " " }
            guard rest.isEmpty || rest.first == "," || rest.first?.isNewline == true else {
                throw InvalidValue("there is text after a closing quotation mark")
            }
            rest = rest.dropFirst().drop(while: \.isWhitespace)
        }
        return entries
    }

    private static func take(_ rest: inout Substring, until isEnd: (Character) -> Bool) -> String {
        let part = rest.prefix { !isEnd($0) }
        rest = rest.dropFirst(part.count)
        return part.trimmed
    }

    /// Takes a quoted text, or returns `nil` if there is none.
    private static func quotedText(_ rest: inout Substring) throws(InvalidValue) -> String? {
        guard rest.first == "\"" else { return nil }
        rest.removeFirst()
        var text = ""
        while let character = rest.popFirst() {
            if character == "\"" {
                guard rest.first == "\"" else { return text }
                rest.removeFirst()
            }
            text.append(character)
        }
        throw InvalidValue("a quotation mark is not closed")
    }

    static func quoted(_ text: String) -> String {
        let isPlain = text == text.trimmed && !text.contains { $0 == "," || $0 == "\"" || $0.isNewline }
        return isPlain ? text : "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
