import Foundation

/// A decoder of one value of a document.
struct TapeDecoder: Decoder {
    let tape: Tape
    let index: Int

    var codingPath: [any CodingKey] { tape.path(to: index) }
    var userInfo: [CodingUserInfoKey: Any] { tape.reader.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try MemberContainer<Key>(tape, index))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try ElementContainer(tape, index)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        SingleContainer(tape: tape, index: index)
    }
}

private struct SingleContainer: SingleValueDecodingContainer {
    let tape: Tape
    let index: Int

    var codingPath: [any CodingKey] { tape.path(to: index) }

    func decodeNil() -> Bool { tape[index].kind == .null }
    func decode(_ type: Bool.Type) throws -> Bool { try tape.bool(index) }
    func decode(_ type: String.Type) throws -> String { try tape.string(index) }
    func decode(_ type: Double.Type) throws -> Double { try tape.float(index) }
    func decode(_ type: Float.Type) throws -> Float { try tape.float(index) }
    func decode(_ type: Int.Type) throws -> Int { try tape.integer(index) }
    func decode(_ type: Int8.Type) throws -> Int8 { try tape.integer(index) }
    func decode(_ type: Int16.Type) throws -> Int16 { try tape.integer(index) }
    func decode(_ type: Int32.Type) throws -> Int32 { try tape.integer(index) }
    func decode(_ type: Int64.Type) throws -> Int64 { try tape.integer(index) }
    func decode(_ type: Int128.Type) throws -> Int128 { try tape.integer(index) }
    func decode(_ type: UInt.Type) throws -> UInt { try tape.integer(index) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try tape.integer(index) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try tape.integer(index) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try tape.integer(index) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try tape.integer(index) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try tape.integer(index) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try tape.value(index) }
}

// Values.
extension Tape {
    /// Decodes a value of any type.
    func value<Value: Decodable>(_ index: Int, as type: Value.Type = Value.self) throws -> Value {
        // The casts can't fail, since the types were compared. `as?` in place of the comparison would take longer.
        if type == String.self { return try string(index) as! Value }
        if type == Date.self { return try date(index) as! Value }
        if type == URL.self { return try url(index) as! Value }
        if type == Data.self { return try data(index) as! Value }
        if type == Decimal.self { return try decimal(index) as! Value }
        let tape = convertsNames && type is any NameKeyed.Type ? Tape(self, dictionary: index) : self
        return try Value(from: TapeDecoder(tape: tape, index: index))
    }

    @inline(__always)
    func bool(_ index: Int) throws -> Bool {
        switch self[index].kind {
        case .true: return true
        case .false: return false
        default: throw mismatch(Bool.self, index)
        }
    }

    @inline(__always)
    func string(_ index: Int) throws -> String {
        let entry = self[index]
        guard entry.kind.isString else { throw mismatch(String.self, index) }
        return string(entry)
    }

    @inline(__always)
    func integer<Integer: FixedWidthInteger>(_ index: Int) throws -> Integer {
        let entry = self[index]
        if entry.kind == .integer, let integer: Integer = NumberText.integer(bytes(of: entry)) { return integer }
        return try slowInteger(index)
    }

    private func slowInteger<Integer: FixedWidthInteger>(_ index: Int) throws -> Integer {
        let entry = self[index]
        guard entry.kind.isNumber else { throw mismatch(Integer.self, index) }
        if let integer: Integer = NumberText.wholeNumber(bytes(of: entry)) { return integer }
        throw corrupted("the number doesn't fit in \(Integer.self)", index)
    }

    @inline(__always)
    func float<Number: NumberText.Float>(_ index: Int) throws -> Number {
        let entry = self[index]
        if entry.kind.isNumber, let number: Number = NumberText.float(bytes(of: entry)) {
            return number
        }
        return try nonConforming(index)
    }

    private func nonConforming<Number: NumberText.Float>(_ index: Int) throws -> Number {
        let entry = self[index]
        if !entry.kind.isString {
            guard entry.kind.isNumber else { throw mismatch(Number.self, index) }
            throw corrupted("the number doesn't fit in \(Number.self)", index)
        }
        guard case .convertFromString(let positive, let negative, let nan) = reader.nonConformingFloatDecodingStrategy
        else { throw mismatch(Number.self, index) }
        switch string(entry) {
        case positive: return .infinity
        case negative: return -.infinity
        case nan: return .nan
        default: throw mismatch(Number.self, index)
        }
    }

    private func decimal(_ index: Int) throws -> Decimal {
        let entry = self[index]
        guard entry.kind.isNumber else { throw mismatch(Decimal.self, index) }
        guard let decimal = NumberText.decimal(bytes(of: entry)) else {
            throw corrupted("the number doesn't fit in Decimal", index)
        }
        return decimal
    }

    private func url(_ index: Int) throws -> URL {
        guard let url = URL(string: try string(index)) else { throw corrupted("the string isn't a URL", index) }
        return url
    }

    private func data(_ index: Int) throws -> Data {
        guard let data = Data(base64Encoded: try string(index)) else {
            throw corrupted("the string isn't Base64", index)
        }
        return data
    }

    private func date(_ index: Int) throws -> Date {
        switch reader.dateDecodingStrategy {
        case .deferredToDate: return try Date(from: TapeDecoder(tape: self, index: index))
        case .secondsSince1970: return Date(timeIntervalSince1970: try float(index))
        case .millisecondsSince1970: return Date(timeIntervalSince1970: try float(index) / 1_000)
        case .iso8601:
            guard let date = DateText.date(try string(index)) else {
                throw corrupted("the string isn't a date of ISO 8601", index)
            }
            return date
        case .custom(let read): return try read(TapeDecoder(tape: self, index: index))
        }
    }

    // MARK: Errors

    /// The error for a value of another type. It quotes nothing of the document.
    func mismatch(_ type: Any.Type, _ index: Int) -> DecodingError {
        let entry = self[index]
        let context = DecodingError.Context(
            codingPath: path(to: index), debugDescription: "Expected \(type), but found \(entry.kind.text).")
        return entry.kind == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    private func corrupted(_ description: String, _ index: Int) -> DecodingError {
        let fault = UnfitValue(description: description)
        let text = "\(description.prefix(1).uppercased())\(description.dropFirst())."
        return .dataCorrupted(
            DecodingError.Context(codingPath: path(to: index), debugDescription: text, underlyingError: fault))
    }
}

/// Why a value of the right type isn't valid. It quotes nothing of the document, so RecordKit's messages contain it.
private struct UnfitValue: Error, CustomStringConvertible {
    let description: String
}

extension Tape.Kind {
    fileprivate var text: String {
        switch self {
        case .null: "null"
        case .true, .false: "a Boolean value"
        case .integer, .number: "a number"
        case .ascii, .text, .escaped: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// A dictionary whose keys are data, so that no strategy converts them.
protocol NameKeyed {}

extension Dictionary: NameKeyed where Key == String {}
