/// The query of a request, in the order given.
///
/// ```swift
/// ["min_quantity": 1, "title": title, "in_stock": true, "format": ["lp", "cd"], "_sort": "-price"]
/// ```
///
/// A value is anything that is `Encodable`; one of nil leaves its item out. ``QueryEncoder`` says how lists, nested
/// objects, dates and booleans are written, and another one than the default is given to ``init(_:using:)``.
///
/// Names and values are percent-encoded, everything but letters, digits, `-`, `.`, `_` and `~` (RFC 3986 section 2.3),
/// so that no server takes a `+`, `&`, `;`, `=` or `#` for its own. A value that cannot be encoded is a mistake that
/// the query keeps, and building the request throws.
public struct RequestQuery: Sendable, Hashable {
    public struct Item: Sendable, Hashable {
        public let name: String
        public let value: String
        /// Name and value as they travel, where they are not just the two percent-encoded: lists with commas,
        /// templates.
        let encoded: String?

        /// - Parameters:
        ///   - name: The name, not encoded.
        ///   - value: The value, not encoded.
        ///   - percentEncoded: The item as it is sent, such as `sort=year,-price`. By default, name and value are
        ///     percent-encoded. What no item may hold, such as `&` and `#`, is percent-encoded here, too.
        public init(name: String, value: String, percentEncoded: String? = nil) {
            self.name = name
            self.value = value
            encoded = percentEncoded.map { text in
                var encoded = ""
                PercentEncoding.append(keepingEscapes: text[...], to: &encoded, allowed: .queryItem)
                return encoded
            }
        }
    }

    public var items: [Item]
    private var space = QueryEncoder.Space.percent
    /// The names that are sensitive besides the well-known ones, in lower case.
    var sensitiveNames: Set<String> = []
    private var mistake: Mistake?

    /// The error of a value that could not be encoded. Building the request throws it.
    public var problem: (any Error)? {
        get { mistake?.error }
        set { mistake = newValue.map { Mistake(error: $0) } }
    }

    /// An error, which need not be `Hashable`: all are equal.
    private struct Mistake: Hashable {
        let error: any Error

        static func == (one: Mistake, other: Mistake) -> Bool { true }

        func hash(into hasher: inout Hasher) {}
    }

    public init(_ items: [Item] = []) {
        self.items = items
    }

    /// Creates the items of a percent-encoded query or form, such as `a=1&b=2`.
    ///
    /// A plus is a space, as in forms (WHATWG URL section 5.1). A percent sign without two digits is itself.
    public init(parsing text: String) {
        self.init(
            text.split(separator: "&").map { item in
                let name = item.prefix { $0 != "=" }
                return Item(
                    name: PercentEncoding.decoded(name), value: PercentEncoding.decoded(item.dropFirst(name.count + 1)))
            })
    }

    /// These items, by an encoder of one's own.
    public init(_ items: KeyValuePairs<String, (any Encodable)?>, using encoder: QueryEncoder) {
        self.init()
        space = encoder.space
        self.items.reserveCapacity(items.count)
        for (name, value) in items { add(name, value, using: encoder) }
    }

    /// The members of an object, in the order in which it encodes them; those of a dictionary by name.
    public init(encoding object: some Encodable, using encoder: QueryEncoder = QueryEncoder()) {
        self.init()
        space = encoder.space
        do {
            items = try encoder.items(of: object)
        } catch {
            problem = error
        }
    }

    /// Adds an item; of a list, an object or nil what the encoder makes of it, which may be several or none. A value that
    /// cannot be encoded is kept as a mistake. The encoder of the whole query says how spaces are written.
    public mutating func add(_ name: String, _ value: (any Encodable)?, using encoder: QueryEncoder = QueryEncoder()) {
        // What nearly all values are needs no encoder.
        switch value {
        case let text as String: items.append(Item(name: name, value: text))
        case let number as Int: items.append(Item(name: name, value: String(number)))
        case let flag as Bool where encoder.booleans == .words:
            items.append(Item(name: name, value: flag ? "true" : "false"))
        default:
            do {
                try items.append(contentsOf: encoder.items(of: value, named: name))
            } catch {
                problem = problem ?? error
            }
        }
    }

    /// The items of both, and the sensitive names of both; spaces travel as in the first.
    public static func + (one: RequestQuery, other: RequestQuery) -> RequestQuery {
        var sum = one
        sum.items += other.items
        sum.sensitiveNames.formUnion(other.sensitiveNames)
        sum.problem = one.problem ?? other.problem
        return sum
    }

    var isEmpty: Bool { items.isEmpty }

    /// The percent-encoded query, without a question mark.
    public var encoded: String {
        encoded(space: space == .plus ? UInt8(ascii: "+") : nil, allowed: .unreserved)
    }

    /// All items in one buffer, since this is done for every request.
    func encoded(space: UInt8?, allowed: ByteSet) -> String {
        let capacity = items.reduce(0) { sum, item in
            sum + (item.encoded?.utf8.count ?? 3 * (item.name.utf8.count + item.value.utf8.count)) + 2
        }
        return String(unsafeUninitializedCapacity: capacity) { buffer in
            var count = 0
            for (index, item) in items.enumerated() {
                if index > 0 {
                    buffer[count] = UInt8(ascii: "&")
                    count += 1
                }
                if let encoded = item.encoded {
                    let text = space == nil ? encoded : encoded.replacing("%20", with: "+")
                    PercentEncoding.write(text, to: buffer, at: &count, allowed: .all)
                } else {
                    PercentEncoding.write(item.name, to: buffer, at: &count, space: space, allowed: allowed)
                    buffer[count] = UInt8(ascii: "=")
                    count += 1
                    PercentEncoding.write(item.value, to: buffer, at: &count, space: space, allowed: allowed)
                }
            }
            return count
        }
    }
}

extension RequestQuery: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, (any Encodable)?)...) {
        self.init()
        items.reserveCapacity(elements.count)
        for (name, value) in elements { add(name, value) }
    }
}
