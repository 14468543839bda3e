/// A JSON value (RFC 8259). Whole numbers stay whole; keys have no order.
enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case array([JSONValue])
    case object([JSONKey: JSONValue])

    var object: [JSONKey: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    var integer: Int64? {
        if case .integer(let integer) = self { integer } else { nil }
    }

    /// Whether both stand for the same value: 1 and 1.0 do.
    func isEqual(to other: JSONValue) -> Bool {
        switch (self, other) {
        case (.integer(let left), .real(let right)), (.real(let right), .integer(let left)):
            Double(left) == right
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isEqual(to: $1) }
        case (.object(let left), .object(let right)):
            left.count == right.count
                && left.allSatisfy { key, value in right[key].map { value.isEqual(to: $0) } ?? false }
        case (.string(let left), .string(let right)):
            left.utf8.elementsEqual(right.utf8)
        default:
            self == other
        }
    }
}

extension JSONValue {
    /// Whether the value has at most so many levels and, counting down, so many values.
    func fits(depth: Int, values: inout Int) -> Bool {
        values -= 1
        guard depth >= 0, values >= 0 else { return false }
        switch self {
        case .array(let elements): return elements.allSatisfy { $0.fits(depth: depth - 1, values: &values) }
        case .object(let members): return members.values.allSatisfy { $0.fits(depth: depth - 1, values: &values) }
        default: return true
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int64) { self = .integer(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    init(dictionaryLiteral elements: (JSONKey, JSONValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}
