/// What is asked of a list: which objects, in which order, and how many.
struct ListQuery: Equatable, Sendable {
    struct Order: Equatable, Sendable {
        let name: String
        let isDescending: Bool

        var field: StoredField { StoredField(name) }
    }

    var filters: [FieldFilter] = []
    /// Ends with a field that is never the same twice, so that the order is whole.
    var order: [Order] = [Order(name: "last_modified", isDescending: true)]
    /// The largest number of objects to answer.
    var limit = ListQuery.maximumLimit
    /// The values of the order's fields in the last object of the page before this one; nil for a missing field.
    var after: [JSONValue?]?
    var includesTombstones = false
    /// The fields to answer, besides `id` and `last_modified`; nil for all.
    var fields: [String]?

    /// A page never holds more, whatever the limit asked for.
    static let maximumLimit = 10_000

    /// The conditions that leave out everything up to the page's beginning: one of the groups must hold.
    var pageRules: [[FieldFilter]] {
        guard let after else { return [] }
        let values = Array(zip(order, after))
        return values.indices.map { index in
            let (last, value) = values[index]
            let equals = values[..<index].map { FieldFilter(field: $0.field, comparison: .equal($1)) }
            let beyond = FieldFilter(
                field: last.field, comparison: last.isDescending ? .less(value) : .greater(value))
            return equals + [beyond]
        }
    }
}

/// One condition on a field. Of several, all must hold.
struct FieldFilter: Equatable, Sendable {
    enum Comparison: Equatable, Sendable {
        case equal(JSONValue?)
        /// Values of a lower kind are less than the value too, as ``JSONRank`` has it.
        case less(JSONValue?, orEqual: Bool = false)
        case greater(JSONValue?, orEqual: Bool = false)
        case isIn([JSONValue])
    }

    let field: StoredField
    let comparison: Comparison
}

/// A field that a list is filtered or sorted by: `id`, `last_modified`, or one of the data, `price.amount` perhaps.
enum StoredField: Equatable, Sendable {
    case id
    case version
    /// A path for SQLite's JSON functions. It is bound as a value, never made part of a statement.
    case data(path: String)
    /// A field that no object has, since no path can name it.
    case absent

    init(_ name: String) {
        switch name {
        case "id": self = .id
        case "last_modified": self = .version
        default:
            let keys = name.split(separator: ".", omittingEmptySubsequences: false)
            // SQLite's paths know no escape: a quote ends a key, and a stored key with one never matches.
            let isNamable = keys.allSatisfy { key in
                !key.isEmpty && key.unicodeScalars.allSatisfy { $0 != "\"" && $0 != "\\" && $0.value >= 0x20 }
            }
            self = isNamable ? .data(path: "$" + keys.map { ".\"\($0)\"" }.joined()) : .absent
        }
    }
}

/// The order of values of different kinds, as the contract has it: null, text, numbers, booleans, arrays, objects, and
/// above all of them a field that is missing.
enum JSONRank: Int, CaseIterable, Comparable {
    case null, text, number, boolean, array, object, missing

    init(_ value: JSONValue?) {
        self =
            switch value {
            case .null?: .null
            case .string?: .text
            case .integer?, .number?: .number
            case .bool?: .boolean
            case .array?: .array
            case .object?: .object
            case nil: .missing
            }
    }

    /// The names that SQLite's `json_type` has for this kind; none for a missing field, whose type is NULL.
    var typeNames: [String] {
        switch self {
        case .null: ["null"]
        case .text: ["text"]
        case .number: ["integer", "real"]
        case .boolean: ["true", "false"]
        case .array: ["array"]
        case .object: ["object"]
        case .missing: []
        }
    }

    static func < (left: JSONRank, right: JSONRank) -> Bool {
        left.rawValue < right.rawValue
    }
}
