import RecordKit

/// Which records a list holds, as far as a server can tell: every condition has to be met.
struct RecordFilter: Sendable, Hashable {
    enum Comparison: String, Sendable, Hashable {
        case equal = ""
        case atLeast = "min_"
        case atMost = "max_"
    }

    struct Condition: Sendable, Hashable {
        let field: RecordField
        let comparison: Comparison
        let value: Value

        /// However another program has written the barcode.
        static func barcode(_ barcode: Barcode) -> Condition {
            Condition(field: .barcode, comparison: .equal, value: .oneOf(barcode.spellings))
        }

        /// In the server's words: `min_quantity`.
        var name: String {
            if case .oneOf = value { "in_" + field.jsonPath } else { comparison.rawValue + field.jsonPath }
        }

        enum Value: Sendable, Hashable {
            case number(Int64)
            case text(String)
            /// Texts without a comma.
            case oneOf([String])
        }
    }

    var conditions: [Condition] = []
    /// Only records with such ids, the second excluded.
    var ids: Range<String>?
    /// How many records a page holds at the most.
    var pageSize = 1_000

    /// In the server's words. It reads values as JSON, so that text has to stand in quotes: a barcode without them is a
    /// number to it, and finds nothing.
    var query: RequestQuery {
        var query = RequestQuery()
        for condition in conditions {
            let value =
                switch condition.value {
                case .number(let number): String(number)
                case .text(let text): JSONValue.string(text).text()
                case .oneOf(let texts): texts.map { JSONValue.string($0).text() }.joined(separator: ",")
                }
            query.add(condition.name, value)
        }
        // Unlike other texts, ids need no quotes.
        query.add("min_id", ids?.lowerBound)
        query.add("lt_id", ids?.upperBound)
        query.add("_sort", "id")
        query.add("_limit", pageSize)
        return query
    }
}
