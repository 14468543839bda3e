/// A query item that is a condition: `title=Blue`, `min_quantity=1`, `in_id=a,b`.
struct FilterParameter {
    private enum Keyword: String, CaseIterable {
        case lt, min, max, not, eq, gt, exclude, like, has
        case isIn = "in"
        // The longer name first: it begins with the shorter.
        case containsAny = "contains_any"
        case contains
    }

    let name: String
    let field: String
    private let keyword: Keyword
    private let value: JSONValue
    /// The values of a keyword that takes several.
    private let values: [JSONValue]

    init(name: String, values texts: [String]) {
        let keyword = Keyword.allCases.first { keyword in
            name.hasPrefix(keyword.rawValue + "_") && name.dropFirst(keyword.rawValue.count + 1).isFieldName
        }
        self.name = name
        self.keyword = keyword ?? .eq
        field = keyword.map { String(name.dropFirst($0.rawValue.count + 1)) } ?? name
        // A name that comes twice stands for a list of texts.
        let value: JSONValue = texts.count == 1 ? QueryParameters.value(texts[0]) : .array(texts.map { .string($0) })
        // An id is text; but a number must be written in quotes to be one.
        if name == "id", case .bool = value { self.value = .string(texts[0]) } else { self.value = value }
        switch keyword {
        case .isIn, .exclude:
            values = texts.flatMap { $0.split(separator: ",") }.map { QueryParameters.value(String($0)) }
        default:
            values = value.array ?? [value]
        }
    }

    var hasNull: Bool {
        field.contains("\0") || ([value] + values).contains { Self.hasNull($0) }
    }

    var takesOneValue: Bool {
        ![.isIn, .exclude, .contains, .containsAny, .like, .has].contains(keyword)
    }

    /// The value as a version: a whole number, in quotes or not.
    var version: Int64? {
        switch value {
        case .integer(let integer) where integer >= 0: integer
        case .real(let real) where real >= 0: Int64(exactly: real.rounded(.towardZero))
        case .string(let text) where text.utf8.allSatisfy(\.isDigit): Int64(text)
        default: nil
        }
    }

    /// Ids are text: a number must be written in quotes.
    func checkIDs() throws(StoreRefusal) {
        switch keyword {
        case .isIn, .exclude:
            guard values.allSatisfy({ $0.string != nil }) else { throw refusal }
        case .contains, .containsAny:
            throw .invalid(.querystring, name, "Field 'id' is not an array")
        case .eq where name == "id" && JSONRank(value) == .number:
            throw .invalid(.querystring, name, "The id is not a string")
        default:
            break
        }
    }

    /// - Parameter known: the value, where it has been read already.
    func comparison(with known: JSONValue? = nil) throws(StoreRefusal) -> FieldFilter.Comparison {
        var value = known ?? self.value
        if field == "id", case .integer(let integer) = value { value = .string(String(integer)) }
        switch keyword {
        case .eq: return .equal(value)
        case .not: return .notEqual(value)
        case .lt: return .less(value)
        case .max: return .less(value, orEqual: true)
        case .gt: return .greater(value)
        case .min: return .greater(value, orEqual: true)
        case .isIn: return .isIn(values)
        case .exclude: return .isNotIn(values)
        case .has: return .has(Self.isTrue(self.value))
        case .contains: return .contains(values)
        case .containsAny: return .containsAny(values)
        case .like:
            guard let pattern = value.string else { throw refusal }
            return .like(pattern)
        }
    }

    private var refusal: StoreRefusal {
        .invalid(.querystring, name, "Invalid value for \(name)")
    }

    private static func isTrue(_ value: JSONValue) -> Bool {
        switch value {
        case .null, .bool(false), .integer(0), .real(0), .string(""), .array([]), .object([:]): false
        default: true
        }
    }

    private static func hasNull(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): text.contains("\0")
        case .array(let values): values.contains(where: hasNull)
        case .object(let members): members.contains { $0.key.text.contains("\0") || hasNull($0.value) }
        default: false
        }
    }
}
