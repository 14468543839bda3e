public import Foundation

/// Encodes values as the items of a query or a form.
///
/// No standard defines the format of arrays, objects and dates, so each API has its own. By default, an array is
/// `a=1&a=2`, a member of an object is `a[b]=1`, a date is `2026-03-01T10:20:17Z`, a Boolean is `true` or `false`, and
/// `nil` is omitted.
///
/// ```swift
/// let encoder = QueryEncoder(
///     arrays: .brackets, dates: .secondsSince1970, keys: .snakeCase)
/// var query: RequestQuery { RequestQuery(encoding: filter, using: encoder) }
/// ```
///
/// Names and values are always percent-encoded, including brackets. `Data` is encoded as Base64, and a number as in
/// JSON.
///
/// An array of arrays requires ``Arrays/indexed``. An array of objects requires ``Arrays/indexed`` or
/// ``Arrays/brackets``. With brackets, a name that occurs again begins the next object. Encoding such an array in
/// another format throws an `EncodingError` with its coding path, since its elements couldn't be told apart. So do a
/// number that is not finite, and a value without a name.
public struct QueryEncoder: Sendable {
    /// The format of an array. The examples show `[1, 2]` with the name `a`.
    ///
    /// A set is encoded as an array that is sorted by its encoded elements. An empty array is omitted.
    public enum Arrays: Sendable, Hashable {
        /// Repeats the name: `a=1&a=2`.
        case repeated
        /// Appends brackets to the name: `a[]=1&a[]=2`.
        case brackets
        /// Appends the index to the name: `a[0]=1&a[1]=2`.
        case indexed
        /// Separates the elements with commas: `a=1,2`. A comma within an element is percent-encoded.
        case commas
    }

    /// The format of a nested object. The examples show the member `b` of the object `a`.
    public enum Members: Sendable, Hashable {
        /// Puts the member in brackets: `a[b]=1`.
        case brackets
        /// Puts a dot before the member: `a.b=1`.
        case dots
    }

    /// The format of a date.
    public enum Dates: Sendable {
        /// The format of RFC 3339 in whole seconds, rounded down: `2026-03-01T10:20:17Z`.
        case iso8601
        /// The seconds since 1970, including any fraction: `1772360417`.
        case secondsSince1970
        /// The milliseconds since 1970, rounded: `1772360417000`.
        case millisecondsSince1970
        /// The result of a function.
        case formatted(@Sendable (Date) -> String)
    }

    /// The format of a Boolean.
    public enum Booleans: Sendable, Hashable {
        /// The words `true` and `false`.
        case words
        /// The digits `1` and `0`.
        case digits
    }

    /// The conversion of coding keys to names. The keys of a dictionary are data, and are not converted.
    public enum Keys: Sendable {
        /// The coding key itself.
        case unchanged
        /// The coding key in snake case: `firstPressing` becomes `first_pressing`.
        case snakeCase
        /// The result of a function.
        case converted(@Sendable (String) -> String)
    }

    /// The format of `nil`.
    public enum Nils: Sendable, Hashable {
        /// Omits the item.
        case dropped
        /// Encodes an item with an empty value: `a=`.
        case empty
    }

    let arrays: Arrays
    let members: Members
    let dates: Dates
    let booleans: Booleans
    let keys: Keys
    let nils: Nils
    let space: Space

    /// The format of a space in a query. In a form, a space is always `+`.
    public enum Space: Sendable, Hashable {
        /// The percent-encoding `%20`, which every server decodes.
        case percent
        /// The plus sign `+`.
        case plus
    }

    /// Creates an encoder. The default formats are the ones that most servers accept.
    ///
    /// - Parameters:
    ///   - arrays: The format of an array.
    ///   - members: The format of a nested object.
    ///   - dates: The format of a date.
    ///   - booleans: The format of a Boolean.
    ///   - keys: The conversion of coding keys to names.
    ///   - nils: The format of `nil`.
    ///   - space: The format of a space in a query.
    public init(
        arrays: Arrays = .repeated, members: Members = .brackets, dates: Dates = .iso8601, booleans: Booleans = .words,
        keys: Keys = .unchanged, nils: Nils = .dropped, space: Space = .percent
    ) {
        self.arrays = arrays
        self.members = members
        self.dates = dates
        self.booleans = booleans
        self.keys = keys
        self.nils = nils
        self.space = space
    }

    /// Encodes the members of an object.
    func items(of object: any Encodable) throws -> [RequestQuery.Item] {
        let sink = QuerySink(self)
        try QueryNode(sink, name: "").encodeValue(object)
        return sink.finish()
    }

    /// Encodes a value as the items of a name.
    func items(of value: (any Encodable)?, named name: String) throws -> [RequestQuery.Item] {
        let sink = QuerySink(self)
        let node = QueryNode(sink, name: name, path: [AnyCodingKey(stringValue: name)])
        if let value {
            try node.encodeValue(value)
        } else {
            try node.encodeNil()
        }
        return sink.finish()
    }
}
