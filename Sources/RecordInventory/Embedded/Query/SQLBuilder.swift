/// Puts a statement together: text that comes from this program alone, and values that are bound.
struct SQLBuilder {
    private(set) var sql: String
    private(set) var values: [SQLiteValue] = []

    init(_ sql: String) {
        self.sql = sql
    }

    mutating func append(_ text: String) {
        sql += text
    }

    /// Binds a value and answers its place in the text: `?3`. Strings of a request are bound as UTF-8, since equal
    /// values share a place.
    mutating func bind(_ value: SQLiteValue) -> String {
        if let known = values.firstIndex(of: value) { return "?\(known + 1)" }
        values.append(value)
        return "?\(values.count)"
    }

    /// Binds a value the way that SQLite's `json_extract` answers it: arrays and objects as text.
    mutating func bind(json value: JSONValue) -> String {
        switch value {
        case .null: bind(.null)
        case .bool(let bool): bind(.integer(bool ? 1 : 0))
        case .integer(let integer): bind(.integer(integer))
        case .number(let text): bind(Double(text).map { .real($0) } ?? .null)
        case .string(let string): bind(.utf8(Array(string.utf8)))
        case .array, .object: bind(.utf8(JSONWriter.bytes(value)))
        }
    }

    /// The parts of a field in the text: its value, and its kind as `json_type` names it.
    mutating func parts(of field: StoredField) -> (value: String, type: String) {
        switch field {
        case .id: return ("id", "'text'")
        case .version: return ("version", "'integer'")
        case .absent: return ("NULL", "NULL")
        case .data(let path):
            let place = bind(.utf8(Array(path.utf8)))
            return ("json_extract(data, \(place))", "json_type(data, \(place))")
        }
    }
}

extension SQLBuilder {
    /// The condition in the text. It is true, false or NULL, which counts as false.
    mutating func condition(_ filter: FieldFilter) -> String {
        let (value, type) = parts(of: filter.field)
        switch filter.comparison {
        case .equal(let wanted):
            return equality(value, type, wanted)
        case .less(let bound, let orEqual):
            return comparison(value, type, bound, orEqual ? "<=" : "<") { $0 < $1 }
        case .greater(let bound, let orEqual):
            return comparison(value, type, bound, orEqual ? ">=" : ">") { $0 > $1 }
        case .isIn(let wanted):
            return membership(value, type, wanted)
        }
    }

    private mutating func equality(_ value: String, _ type: String, _ wanted: JSONValue?) -> String {
        let rank = JSONRank(wanted)
        guard let wanted, rank != .null else { return isOneOf([rank], type) }
        // The kind is compared too: 1 is not true, nor "1".
        return both(isOneOf([rank], type)) { "\(value) = \($0.bind(json: wanted))" }
    }

    private mutating func comparison(
        _ value: String, _ type: String, _ bound: JSONValue?, _ operation: String,
        _ isBeyond: (JSONRank, JSONRank) -> Bool
    ) -> String {
        let rank = JSONRank(bound)
        var alternatives = [isOneOf(JSONRank.allCases.filter { isBeyond($0, rank) }, type)]
        if let bound, rank != .null {
            alternatives.append(
                both(isOneOf([rank], type)) { "\(value) \(operation) \($0.bind(json: bound))" })
        } else if operation.hasSuffix("=") {
            alternatives.append(isOneOf([rank], type))
        }
        return either(alternatives)
    }

    private mutating func membership(_ value: String, _ type: String, _ wanted: [JSONValue]) -> String {
        let kinds = Dictionary(grouping: wanted) { JSONRank($0) }.sorted { $0.key < $1.key }
        var alternatives: [String] = []
        for (rank, values) in kinds {
            guard rank != .null else {
                alternatives.append(isOneOf([.null], type))
                continue
            }
            // One bound array, however many the values: neither terms nor parameters run out.
            let known: [JSONValue] = values.map { value in
                switch value {
                case .array, .object: .string(String(decoding: JSONWriter.bytes(value), as: UTF8.self))
                default: value
                }
            }
            alternatives.append(
                both(isOneOf([rank], type)) {
                    "\(value) IN (SELECT value FROM json_each(\($0.bind(.utf8(JSONWriter.bytes(.array(known)))))))"
                })
        }
        return either(alternatives)
    }

    /// Whether the field is of one of the kinds. What is known of a column beforehand is `1` or `0`.
    private func isOneOf(_ ranks: [JSONRank], _ type: String) -> String {
        let names = ranks.flatMap(\.typeNames).map { "'\($0)'" }
        if type == "NULL" { return ranks.contains(.missing) ? "1" : "0" }
        if type.hasPrefix("'") { return names.contains(type) ? "1" : "0" }
        return either([
            names.isEmpty ? "0" : "\(type) IN (\(names.joined(separator: ", ")))",
            ranks.contains(.missing) ? "\(type) IS NULL" : "0",
        ])
    }

    // A condition that is known beforehand is left out, so that a column's index is used, and binds nothing.
    private mutating func both(_ first: String, _ second: (inout SQLBuilder) -> String) -> String {
        switch first {
        case "1": second(&self)
        case "0": "0"
        default: "\(first) AND \(second(&self))"
        }
    }

    private func either(_ alternatives: [String]) -> String {
        let open = alternatives.filter { $0 != "0" }
        if open.contains("1") { return "1" }
        return open.count > 1 ? "(" + open.joined(separator: " OR ") + ")" : open.first ?? "0"
    }
}
