/// A value as it encodes itself: a string, or nodes of its elements or members. `QueryItems` names them.
final class QueryNode {
    let options: QueryEncoder
    let codingPath: [any CodingKey]
    /// The string of the value, and the value, unless it consists of other values or is `nil`.
    private(set) var scalar: (text: String, value: Any)?
    private(set) var elements: [QueryNode] = []
    private(set) var members: [(name: String, node: QueryNode)] = []

    init(_ options: QueryEncoder, path: [any CodingKey]) {
        self.options = options
        codingPath = path
    }

    /// Adds the node of an element.
    func element() -> QueryNode {
        let node = QueryNode(options, path: codingPath + [AnyCodingKey(intValue: elements.count)])
        elements.append(node)
        return node
    }

    /// Adds the node of a member.
    func member(_ key: any CodingKey) -> QueryNode {
        member(key, named: options.keys.name(of: key.stringValue))
    }

    private func member(_ key: any CodingKey, named name: String) -> QueryNode {
        let node = QueryNode(options, path: codingPath + [key])
        members.append((name, node))
        return node
    }

    /// Returns the error for a value that cannot be encoded.
    func misfit(_ value: Any, _ reason: String) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: codingPath, debugDescription: "the value \(reason)"))
    }
}

/// Encodes a value at a node. A node is its own single-value container.
extension QueryNode: Encoder, SingleValueEncodingContainer {
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(QueryMembers<Key>(node: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { QueryElements(node: self) }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }
    func encodeNil() {}

    func encode(_ value: some Encodable) throws {
        if codingPath.count > 100 { throw misfit(value, "is nested more than 100 levels deep") }
        if let text = try options.text(of: value, at: self) {
            scalar = (text, value)
        } else if let set = value as? any Unordered {
            try set.sorted(by: options).encode(to: self)
        } else if let members = (value as? any KeyedByData)?.sortedMembers {
            for (name, value) in members {
                try member(AnyCodingKey(stringValue: name), named: name).encode(value)
            }
        } else {
            try value.encode(to: self)
        }
    }

    // Without these overloads, here and in the containers, the standard library's defaults would apply: they throw.
    func encode(_ value: Int128) { scalar = (value.description, value) }
    func encode(_ value: UInt128) { scalar = (value.description, value) }
}

/// Encodes the elements of an array.
private struct QueryElements: UnkeyedEncodingContainer {
    let node: QueryNode
    var codingPath: [any CodingKey] { node.codingPath }
    var count: Int { node.elements.count }

    func encodeNil() { _ = node.element() }
    func encode(_ value: some Encodable) throws { try node.element().encode(value) }
    func encode(_ value: Int128) { node.element().encode(value) }
    func encode(_ value: UInt128) { node.element().encode(value) }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.element().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { node.element().unkeyedContainer() }
    func superEncoder() -> any Encoder { node.element() }
}

/// Encodes the members of an object.
private struct QueryMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: QueryNode
    var codingPath: [any CodingKey] { node.codingPath }

    func encodeNil(forKey key: Key) {}
    func encode(_ value: some Encodable, forKey key: Key) throws { try node.member(key).encode(value) }
    func encode(_ value: Int128, forKey key: Key) { node.member(key).encode(value) }
    func encode(_ value: UInt128, forKey key: Key) { node.member(key).encode(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        node.member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { node.member(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { node.member(AnyCodingKey(stringValue: "super")) }
    func superEncoder(forKey key: Key) -> any Encoder { node.member(key) }
}

/// A dictionary. Sorts its members, so that the query is the same in every run. Its keys are data, and not converted.
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

/// A coding key that no type declares: a name, a dictionary key or an array index.
struct AnyCodingKey: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }

    init(stringLiteral name: String) {
        self.init(stringValue: name)
    }
}
