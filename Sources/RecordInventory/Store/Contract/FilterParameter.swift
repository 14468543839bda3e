/// A condition in the query: `title=Blue`, `min_quantity=1`, `in_id=a,b`.
struct FilterParameter {
    private enum Keyword: String, CaseIterable {
        case lt, min, max, eq, gt
        case isIn = "in"
    }

    /// The prefixes of Kinto's filters that this store refuses. `contains_` includes `contains_any_`.
    private static let unsupported = ["like", "has", "contains", "exclude", "not"]

    let name: String
    let field: String
    private let keyword: Keyword
    private let value: JSONValue
    /// The values of the keyword `in`.
    private let values: [JSONValue]

    init(name: String, values texts: [String]) throws(StoreRefusal) {
        func has(_ prefix: String) -> Bool {
            name.hasPrefix(prefix + "_") && name.dropFirst(prefix.count + 1).isFieldName
        }
        if let prefix = Self.unsupported.first(where: has) {
            throw .invalid(.querystring, name, "This store does not support the filter \(prefix)_")
        }
        let keyword = Keyword.allCases.first { has($0.rawValue) }
        self.name = name
        self.keyword = keyword ?? .eq
        field = keyword.map { String(name.dropFirst($0.rawValue.count + 1)) } ?? name
        // A name that comes twice stands for an array of strings.
        let value: JSONValue = texts.count == 1 ? QueryParameters.value(texts[0]) : .array(texts.map { .string($0) })
        // An id is a string, but one that looks like a number must be quoted.
        if name == "id", case .bool = value { self.value = .string(texts[0]) } else { self.value = value }
        values =
            keyword != .isIn
            ? []
            : texts.flatMap { $0.utf8.split(separator: UInt8(ascii: ",")) }.map {
                QueryParameters.value(String(Substring($0)))
            }
    }

    var hasNull: Bool {
        field.contains("\0") || ([value] + values).contains { Self.hasNull($0) }
    }

    var takesOneValue: Bool { keyword != .isIn }

    /// The value as a version: a whole number, quoted or not.
    var version: Int64? {
        switch value {
        case .integer(let integer) where integer >= 0: integer
        case .number(let text): Double(text).flatMap { $0 < 0 ? nil : Int64(exactly: $0.rounded(.towardZero)) }
        case .string(let text) where text.utf8.allSatisfy(\.isDigit): Int64(text)
        default: nil
        }
    }

    /// Throws unless the values are strings. Quotes make a number a string.
    func checkIDs() throws(StoreRefusal) {
        switch keyword {
        case .isIn:
            guard values.allSatisfy({ $0.string != nil }) else {
                throw .invalid(.querystring, name, "Invalid value for \(name)")
            }
        case .eq where name == "id" && JSONRank(value) == .number:
            throw .invalid(.querystring, name, "The id is not a string")
        default:
            break
        }
    }

    /// - Parameter known: the value, if it has been parsed already.
    func comparison(with known: JSONValue? = nil) -> FieldFilter.Comparison {
        var value = known ?? self.value
        if field == "id", case .integer(let integer) = value { value = .string(String(integer)) }
        return switch keyword {
        case .eq: .equal(value)
        case .lt: .less(value)
        case .max: .less(value, orEqual: true)
        case .gt: .greater(value)
        case .min: .greater(value, orEqual: true)
        case .isIn: .isIn(values)
        }
    }

    private static func hasNull(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): text.contains("\0")
        case .array(let values): values.contains(where: hasNull)
        case .object(let object): object.members.contains { $0.name.contains("\0") || hasNull($0.value) }
        default: false
        }
    }
}
