/// The members of an object.
struct MemberContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let tape: Tape
    private let object: Int
    /// The members by name, if they are many or their names are converted.
    private let named: NamedMembers?

    init(_ tape: Tape, _ index: Int) throws {
        guard tape[index].kind == .object else { throw tape.mismatch([String: Any].self, index) }
        self.tape = tape
        object = index
        let converts = tape.convertsNames && tape.dictionary != index
        let count = tape[index].end
        let isNamed = converts || count > Tape.manyMembers || count > 16 && !tape.hasPlainNames(index)
        named = isNamed ? NamedMembers(tape, of: index, converts: converts) : nil
    }

    var codingPath: [any CodingKey] { tape.path(to: object) }

    var allKeys: [Key] {
        if let named { return named.names.compactMap { Key(stringValue: $0) } }
        return tape.children(of: object).compactMap { index in
            let name = tape.string(tape[index])
            // A later member of the same name isn't read.
            return tape.member(name, of: object) == index + 1 ? Key(stringValue: name) : nil
        }
    }

    @inline(__always)
    private func find(_ key: Key) -> Int? {
        if let named { return named[key.stringValue] }
        return tape.member(key.stringValue, of: object)
    }

    @inline(__always)
    private func value(_ key: Key) throws -> Int {
        if let index = find(key) { return index }
        throw missing(key)
    }

    /// Returns the value of a member, or `nil` if it is missing or null.
    @inline(__always)
    private func present(_ key: Key) -> Int? {
        guard let index = find(key), tape[index].kind != .null else { return nil }
        return index
    }

    private func missing(_ key: Key) -> DecodingError {
        .keyNotFound(
            key, DecodingError.Context(codingPath: codingPath, debugDescription: "The object has no such member."))
    }

    func contains(_ key: Key) -> Bool { find(key) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { tape[try value(key)].kind == .null }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try TapeDecoder(tape: tape, index: value(key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try ElementContainer(tape, value(key))
    }

    func superDecoder() throws -> any Decoder {
        let name = JSONKey.super.stringValue
        if let index = named.map({ $0[name] }) ?? tape.member(name, of: object) {
            return TapeDecoder(tape: tape, index: index)
        }
        throw DecodingError.keyNotFound(
            JSONKey.super,
            DecodingError.Context(codingPath: codingPath, debugDescription: "The object has no such member."))
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        TapeDecoder(tape: tape, index: try value(key))
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try tape.bool(value(key)) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try tape.string(value(key)) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try tape.float(value(key)) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try tape.float(value(key)) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try tape.integer(value(key)) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try tape.integer(value(key)) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try tape.integer(value(key)) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try tape.integer(value(key)) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try tape.integer(value(key)) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try tape.integer(value(key)) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try tape.integer(value(key)) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try tape.integer(value(key)) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try tape.integer(value(key)) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try tape.integer(value(key)) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try tape.integer(value(key)) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try tape.integer(value(key)) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try tape.value(value(key)) }

    // The defaults would look for each member three times.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(key).map(tape.bool) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try present(key).map(tape.string) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try present(key).map(tape.float) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try present(key).map(tape.float) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try present(key).map(tape.integer) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try present(key).map(tape.integer) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try present(key).map(tape.integer) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try present(key).map(tape.integer) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try present(key).map(tape.integer) }
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try present(key).map(tape.integer) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try present(key).map(tape.integer) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try present(key).map(tape.integer) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try present(key).map(tape.integer) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try present(key).map(tape.integer) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try present(key).map(tape.integer) }
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try present(key).map(tape.integer)
    }
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try present(key).map { try tape.value($0) }
    }
}

/// The members of an object by name: the first of each, as comparing them one by one finds it.
private final class NamedMembers: Sendable {
    /// The names in the order of the document.
    let names: [String]
    private let indices: [String: Int]

    init(_ tape: Tape, of object: Int, converts: Bool) {
        var names: [String] = []
        var indices = [String: Int](minimumCapacity: Int(tape[object].end))
        for index in tape.children(of: object) {
            let name = tape.name(tape[index], converts: converts)
            if indices[name] == nil {
                indices[name] = index + 1
                names.append(name)
            }
        }
        self.names = names
        self.indices = indices
    }

    subscript(name: String) -> Int? { indices[name] }
}
