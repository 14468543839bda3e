/// Builds a statement from fixed text and bound values.
struct SQLBuilder {
    private(set) var sql: String
    private(set) var values: [SQLiteValue] = []

    init(_ sql: String) {
        self.sql = sql
    }

    mutating func append(_ text: String) {
        sql += text
    }

    /// Binds a value and returns its placeholder, such as `?3`. Equal values share one. So bind strings of a request as
    /// UTF-8: `String` compares by canonical equivalence.
    mutating func bind(_ value: SQLiteValue) -> String {
        if let known = values.firstIndex(of: value) { return "?\(known + 1)" }
        values.append(value)
        return "?\(values.count)"
    }

    /// Binds a value as SQLite's `json_extract` returns it: arrays and objects as text.
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

    /// Returns the expressions for a field's value and for its kind as `json_type` names it.
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
    /// Returns the expression of a condition: true, false or NULL, which counts as false.
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
        // The kinds are compared too: 1 equals neither true nor "1".
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
            // One bound array for any number of values, so that neither terms nor parameters run out.
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

    /// Returns the expression for whether the field is of one of the kinds. It is `1` or `0` if that is known from the
    /// column.
    private func isOneOf(_ ranks: [JSONRank], _ type: String) -> String {
        let names = ranks.flatMap(\.typeNames).map { "'\($0)'" }
        if type == "NULL" { return ranks.contains(.missing) ? "1" : "0" }
        if type.hasPrefix("'") { return names.contains(type) ? "1" : "0" }
        return either([
            names.isEmpty ? "0" : "\(type) IN (\(names.joined(separator: ", ")))",
            ranks.contains(.missing) ? "\(type) IS NULL" : "0",
        ])
    }

    // A known condition is left out and binds nothing, so that SQLite uses the index of the column.
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
