/// The conditions, order and length of a list.
struct ListQuery: Equatable, Sendable {
    struct Order: Equatable, Sendable {
        let name: String
        let isDescending: Bool

        var field: StoredField { StoredField(name) }
    }

    var filters: [FieldFilter] = []
    /// The words to search for, where the list has an index of them.
    var search: SearchQuery?
    /// The sort fields. The last one is unique, so the order is total.
    var order: [Order] = [Order(name: "last_modified", isDescending: true)]
    /// The maximum number of objects.
    var limit = ListQuery.maximumLimit
    /// The values of the sort fields in the last object of the previous page. `nil` in it is a missing field.
    var after: [JSONValue?]?
    var includesTombstones = false
    /// The fields to return besides `id` and `last_modified`, or `nil` for all.
    var fields: [String]?

    /// The maximum number of objects on a page, whatever the request asks for.
    static let maximumLimit = 10_000

    /// The conditions that skip the previous pages. One of the groups must hold.
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

/// A condition on a field.
struct FieldFilter: Equatable, Sendable {
    enum Comparison: Equatable, Sendable {
        case equal(JSONValue?)
        /// Includes values of a lower kind, in the order of ``JSONRank``.
        case less(JSONValue?, orEqual: Bool = false)
        case greater(JSONValue?, orEqual: Bool = false)
        case isIn([JSONValue])
    }

    let field: StoredField
    let comparison: Comparison
}

/// A field for conditions and for sorting: `id`, `last_modified`, or one of the data such as `price.amount`.
enum StoredField: Equatable, Sendable {
    case id
    case version
    /// A path for SQLite's JSON functions. It is bound as a value, never part of a statement.
    case data(path: String)
    /// A field that no path can name, so no object has it.
    case absent

    init(_ name: String) {
        switch name {
        case "id": self = .id
        case "last_modified": self = .version
        default:
            let keys = name.split(separator: ".", omittingEmptySubsequences: false)
            // SQLite's paths have no escapes: a quotation mark ends a key. So a stored key with one never matches.
            let isNamable = keys.allSatisfy { key in
                !key.isEmpty && key.unicodeScalars.allSatisfy { $0 != "\"" && $0 != "\\" && $0.value >= 0x20 }
            }
            self = isNamable ? .data(path: "$" + keys.map { ".\"\($0)\"" }.joined()) : .absent
        }
    }
}

/// The order of values of different kinds, as in Kinto: null, strings, numbers, booleans, arrays, objects, missing
/// fields.
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

    /// The names of this kind in SQLite's `json_type`. Empty for a missing field, whose type is NULL.
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
