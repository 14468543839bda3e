public import Foundation

/// Encodes values as the items of a query or a form.
///
/// No standard defines the format of arrays and dates, so each API has its own. By default, an array is `a=1&a=2`,
/// and a date is `2026-03-01T10:20:17Z`. A member of an object is `a[b]=1`, and a Boolean is `true` or `false`. `nil`
/// is omitted.
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
    @nonexhaustive
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

    /// The format of a date.
    @nonexhaustive
    public enum Dates: Sendable {
        /// The format of RFC 3339 in whole seconds, rounded down: `2026-03-01T10:20:17Z`.
        case iso8601
        /// The format of RFC 3339 with milliseconds: `2026-03-01T10:20:17.250Z`.
        case iso8601WithFractionalSeconds
        /// The seconds since 1970, including any fraction: `1772360417`.
        case secondsSince1970
        /// The milliseconds since 1970, rounded: `1772360417000`.
        case millisecondsSince1970
        /// The result of a function.
        case formatted(@Sendable (Date) -> String)
    }

    /// The conversion of coding keys, and of the names in a literal. The keys of a dictionary are data, and are not
    /// converted.
    @nonexhaustive
    public enum Keys: Sendable {
        /// The key itself.
        case unchanged
        /// The key in snake case: `firstPressing` becomes `first_pressing`.
        case snakeCase
        /// The result of a function.
        case converted(@Sendable (String) -> String)

        /// Returns the name of a key.
        func name(of key: String) -> String {
            switch self {
            case .unchanged: key
            case .snakeCase: key.snakeCased
            case .converted(let convert): convert(key)
            }
        }
    }

    let arrays: Arrays
    let dates: Dates
    let keys: Keys

    /// Creates an encoder. The default formats are the ones that most servers accept.
    ///
    /// - Parameters:
    ///   - arrays: The format of an array.
    ///   - dates: The format of a date.
    ///   - keys: The conversion of coding keys, and of the names in a literal.
    public init(arrays: Arrays = .repeated, dates: Dates = .iso8601, keys: Keys = .unchanged) {
        self.arrays = arrays
        self.dates = dates
        self.keys = keys
    }

    /// Encodes a value as the items of a name, or the members of an object without one. Converts the name.
    func items(of value: any Encodable, named name: String? = nil) throws -> [RequestQuery.Item] {
        let node = QueryNode(self, path: name.map { [AnyCodingKey(stringValue: $0)] } ?? [])
        try node.encode(value)
        var items = QueryItems(options: self)
        try items.add(node, name.map(keys.name))
        return items.list
    }
}

/// The items of a value. Composes their names from the names of members and the indices of elements.
private struct QueryItems {
    let options: QueryEncoder
    var list: [RequestQuery.Item] = []

    /// Adds the items of a node.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - name: The name of its items, or `nil` at the root.
    ///   - isElement: Whether it is an element of an array without indices. Its own elements couldn't be told apart,
    ///     and with brackets alone its members can: a name that occurs again begins the next object.
    ///   - problem: The reason why no value can be encoded here, or `nil`.
    mutating func add(_ node: QueryNode, _ name: String?, isElement: Bool = false, problem: String? = nil) throws {
        if let (text, value) = node.scalar {
            guard let name else { throw node.misfit(value, "has no name; encode an object instead") }
            if let problem { throw node.misfit(value, problem) }
            list.append(RequestQuery.Item(name: name, value: text))
        }
        let nested = problem ?? (isElement ? "is nested in an element of an array; use `arrays: .indexed`" : nil)
        for (member, node) in node.members {
            let path = name.map { "\($0)[\(member)]" }
            try add(node, path ?? member, problem: options.arrays == .brackets ? problem : nested)
        }
        // An array at the root has no name, which its elements report.
        if options.arrays == .commas, let name { return try addList(node.elements, name, nested) }
        for (index, element) in node.elements.enumerated() {
            switch options.arrays {
            case .repeated, .commas: try add(element, name, isElement: true, problem: nested)
            case .brackets: try add(element, name.map { "\($0)[]" }, isElement: true, problem: nested)
            case .indexed: try add(element, name.map { "\($0)[\(index)]" }, problem: problem)
            }
        }
    }

    /// Adds elements as one item, separated by commas.
    private mutating func addList(_ elements: [QueryNode], _ name: String, _ problem: String?) throws {
        var items = QueryItems(options: options)
        for element in elements { try items.add(element, name, isElement: true, problem: problem) }
        let values = items.list.map(\.value)
        if values.isEmpty { return }
        let encoded =
            "\(PercentEncoding.encoded(name))=" + values.map { PercentEncoding.encoded($0) }.joined(separator: ",")
        list.append(
            RequestQuery.Item(name: name, value: values.joined(separator: ","), percentEncoded: encoded))
    }
}
