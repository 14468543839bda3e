/// Encodes a value at a node. A node is its own single-value container.
extension QueryNode: Encoder, SingleValueEncodingContainer {
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(QueryMembers<Key>(node: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        QueryElements(node: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        self
    }

    func encode(_ value: some Encodable) throws {
        try encodeValue(value)
    }

    // Without these overloads, here and in `QueryElements`, the standard library's defaults would apply: they throw.
    func encode(_ value: Int128) throws { try encodeValue(value) }
    func encode(_ value: UInt128) throws { try encodeValue(value) }
}

/// Encodes the elements of an array.
private struct QueryElements: UnkeyedEncodingContainer {
    private let node: QueryNode
    private let destination: QueryNode.Destination
    private(set) var count = 0
    var codingPath: [any CodingKey] { node.codingPath }

    init(node: QueryNode) {
        self.node = node
        destination = node.startList()
    }

    private mutating func next() -> QueryNode {
        defer { count += 1 }
        return node.element(count, to: destination)
    }

    mutating func encodeNil() throws {
        try next().encodeNil()
    }

    mutating func encode(_ value: some Encodable) throws {
        try next().encodeValue(value)
    }

    mutating func encode(_ value: Int128) throws { try next().encodeValue(value) }
    mutating func encode(_ value: UInt128) throws { try next().encodeValue(value) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        next().container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        next().unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        next()
    }
}

/// Encodes the members of an object.
struct QueryMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: QueryNode
    var codingPath: [any CodingKey] { node.codingPath }

    func encodeNil(forKey key: Key) throws {
        try node.member(key).encodeNil()
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        try node.member(key).encodeValue(value)
    }

    // Without these overloads, the standard library's defaults would apply: they throw for 128-bit integers, and omit
    // `nil`.
    func encode(_ value: Int128, forKey key: Key) throws { try node.member(key).encodeValue(value) }
    func encode(_ value: UInt128, forKey key: Key) throws { try node.member(key).encodeValue(value) }

    private func encodeOptional(_ value: (some Encodable)?, _ key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try encodeOptional(value, key) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        node.member(key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        node.member(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        node.member(AnyCodingKey(stringValue: "super"))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        node.member(key)
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
