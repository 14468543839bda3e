/// A position in the encoded value, with the name of its item.
struct QueryNode {
    /// The destination of a string.
    enum Destination {
        /// An item of its own.
        case items
        /// An element of an array without indices, whose own members couldn't be told apart.
        case unnumbered
        /// An element of an array that is separated by commas.
        case list(QueryList)
        /// None: encoding throws an error with this reason.
        case nowhere(String)
    }

    let sink: QuerySink
    let name: String
    let codingPath: [any CodingKey]
    private let destination: Destination
    /// Whether the value is a dictionary. Its keys are data, and are not converted.
    private let isDictionary: Bool

    init(
        _ sink: QuerySink, name: String, path: [any CodingKey] = [], to destination: Destination = .items,
        isDictionary: Bool = false
    ) {
        self.sink = sink
        self.name = name
        codingPath = path
        self.destination = destination
        self.isDictionary = isDictionary
    }

    /// Returns the node of a member.
    func member(_ key: any CodingKey) -> QueryNode {
        var part = key.stringValue
        if !isDictionary {
            switch sink.options.keys {
            case .unchanged: break
            case .snakeCase: part = part.snakeCased
            case .converted(let convert): part = convert(part)
            }
        }
        if !name.isEmpty {
            part = sink.options.members == .dots ? "\(name).\(part)" : "\(name)[\(part)]"
        }
        let destination: Destination =
            switch destination {
            case .list: .nowhere("is in an object in a comma-separated array; use `arrays: .indexed`")
            case .unnumbered where sink.options.arrays == .repeated:
                .nowhere("is in an object in an array; use `arrays: .indexed`")
            // A name that occurs again begins the next object.
            case .unnumbered: .items
            case .items, .nowhere: destination
            }
        return QueryNode(sink, name: part, path: codingPath + [key], to: destination)
    }

    /// Returns the destination of the elements of an array.
    func startList() -> Destination {
        switch destination {
        case .items where sink.options.arrays == .commas:
            let list = QueryList(name: name)
            sink.add(list)
            return .list(list)
        case .items where sink.options.arrays != .indexed: return .unnumbered
        case .list: return .nowhere("is in an array in a comma-separated array; use `arrays: .indexed`")
        case .unnumbered: return .nowhere("is in an array in an array; use `arrays: .indexed`")
        case .items, .nowhere: return destination
        }
    }

    /// Returns the node of an element.
    ///
    /// - Parameters:
    ///   - index: The index of the element.
    ///   - destination: The result of ``startList()``.
    func element(_ index: Int, to destination: Destination) -> QueryNode {
        let name =
            switch sink.options.arrays {
            case .repeated, .commas: name
            case .brackets: name + "[]"
            case .indexed: "\(name)[\(index)]"
            }
        return QueryNode(sink, name: name, path: codingPath + [AnyCodingKey(intValue: index)], to: destination)
    }

    /// Encodes a value at this node.
    func encodeValue(_ value: any Encodable) throws {
        if codingPath.count > 100 { throw misfit(value, "is nested more than 100 levels deep") }
        if let text = try sink.options.text(of: value, at: self) { return try add(text, value) }
        if let set = value as? any Unordered { return try set.sorted(by: sink.options).encode(to: self) }
        guard let members = (value as? any KeyedByData)?.sortedMembers else { return try value.encode(to: self) }
        let node = QueryNode(sink, name: name, path: codingPath, to: destination, isDictionary: true)
        for (key, value) in members {
            try node.member(AnyCodingKey(stringValue: key)).encodeValue(value)
        }
    }

    /// Encodes `nil` at this node.
    func encodeNil() throws {
        // An empty path means that the top-level value is `nil`. It has no name for an empty item.
        if sink.options.nils == .empty, !codingPath.isEmpty { try add("", "") }
    }

    /// Adds a string to the destination.
    private func add(_ text: String, _ value: Any) throws {
        if name.isEmpty { throw misfit(value, "has no name; encode an object instead") }
        switch destination {
        case .nowhere(let reason): throw misfit(value, reason)
        case .items, .unnumbered: sink.add(name, text)
        case .list(let list): list.elements.append(text)
        }
    }

    /// Returns the error for a value that cannot be encoded.
    func misfit(_ value: Any, _ reason: String) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: codingPath, debugDescription: "the value \(reason)"))
    }
}

/// A dictionary. Sorts its members, so that the query is the same in every run.
private protocol KeyedByData {
    /// The members sorted by name, or `nil` if the keys have no names.
    ///
    /// The standard library encodes such a dictionary as an array of alternating keys and values.
    var sortedMembers: [(key: String, value: any Encodable)]? { get }
}

extension Dictionary: KeyedByData where Value: Encodable {
    fileprivate var sortedMembers: [(key: String, value: any Encodable)]? {
        guard Key.self is any CodingKeyRepresentable.Type else { return nil }
        func name(_ key: Key) -> String { (key as? any CodingKeyRepresentable)?.codingKey.stringValue ?? "" }
        return sorted { name($0.key) < name($1.key) }.map { (name($0.key), $0.value) }
    }
}

/// A set. Sorts its elements, so that the query is the same in every run.
private protocol Unordered {
    /// Returns the elements sorted by their encoded items.
    ///
    /// Elements that cannot be encoded come first. Encoding them later throws the error.
    func sorted(by encoder: QueryEncoder) -> any Encodable
}

extension Set: Unordered where Element: Encodable {
    fileprivate func sorted(by encoder: QueryEncoder) -> any Encodable {
        func text(_ element: Element) -> [String] {
            ((try? encoder.items(of: element, named: "element")) ?? []).map { "\($0.name)=\($0.value)" }
        }
        return map { (element: $0, text: text($0)) }.sorted { $0.text.lexicographicallyPrecedes($1.text) }.map(
            \.element)
    }
}

/// Collects the items of one encoding, in order.
final class QuerySink {
    let options: QueryEncoder
    private var items: [RequestQuery.Item] = []
    /// The comma-separated arrays, with the index to insert each at. They are complete only at the end.
    private var lists: [(index: Int, list: QueryList)] = []

    init(_ options: QueryEncoder) {
        self.options = options
    }

    /// Adds an item.
    func add(_ name: String, _ value: String) {
        items.append(RequestQuery.Item(name: name, value: value))
    }

    /// Adds a comma-separated array at the current index.
    func add(_ list: QueryList) {
        lists.append((items.count, list))
    }

    /// Returns all items.
    func finish() -> [RequestQuery.Item] {
        for (index, list) in lists.reversed() where !list.elements.isEmpty {
            items.insert(list.item, at: index)
        }
        return items
    }
}

/// A comma-separated array, which becomes one item.
final class QueryList {
    private let name: String
    var elements: [String] = []

    init(name: String) {
        self.name = name
    }

    /// The item with all elements.
    var item: RequestQuery.Item {
        var encoded = ""
        PercentEncoding.append(name, to: &encoded)
        for (index, element) in elements.enumerated() {
            encoded += index == 0 ? "=" : ","
            PercentEncoding.append(element, to: &encoded)
        }
        return RequestQuery.Item(name: name, value: elements.joined(separator: ","), percentEncoded: encoded)
    }
}
