/// Structured field values (RFC 9651): what header fields such as `Content-Digest` and `RateLimit` consist of.
///
/// A field that breaks the rules anywhere isn't read at all (section 4.2), so the parsers return `nil` then.
public enum StructuredField {
    /// A single value (section 3.3).
    public enum BareItem: Sendable, Hashable {
        case integer(Int)
        case decimal(Double)
        case string(String)
        case token(String)
        case bytes([UInt8])
        case boolean(Bool)
        /// Seconds since 1970.
        case date(Int)
        case displayString(String)
    }

    /// Names and values in order, each name once.
    public struct Parameters: Sendable, Hashable {
        /// A name and its value.
        public struct Parameter: Sendable, Hashable {
            public let name: String
            public var value: BareItem
        }

        public private(set) var all: [Parameter] = []

        public init() {}

        init(_ all: [Parameter]) {
            self.all = all
        }

        /// The value of a name. Setting it keeps the position of the name, or adds it at the end.
        public subscript(name: String) -> BareItem? {
            get { all.first { $0.name == name }?.value }
            set {
                if let index = all.firstIndex(where: { $0.name == name }) {
                    if let newValue { all[index].value = newValue } else { all.remove(at: index) }
                } else if let newValue {
                    all.append(Parameter(name: name, value: newValue))
                }
            }
        }
    }

    /// A value with its parameters.
    public struct Item: Sendable, Hashable {
        public var value: BareItem
        public var parameters: Parameters

        public init(_ value: BareItem, _ parameters: Parameters = Parameters()) {
            (self.value, self.parameters) = (value, parameters)
        }
    }

    /// A member of a list or a dictionary: an item, or a list of items with parameters (section 3.1.1).
    public enum Member: Sendable, Hashable {
        case item(Item)
        case innerList([Item], Parameters)

        /// The item, or `nil` for an inner list.
        public var item: Item? {
            if case .item(let item) = self { item } else { nil }
        }
    }

    /// Parses a list (section 4.2.1). The lines of a field are joined with commas.
    public static func list(_ text: String) -> [Member]? {
        var parser = StructuredFieldParser(text)
        return parser.whole { $0.list() }
    }

    /// Parses a dictionary (section 4.2.2). The last value of a name counts, at the position of the first.
    public static func dictionary(_ text: String) -> [(name: String, value: Member)]? {
        var parser = StructuredFieldParser(text)
        return parser.whole { $0.dictionary() }
    }

    /// Parses an item (section 4.2.3).
    public static func item(_ text: String) -> Item? {
        var parser = StructuredFieldParser(text)
        return parser.whole { $0.item() }
    }
}
