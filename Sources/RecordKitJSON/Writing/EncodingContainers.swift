/// The only value of a node.
struct SingleEncoding: SingleValueEncodingContainer {
    let state: EncodingState
    let node: Int

    var codingPath: [any CodingKey] { state.list.pointee.path(to: node) }

    func encodeNil() { state.setNull(node) }
    func encode(_ value: Bool) { state.set(node, value) }
    func encode(_ value: String) { state.set(node, value) }
    func encode(_ value: Int) { state.set(node, value) }
    func encode(_ value: Int8) { state.set(node, value) }
    func encode(_ value: Int16) { state.set(node, value) }
    func encode(_ value: Int32) { state.set(node, value) }
    func encode(_ value: Int64) { state.set(node, value) }
    func encode(_ value: Int128) { state.set(node, value) }
    func encode(_ value: UInt) { state.set(node, value) }
    func encode(_ value: UInt8) { state.set(node, value) }
    func encode(_ value: UInt16) { state.set(node, value) }
    func encode(_ value: UInt32) { state.set(node, value) }
    func encode(_ value: UInt64) { state.set(node, value) }
    func encode(_ value: UInt128) { state.set(node, value) }
    func encode(_ value: Double) throws { try state.set(node, float: value) }
    func encode(_ value: Float) throws { try state.set(node, float: value) }
    func encode<Value: Encodable>(_ value: Value) throws { try state.set(node, value: value) }
}

/// The elements of an array.
struct ElementEncoding: UnkeyedEncodingContainer {
    let state: EncodingState
    let array: Int

    var count: Int { state.list.pointee.childCount(of: array) }
    var codingPath: [any CodingKey] { state.list.pointee.path(to: array) }

    @inline(__always)
    private func next() -> Int {
        state.list.pointee.addElement(to: array)
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        NodeEncoder(state: state, node: next()).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        NodeEncoder(state: state, node: next()).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { NodeEncoder(state: state, node: next()) }

    func encodeNil() { state.setNull(next()) }
    func encode(_ value: Bool) { state.set(next(), value) }
    func encode(_ value: String) { state.set(next(), value) }
    func encode(_ value: Int) { state.set(next(), value) }
    func encode(_ value: Int8) { state.set(next(), value) }
    func encode(_ value: Int16) { state.set(next(), value) }
    func encode(_ value: Int32) { state.set(next(), value) }
    func encode(_ value: Int64) { state.set(next(), value) }
    func encode(_ value: Int128) { state.set(next(), value) }
    func encode(_ value: UInt) { state.set(next(), value) }
    func encode(_ value: UInt8) { state.set(next(), value) }
    func encode(_ value: UInt16) { state.set(next(), value) }
    func encode(_ value: UInt32) { state.set(next(), value) }
    func encode(_ value: UInt64) { state.set(next(), value) }
    func encode(_ value: UInt128) { state.set(next(), value) }
    func encode(_ value: Double) throws { try state.set(next(), float: value) }
    func encode(_ value: Float) throws { try state.set(next(), float: value) }
    func encode<Value: Encodable>(_ value: Value) throws { try state.set(next(), value: value) }
}

/// The members of an object.
struct MemberEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let state: EncodingState
    let object: Int

    var codingPath: [any CodingKey] { state.list.pointee.path(to: object) }

    @inline(__always)
    private func member(_ key: some CodingKey) -> Int {
        state.list.pointee.addMember(key.stringValue, to: object)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        let node = state.list.pointee.addContainer(key.stringValue, to: object, as: .object)
        return NodeEncoder(state: state, node: node).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let node = state.list.pointee.addContainer(key.stringValue, to: object, as: .array)
        return NodeEncoder(state: state, node: node).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { NodeEncoder(state: state, node: member(JSONKey.super)) }
    func superEncoder(forKey key: Key) -> any Encoder { NodeEncoder(state: state, node: member(key)) }

    func encodeNil(forKey key: Key) { state.setNull(member(key)) }
    func encode(_ value: Bool, forKey key: Key) { state.set(member(key), value) }
    func encode(_ value: String, forKey key: Key) { state.set(member(key), value) }
    func encode(_ value: Int, forKey key: Key) { state.set(member(key), value) }
    func encode(_ value: Int8, forKey key: Key) { state.set(member(key), value) }
    func encode(_ value: Int16, forKey key: Key) { state.set(member(key), value) }
    func encode(_ value: Int32, forKey key: Key) { state.set(member(key), value) }
    func encode(_ value: Int64, forKey key: Key) { state.set(member(key), value) }
    func encode(_ value: Int128, forKey key: Key) { state.set(member(key), value) }
    func encode(_ value: UInt, forKey key: Key) { state.set(member(key), value) }
    func encode(_ value: UInt8, forKey key: Key) { state.set(member(key), value) }
    func encode(_ value: UInt16, forKey key: Key) { state.set(member(key), value) }
    func encode(_ value: UInt32, forKey key: Key) { state.set(member(key), value) }
    func encode(_ value: UInt64, forKey key: Key) { state.set(member(key), value) }
    func encode(_ value: UInt128, forKey key: Key) { state.set(member(key), value) }
    func encode(_ value: Double, forKey key: Key) throws { try state.set(member(key), float: value) }
    func encode(_ value: Float, forKey key: Key) throws { try state.set(member(key), float: value) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try state.set(member(key), value: value) }
}
