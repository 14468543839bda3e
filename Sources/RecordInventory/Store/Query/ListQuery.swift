import RecordKitJSON

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
    /// The sort fields. The last one is unique, so the order is total. An object without a field comes last.
    var order: [Order] = [Order(name: "last_modified", isDescending: true)]
    /// The maximum number of objects.
    var limit = ListQuery.maximumLimit
    /// The values of the sort fields in the last object of the previous page.
    var after: [JSONValue]?
    var includesTombstones = false
    /// Whether only `id` and `last_modified` are returned.
    var hasOnlyIDs = false

    /// The maximum number of objects on a page, whatever the request asks for.
    static let maximumLimit = 10_000

    /// The conditions that skip the previous pages. One of the groups must hold.
    var pageRules: [[FieldFilter]] {
        guard let after else { return [] }
        let values = Array(zip(order, after))
        return values.indices.map { index in
            let (last, value) = values[index]
            let equals = values[..<index].map { FieldFilter(field: $0.field, comparison: .equal, value: $1) }
            let beyond = FieldFilter(
                field: last.field, comparison: last.isDescending ? .less : .greater, value: value)
            return equals + [beyond]
        }
    }
}

/// A condition on a field.
///
/// Compares values as SQLite does: numbers precede strings, and a missing value matches nothing. Kinto orders values of
/// different types in another way, so callers check the objects again.
struct FieldFilter: Equatable, Sendable {
    /// The prefix of the parameter.
    enum Comparison: String, CaseIterable, Sendable {
        case less = "lt_"
        case atMost = "max_"
        case greater = "gt_"
        case atLeast = "min_"
        case isIn = "in_"
        case isNotIn = "exclude_"
        /// Not in Kinto's API. Kinto ignores parameters that begin with an underscore.
        case like = "_like_"
        case equal = ""

        /// The operator of SQL.
        var sign: String {
            switch self {
            case .less: "<"
            case .atMost: "<="
            case .greater: ">"
            case .atLeast: ">="
            case .isIn: "IN"
            case .isNotIn: "NOT IN"
            case .like: "LIKE"
            case .equal: "="
            }
        }
    }

    let field: StoredField
    let comparison: Comparison
    /// The value, or an array of values for `isIn` and `isNotIn`.
    let value: JSONValue
}

/// A field for conditions and for sorting: `id`, `last_modified`, or one of the data such as `price.amount`.
enum StoredField: Equatable, Sendable {
    case id
    case version
    /// A path for SQLite's JSON functions.
    case data(path: String)

    /// Whether a name can be a part of SQLite's paths, which have no escapes.
    static func isName(_ name: some StringProtocol) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { $0.isAlphanumeric || "_.".utf8.contains($0) }
    }

    init(_ name: String) {
        switch name {
        case "id": self = .id
        case "last_modified": self = .version
        default: self = .data(path: "$." + name)
        }
    }
}
