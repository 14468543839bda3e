import Foundation

/// A JSON value (RFC 8259).
enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// The JSON text of a number that is no `Int64`.
    ///
    /// A `Double` would lose digits that a `Decimal` keeps, and a `Decimal` has no room for `1e300`.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
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

    /// The JSON text: on one line, or with a line for each value, indented by two spaces.
    func text(pretty: Bool = false) -> String {
        String(decoding: JSONWriter.bytes(self, pretty: pretty), as: UTF8.self)
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int64) { self = .integer(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(JSONObject(members.map { JSONObject.Member(name: $0, value: $1) }))
    }

    /// A string, or null.
    init(_ string: String?) {
        self = string.map { .string($0) } ?? .null
    }

    /// A number, or null.
    init(_ number: (some BinaryInteger)?) {
        self = number.map { .integer(Int64($0)) } ?? .null
    }
}
