import RecordKitJSON
import RecordKitSQLite

/// Builds a statement from fixed text and bound values.
struct SQLBuilder {
    var sql: String
    private(set) var values: [SQLiteValue] = []

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
        case .number(let number):
            bind(number.integer().map { .integer($0) } ?? number.double.map { .real($0) } ?? .null)
        case .string(let string): bind(.utf8(Array(string.utf8)))
        case .array, .object: bind(.utf8(value.bytes()))
        }
    }

    /// Returns the expression for the value of a field.
    mutating func value(of field: StoredField) -> String {
        switch field {
        case .id: "id"
        case .version: "version"
        case .data(let path): "json_extract(data, \(bind(.utf8(Array(path.utf8)))))"
        }
    }

    /// Returns the expression for whether a value satisfies the comparison of a filter.
    mutating func comparison(_ value: String, _ filter: FieldFilter) -> String {
        let wanted = bind(json: filter.value)
        // One bound array for any number of values, so that parameters do not run out.
        let values =
            [.isIn, .isNotIn].contains(filter.comparison) ? "(SELECT value FROM json_each(\(wanted)))" : wanted
        return "\(value) \(filter.comparison.sign) \(values)"
    }
}
