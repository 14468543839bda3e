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
