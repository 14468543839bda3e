public import Foundation

/// How values are written in a query or a form, where no standard says it: each API has its own way.
///
/// The default writes `a=1&a=2` for a list, `a[b]=1` for a member of an object, dates as in
/// `2026-03-01T10:20:17Z`, `true` and `false`, and leaves out what is nil.
///
/// ```swift
/// let encoder = QueryEncoder(arrays: .brackets, dates: .secondsSince1970, keys: .snakeCase)
/// var query: RequestQuery { RequestQuery(encoding: filter, using: encoder) }
/// ```
///
/// Names and values are percent-encoded whatever is chosen here, the brackets of a name too. `Data` is written in
/// Base64, a number as JSON has it. What has no form in a query, such as a number that is not finite, a single value
/// that has no name, or a list of objects or of lists, whose parts would get mixed up, is an `EncodingError` that names
/// its place. Lists of either kind want ``Arrays/indexed``; those of objects may have ``Arrays/brackets`` too, where a
/// name that comes again begins the next object.
public struct QueryEncoder: Sendable {
    /// How a list is written, here `[1, 2]` under the name `a`. A set is a list whose elements are sorted by their text.
    /// An empty one leaves no trace.
    public enum Arrays: Sendable, Hashable {
        /// `a=1&a=2`
        case repeated
        /// `a[]=1&a[]=2`
        case brackets
        /// `a[0]=1&a[1]=2`
        case indexed
        /// `a=1,2`; a comma within an element is percent-encoded.
        case commas
    }

    /// How a member `b` of an object is written that has the name `a`.
    public enum Members: Sendable, Hashable {
        /// `a[b]=1`
        case brackets
        /// `a.b=1`
        case dots
    }

    /// How a date is written.
    public enum Dates: Sendable {
        /// `2026-03-01T10:20:17Z` (RFC 3339), in whole seconds, rounded down.
        case iso8601
        /// `1772360417`, with a fraction where there is one.
        case secondsSince1970
        /// `1772360417000`, rounded.
        case millisecondsSince1970
        case formatted(@Sendable (Date) -> String)
    }

    /// How a boolean is written.
    public enum Booleans: Sendable, Hashable {
        /// `true`, `false`
        case words
        /// `1`, `0`
        case digits
    }

    /// How the name of a member is written, which its coding key gives. The keys of a dictionary are data and stay as
    /// they are.
    public enum Keys: Sendable {
        case unchanged
        /// `firstPressing` as `first_pressing`
        case snakeCase
        case converted(@Sendable (String) -> String)
    }

    /// What a value of nil leaves.
    public enum Nils: Sendable, Hashable {
        /// Nothing.
        case dropped
        /// `a=`
        case empty
    }

    let arrays: Arrays
    let members: Members
    let dates: Dates
    let booleans: Booleans
    let keys: Keys
    let nils: Nils
    let space: Space

    /// How a space is written in a query. In a form it is always `+`.
    public enum Space: Sendable, Hashable {
        /// `%20`, which every server reads as a space.
        case percent
        /// `+`
        case plus
    }

    /// Creates an encoder. By default, it writes what most servers read.
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

    /// The members of an object.
    func items(of object: any Encodable) throws -> [RequestQuery.Item] {
        let sink = QuerySink(self)
        try QueryNode(sink, name: "").encodeValue(object)
        return sink.finish()
    }

    /// What a value of this name becomes.
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
