/// The query of a request, in the order given. A value of nil leaves its item out.
///
/// ```swift
/// ["min_quantity": 1, "title": title, "_sort": "-price"]
/// ```
///
/// Names and values are percent-encoded, everything but letters, digits, `-`, `.`, `_` and `~`, so that no server takes
/// a `+`, `&`, `;` or `=` for its own.
public struct RequestQuery: Sendable, Hashable {
    public struct Item: Sendable, Hashable {
        public var name: String
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    public var items: [Item]

    public init(_ items: [Item] = []) {
        self.items = items
    }

    public mutating func add(_ name: String, _ value: (any LosslessStringConvertible)?) {
        if let value { items.append(Item(name: name, value: value.description)) }
    }

    public var isEmpty: Bool { items.isEmpty }

    /// Appends the query as it travels, without its question mark.
    func encode(to text: inout String) {
        for (index, item) in items.enumerated() {
            if index > 0 { text += "&" }
            PercentEncoding.append(item.name, to: &text, allowed: PercentEncoding.isUnreserved)
            text += "="
            PercentEncoding.append(item.value, to: &text, allowed: PercentEncoding.isUnreserved)
        }
    }
}

extension RequestQuery: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, (any LosslessStringConvertible)?)...) {
        self.init()
        items.reserveCapacity(elements.count)
        for (name, value) in elements { add(name, value) }
    }
}

extension RequestQuery: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The items, secret ones redacted.
    public var description: String {
        printable.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror {
        Mirror(self, children: printable.map { ($0.name as String?, $0.value as Any) }, displayStyle: .dictionary)
    }

    private var printable: [Item] {
        items.map {
            SecretNames.contains($0.name.lowercased()) ? Item(name: $0.name, value: SecretNames.replacement) : $0
        }
    }
}
