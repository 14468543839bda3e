/// A place in what is encoded: the name that a value gets there.
struct QueryNode {
    /// Where the text of a value goes.
    enum Destination {
        case items
        /// An element of a list without numbers: which of its members belong to which element could not be told.
        case unnumbered
        case list(QueryList)
        /// It has no place, for a reason.
        case nowhere(String)
    }

    let sink: QuerySink
    let name: String
    let codingPath: [any CodingKey]
    private let destination: Destination
    /// Whether the value is a dictionary, whose keys are data.
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

    /// The place of a member.
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
            case .list: .nowhere("is in an object in a list between commas")
            case .unnumbered where sink.options.arrays == .repeated:
                .nowhere("is in an object in a list, for which QueryEncoder has `arrays: .indexed`")
            // A name that comes again begins the next object.
            case .unnumbered: .items
            case .items, .nowhere: destination
            }
        return QueryNode(sink, name: part, path: codingPath + [key], to: destination)
    }

    /// Where the elements of a list go.
    func startList() -> Destination {
        switch destination {
        case .items where sink.options.arrays == .commas:
            let list = QueryList(name: name)
            sink.add(list)
            return .list(list)
        case .items where sink.options.arrays != .indexed: return .unnumbered
        case .list: return .nowhere("is in a list in a list between commas")
        case .unnumbered: return .nowhere("is in a list in a list, for which QueryEncoder has `arrays: .indexed`")
        case .items, .nowhere: return destination
        }
    }

    /// The place of an element, going where ``startList()`` said.
    func element(_ index: Int, to destination: Destination) -> QueryNode {
        let name =
            switch sink.options.arrays {
            case .repeated, .commas: name
            case .brackets: name + "[]"
            case .indexed: "\(name)[\(index)]"
            }
        return QueryNode(sink, name: name, path: codingPath + [AnyCodingKey(intValue: index)], to: destination)
    }

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

    func encodeNil() throws {
        // The object itself may be nil: there is no name then, nor anything to be left empty.
        if sink.options.nils == .empty, !codingPath.isEmpty { try add("", "") }
    }

    private func add(_ text: String, _ value: Any) throws {
        if name.isEmpty { throw misfit(value, "has no name") }
        switch destination {
        case .nowhere(let reason): throw misfit(value, reason)
        case .items, .unnumbered: sink.add(name, text, from: codingPath)
        case .list(let list): list.elements.append(text)
        }
    }

    func misfit(_ value: Any, _ reason: String) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: codingPath, debugDescription: "the value \(reason)"))
    }
}

/// A dictionary: it has no order of its own, and a query shall not change from run to run.
private protocol KeyedByData {
    /// By name; nil where the keys have none, and the standard library encodes a list of keys and values.
    var sortedMembers: [(key: String, value: any Encodable)]? { get }
}

extension Dictionary: KeyedByData where Value: Encodable {
    fileprivate var sortedMembers: [(key: String, value: any Encodable)]? {
        guard Key.self is any CodingKeyRepresentable.Type else { return nil }
        func name(_ key: Key) -> String { (key as? any CodingKeyRepresentable)?.codingKey.stringValue ?? "" }
        return sorted { name($0.key) < name($1.key) }.map { (name($0.key), $0.value) }
    }
}

/// A set: it has no order either.
private protocol Unordered {
    /// By text. What has none comes first, to be refused where it is encoded.
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
