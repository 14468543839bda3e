/// It is the container of a single value itself.
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

    // The standard library's own, which refuse, would be chosen for these types, here and in a list.
    func encode(_ value: Int128) throws { try encodeValue(value) }
    func encode(_ value: UInt128) throws { try encodeValue(value) }
}

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
