/// The elements of an array.
struct ElementContainer: UnkeyedDecodingContainer {
    private let tape: Tape
    private let array: Int
    /// The index of the next element.
    private var index: Int
    /// The number of elements that were decoded.
    private(set) var currentIndex = 0

    init(_ tape: Tape, _ index: Int) throws {
        guard tape[index].kind == .array else { throw tape.mismatch([Any].self, index) }
        self.tape = tape
        array = index
        self.index = index + 1
    }

    var codingPath: [any CodingKey] { tape.path(to: array) }
    var count: Int? { Int(tape[array].end) }
    var isAtEnd: Bool { currentIndex >= Int(tape[array].end) }

    /// Decodes the next element. After an error it is still the next one.
    @inline(__always)
    private mutating func next<Value>(_ type: Value.Type, _ read: (Int) throws -> Value) throws -> Value {
        if isAtEnd {
            throw DecodingError.valueNotFound(
                type,
                DecodingError.Context(
                    codingPath: codingPath + [JSONKey(index: currentIndex)],
                    debugDescription: "The array has no more elements."))
        }
        let value = try read(index)
        index = Int(tape[index].next)
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        if isAtEnd { return try next(Any?.self) { _ in nil } == nil }
        guard tape[index].kind == .null else { return false }
        index += 1
        currentIndex += 1
        return true
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let tape = tape
        return try next(KeyedDecodingContainer<Key>.self) {
            try TapeDecoder(tape: tape, index: $0).container(keyedBy: type)
        }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let tape = tape
        return try next((any UnkeyedDecodingContainer).self) { try ElementContainer(tape, $0) }
    }

    mutating func superDecoder() throws -> any Decoder {
        let tape = tape
        return try next((any Decoder).self) { TapeDecoder(tape: tape, index: $0) }
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try next(type, tape.bool) }
    mutating func decode(_ type: String.Type) throws -> String { try next(type, tape.string) }
    mutating func decode(_ type: Double.Type) throws -> Double { try next(type, tape.float) }
    mutating func decode(_ type: Float.Type) throws -> Float { try next(type, tape.float) }
    mutating func decode(_ type: Int.Type) throws -> Int { try next(type, tape.integer) }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next(type, tape.integer) }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next(type, tape.integer) }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next(type, tape.integer) }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next(type, tape.integer) }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try next(type, tape.integer) }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try next(type, tape.integer) }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next(type, tape.integer) }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next(type, tape.integer) }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next(type, tape.integer) }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next(type, tape.integer) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try next(type, tape.integer) }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let tape = tape
        return try next(type) { try tape.value($0) }
    }
}
