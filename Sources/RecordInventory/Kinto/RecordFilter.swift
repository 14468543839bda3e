import RecordKitJSON
import RecordKit

/// The conditions of a list, as far as a server can check them. All must hold.
struct RecordFilter: Sendable {
    enum Comparison: String, Sendable, Hashable {
        case equal = ""
        case atLeast = "min_"
        case atMost = "max_"
        /// A pattern of SQL, without regard to the case of ASCII letters. Kinto ignores it and returns more records.
        case like = "_like_"
    }

    struct Condition: Sendable, Hashable {
        let field: RecordField
        let comparison: Comparison
        /// The value, or several of which the field has one: strings without commas.
        let values: [JSONValue]

        /// Creates a condition for a barcode, in any form that other programs store.
        static func barcode(_ barcode: Barcode) -> Condition {
            Condition(field: .barcode, comparison: .equal, values: barcode.spellings.map { .string($0) })
        }

        /// The name of the parameter, such as `min_quantity`.
        var name: String {
            (values.count > 1 ? "in_" : comparison.rawValue) + field.jsonPath
        }
    }

    var conditions: [Condition] = []
    /// The words to search for, in a store that has an index of them. Others return more records.
    var search: String?
    /// The range of ids.
    var ids: Range<String>?
    /// The ids of the records, if others do not matter.
    var oneOfIDs: [String]?
    /// The currencies that prices must not have.
    var otherCurrencies: [String] = []
    /// The field by which records are sorted, and then by id. `nil` for the order of ids.
    var order: (field: RecordField, isDescending: Bool)?

    /// The maximum number of records on a page.
    var pageSize = 1_000

    /// Adds the condition that a number is there, unless another one says so.
    mutating func require(_ number: RecordField) {
        let condition = Condition(field: number, comparison: .atLeast, values: [0])
        if !conditions.contains(where: { $0.field == number }) { conditions.append(condition) }
    }

    /// The query for the server. Strings are quoted, since the server parses values as JSON: an unquoted barcode would
    /// be a number, and match nothing.
    var query: RequestQuery {
        var query = RequestQuery()
        for condition in conditions {
            query.add(condition.name, condition.values.map { $0.text() }.joined(separator: ","))
        }
        query.add("in_id", oneOfIDs?.map { JSONValue.string($0).text() }.joined(separator: ","))
        query.add("min_id", ids.map { JSONValue.string($0.lowerBound).text() })
        query.add("lt_id", ids.map { JSONValue.string($0.upperBound).text() })
        query.add("_search", search)
        if !otherCurrencies.isEmpty {
            query.add(
                "exclude_price.currency", otherCurrencies.map { JSONValue.string($0).text() }.joined(separator: ","))
        }
        query.add("_sort", (order.map { ($0.isDescending ? "-" : "") + $0.field.jsonPath + "," } ?? "") + "id")
        query.add("_limit", pageSize)
        return query
    }
}
