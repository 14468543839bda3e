/// The query of a request: a list of names and values, in order.
///
/// ```swift
/// let query: RequestQuery = [
///     "min_quantity": 1, "title": title, "in_stock": true,
///     "format": ["lp", "cd"], "_sort": "-price",
/// ]
/// ```
///
/// A value is any `Encodable` value. An item whose value is `nil` is omitted. ``QueryEncoder`` defines the format of
/// arrays, nested objects, dates and Booleans. To change the format, pass an encoder to ``init(_:using:)``.
///
/// In names and values, everything except letters, digits, `-`, `.`, `_` and `~` is percent-encoded (RFC 3986 section
/// 2.3). So a server never interprets a `+`, `&`, `;`, `=` or `#` of a value.
///
/// If a value cannot be encoded, ``error`` is its error, and building the request throws it.
public struct RequestQuery: Sendable {
    /// One name and value of a query.
    public struct Item: Sendable, Hashable {
        /// The name, not encoded.
        public let name: String
        /// The value, not encoded.
        public let value: String
        /// The item as it is sent, if that differs from the percent-encoded name and value.
        let encoded: String?

        /// Creates an item.
        ///
        /// - Parameters:
        ///   - name: The name, not encoded.
        ///   - value: The value, not encoded.
        ///   - percentEncoded: The item as it is sent, such as `sort=year,-price`. By default, the name and the value
        ///     are percent-encoded. Characters that an item cannot contain, such as `&` and `#`, are always
        ///     percent-encoded.
        public init(name: String, value: String, percentEncoded: String? = nil) {
            self.name = name
            self.value = value
            encoded = percentEncoded.map { PercentEncoding.encoded(keepingEscapes: $0[...], allowed: .queryItem) }
        }
    }

    /// The items, in order.
    public var items: [Item]
    /// The lowercased names that are sensitive in addition to the well-known ones.
    var sensitiveNames: Set<String> = []
    /// The error of the first value that could not be encoded. Building the request throws it.
    public private(set) var error: (any Error)?

    /// Creates a query from items.
    public init(_ items: [Item] = []) {
        self.items = items
    }

    /// Creates a query that no request can be built with.
    ///
    /// - Parameter error: The error that building the request throws.
    public init(invalid error: any Error) {
        self.init()
        self.error = error
    }

    /// Parses a percent-encoded query or form, such as `a=1&b=2`.
    ///
    /// Decodes `+` as a space, as in forms (WHATWG URL section 5.1). Keeps a percent sign without two hexadecimal
    /// digits.
    public init(parsing text: String) {
        // By bytes: a separator and an extending scalar after it are one Character.
        self.init(
            Array(text.utf8).split(separator: UInt8(ascii: "&")).map { item in
                let name = item.prefix { $0 != UInt8(ascii: "=") }
                return Item(
                    name: PercentEncoding.decoded(name), value: PercentEncoding.decoded(item.dropFirst(name.count + 1)))
            })
    }

    /// Creates a query from names and values.
    ///
    /// - Parameters:
    ///   - items: The names and values, in order. Omits items whose value is `nil`.
    ///   - encoder: The encoder, which defines the format of the values.
    public init(_ items: KeyValuePairs<String, (any Encodable)?>, using encoder: QueryEncoder) {
        self.init()
        self.items.reserveCapacity(items.count)
        for (name, value) in items { add(name, value, using: encoder) }
    }

    /// Creates a query from the members of an object.
    ///
    /// The items have the order in which the object encodes its members. The members of a dictionary are sorted by
    /// name.
    ///
    /// - Parameters:
    ///   - object: A value that encodes a keyed container.
    ///   - encoder: The encoder, which defines the format of the values.
    public init(encoding object: some Encodable, using encoder: QueryEncoder = QueryEncoder()) {
        self.init()
        do {
            items = try encoder.items(of: object)
        } catch {
            self.error = error
        }
    }

    /// Adds a value as an item. An array or an object may become several items, and `nil` none.
    ///
    /// If the value cannot be encoded, sets ``error``.
    ///
    /// - Parameters:
    ///   - name: The name, not encoded. The encoder may convert it.
    ///   - value: The value.
    ///   - encoder: The encoder, which defines the format of the value.
    public mutating func add(_ name: String, _ value: (any Encodable)?, using encoder: QueryEncoder = QueryEncoder()) {
        guard let value else { return }
        do {
            items += try encoder.items(of: value, named: name)
        } catch {
            self.error = self.error ?? error
        }
    }

    /// Returns the items and the sensitive names of both queries.
    public static func + (one: RequestQuery, other: RequestQuery) -> RequestQuery {
        var sum = one
        sum.items += other.items
        sum.sensitiveNames.formUnion(other.sensitiveNames)
        sum.error = one.error ?? other.error
        return sum
    }

    /// The percent-encoded query, without a question mark.
    public var encoded: String { encoded(allowed: .unreserved) }

    /// Returns the percent-encoded items.
    ///
    /// - Parameter allowed: The bytes of names and values that are not encoded.
    func encoded(allowed: ByteSet) -> String {
        items.map { item in
            let (name, value) = (item.name, item.value)
            return item.encoded
                ?? PercentEncoding.encoded(name, allowed: allowed) + "="
                + PercentEncoding.encoded(value, allowed: allowed)
        }.joined(separator: "&")
    }
}

extension RequestQuery: Equatable {
    /// Returns whether the items and the sensitive names are equal. Two errors are.
    public static func == (one: RequestQuery, other: RequestQuery) -> Bool {
        one.items == other.items && one.sensitiveNames == other.sensitiveNames
            && (one.error == nil) == (other.error == nil)
    }
}

extension RequestQuery: ExpressibleByDictionaryLiteral {
    /// Creates a query from a dictionary literal. Omits items whose value is `nil`.
    public init(dictionaryLiteral elements: (String, (any Encodable)?)...) {
        self.init()
        items.reserveCapacity(elements.count)
        for (name, value) in elements { add(name, value) }
    }
}

extension RequestQuery {
    /// Returns this query with additional sensitive names.
    ///
    /// The values of these names are redacted wherever the query or its call is printed. If such a value is an array or
    /// an object, all its items are redacted.
    ///
    /// ```swift
    /// var query: RequestQuery {
    ///     (["key": key, "page": page] as RequestQuery).markingSensitive("key")
    /// }
    /// ```
    public func markingSensitive(_ names: String...) -> RequestQuery {
        var query = self
        query.sensitiveNames.formUnion(names.lazy.map { $0.lowercased() })
        return query
    }

    /// The items with sensitive values replaced.
    private var redacted: [Item] {
        let names = SensitiveNames(sensitiveNames)
        return items.map { item in
            names.isSensitive(item.name, queryValue: item.value)
                ? Item(name: item.name, value: SensitiveNames.replacement) : item
        }
    }
}

extension RequestQuery: SelfDescribing {
    /// The redacted items, separated by `&`.
    var text: String {
        redacted.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    /// The redacted items.
    var shown: [(name: String, value: Any)] {
        redacted.map { ($0.name, $0.value) }
    }
}
