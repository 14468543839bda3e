public import Foundation
public import RecordKit

/// A JSON value (RFC 8259) as it was written: the members of objects in their order, and numbers with their digits. The
/// list of cases is complete.
///
/// Use it for parts of a document that no type describes. ``JSONReader`` and ``JSONWriter`` read and write it as it is.
/// Other coders keep neither the order of members nor digits that a `Decimal` hasn't.
public enum JSONValue: Hashable, Sendable {
    /// The value `null`.
    case null
    /// The value `true` or `false`.
    case bool(Bool)
    /// A number.
    case number(JSONNumber)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - document: JSON in UTF-8, such as `Data` or `[UInt8]`.
    ///   - depthLimit: The greatest number of arrays and objects within each other: at most 512.
    /// - Throws: ``JSONSyntaxError`` if it isn't JSON.
    public init(reading document: some ContiguousBytes, depthLimit: Int = 512) throws(JSONSyntaxError) {
        self = try JSONView(reading: document, depthLimit: depthLimit).tree
    }

    /// The JSON text: on one line, or with a line for each value, indented by two spaces.
    public func text(pretty: Bool = false) -> String {
        String(decoding: bytes(pretty: pretty), as: UTF8.self)
    }

    /// The JSON text in UTF-8. Escapes only what must be escaped.
    public func bytes(pretty: Bool = false) -> [UInt8] {
        var format: JSONWriter.OutputFormatting = .withoutEscapingSlashes
        if pretty { format.insert(.prettyPrinted) }
        return ByteBuffer.written { TreeWriter.write(self, to: &$0, format, depth: 0) }
    }

    /// Appends the JSON text in UTF-8, on one line.
    public func append(to bytes: inout [UInt8]) {
        var buffer = ByteBuffer(capacity: 256)
        defer { buffer.deallocate() }
        TreeWriter.write(self, to: &buffer, .withoutEscapingSlashes, depth: 0)
        bytes.append(contentsOf: UnsafeBufferPointer(start: buffer.start, count: buffer.count))
    }

    /// The value with the members of all objects sorted by the bytes of their names. Keeps the last member of each
    /// name.
    public consuming func sorted() -> JSONValue {
        sort()
        return self
    }

    private mutating func sort() {
        switch self {
        case .null, .bool, .number, .string: return
        case .array(var elements):
            // Leaves the elements to one owner, so that they are sorted in place.
            self = .null
            for index in elements.indices { elements[index].sort() }
            self = .array(elements)
        case .object(var object):
            self = .null
            var members = object.members
            object.members = []
            for index in members.indices { members[index].value.sort() }
            self = .object(JSONObject(sorting: members))
        }
    }
}

// Parts.
extension JSONValue {
    /// The object, or `nil` if it is another value.
    public var object: JSONObject? { if case .object(let object) = self { object } else { nil } }
    /// The elements, or `nil` if it is another value.
    public var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
    /// The string, or `nil` if it is another value.
    public var string: String? { if case .string(let string) = self { string } else { nil } }
    /// The number, or `nil` if it is another value.
    public var number: JSONNumber? { if case .number(let number) = self { number } else { nil } }
    /// The Boolean value, or `nil` if it is another value.
    public var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
    /// The number if it is whole and fits in `Int64`, or `nil`.
    public var integer: Int64? { number?.integer() }

    /// A number.
    public static func integer(_ integer: some BinaryInteger) -> JSONValue { .number(JSONNumber(integer)) }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates a number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object with its members in their order.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(JSONObject(members.map { JSONObject.Member(name: $0, value: $1) }))
    }
}

extension JSONValue: CustomStringConvertible {
    /// The JSON text on one line.
    public var description: String { text() }
}

extension JSONValue: NetworkValue {
    /// The media type `application/json`.
    public static var contentType: String? { "application/json" }

    /// Reads the body of a response, whatever the decoder.
    ///
    /// - Throws: ``JSONSyntaxError``, or `NetworkResponse.ReadingError.emptyBody`.
    public static func read(_ response: NetworkResponse, using decoder: (any NetworkDecoder)?) throws -> JSONValue {
        if response.body.isEmpty { throw NetworkResponse.ReadingError.emptyBody }
        return try JSONValue(reading: response.body)
    }
}

extension JSONValue: NetworkEncodable {
    /// Returns the JSON text, whatever the encoder.
    public func encoded(using encoder: any NetworkEncoder) -> EncodedBody {
        EncodedBody(Data(bytes()), contentType: "application/json")
    }
}
