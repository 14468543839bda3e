public import Foundation

/// A value of a document, of which only the parts are read that are asked for.
///
/// Use it where each document is read once, into types of your own that Codable can't describe: it takes a fraction of
/// the time of a ``JSONValue``, since it makes no tree. The whole document is checked first. A view keeps a copy of the
/// document in memory, so don't store it for long.
public struct JSONView: Sendable {
    private let tape: Tape
    private let index: Int

    private init(_ tape: Tape, _ index: Int) {
        self.tape = tape
        self.index = index
    }

    /// Checks a document.
    ///
    /// - Parameters:
    ///   - document: JSON in UTF-8, such as `Data` or `[UInt8]`.
    ///   - depthLimit: The greatest number of arrays and objects within each other: at most 512.
    /// - Throws: ``JSONSyntaxError`` if it isn't JSON.
    public init(reading document: some ContiguousBytes, depthLimit: Int = 512) throws(JSONSyntaxError) {
        var reader = JSONReader()
        reader.depthLimit = depthLimit
        let tape = document.withUnsafeBytes { bytes in
            Result { () throws(JSONSyntaxError) in try Tape(bytes, reader: reader) }
        }
        self.init(try tape.get(), 0)
    }

    /// Makes a view of a value, as if its text was read.
    ///
    /// - Throws: ``JSONSyntaxError`` if arrays and objects are nested more than 512 deep, or the text is too large.
    public init(_ value: JSONValue) throws(JSONSyntaxError) {
        try self.init(reading: value.bytes())
    }

    /// Decodes the value.
    ///
    /// - Returns: A value of the type. Member names are the strings of its coding keys.
    /// - Throws: `DecodingError`, whose coding path begins at this value, and what the type throws.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        do {
            return try tape.value(index)
        } catch let error as DecodingError {
            throw error.droppingKeys(tape.path(to: index).count)
        }
    }

    /// Whether the value is `null`.
    public var isNull: Bool { tape[index].kind == .null }

    /// Whether the value is an object.
    public var isObject: Bool { tape[index].kind == .object }

    /// The Boolean value, or `nil` if it is another value.
    public var bool: Bool? {
        switch tape[index].kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The string, or `nil` if it is another value.
    public var string: String? {
        let entry = tape[index]
        return entry.kind.isString ? tape.string(entry) : nil
    }

    /// The number, or `nil` if it is another value.
    public var number: JSONNumber? {
        let entry = tape[index]
        return entry.kind.isNumber ? JSONNumber(checked: tape.string(entry)) : nil
    }

    /// The number if it is whole and fits in `Int64`, or `nil`.
    public var integer: Int64? {
        let entry = tape[index]
        return entry.kind.isNumber ? NumberText.anyInteger(tape.bytes(of: entry)) : nil
    }

    /// The elements, or `nil` if it is another value than an array.
    public var elements: [JSONView]? {
        tape[index].kind == .array ? tape.children(of: index).map { JSONView(tape, $0) } : nil
    }

    /// The names and values of the members in their order, or `nil` if it is another value than an object.
    public var members: [(name: String, value: JSONView)]? {
        isObject ? tape.children(of: index).map { (tape.string(tape[$0]), JSONView(tape, $0 + 1)) } : nil
    }

    /// Returns the value of the last member with a name, or `nil` if there is none or it is another value than an
    /// object.
    ///
    /// Names are compared by their UTF-8 bytes (RFC 8259 section 8.3).
    public func last(_ name: String) -> JSONView? {
        guard isObject else { return nil }
        return tape.lastMember(name, of: index).map { JSONView(tape, $0) }
    }

    /// The value as a tree.
    public var tree: JSONValue { tape.tree(index) }
}

extension JSONView: Decodable {
    /// Keeps a part of a document as it is.
    ///
    /// With the decoders of this module the view is of that document. With others it is of a copy.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? TapeDecoder {
            self.init(decoder.tape, decoder.index)
        } else {
            try self.init(JSONValue(from: decoder))
        }
    }
}

extension DecodingError {
    /// Returns the error without the first keys of its path.
    fileprivate func droppingKeys(_ count: Int) -> DecodingError {
        func dropping(_ context: Context) -> Context {
            Context(
                codingPath: Array(context.codingPath.dropFirst(count)), debugDescription: context.debugDescription,
                underlyingError: context.underlyingError)
        }
        switch self {
        case .typeMismatch(let type, let context): return .typeMismatch(type, dropping(context))
        case .valueNotFound(let type, let context): return .valueNotFound(type, dropping(context))
        case .keyNotFound(let key, let context): return .keyNotFound(key, dropping(context))
        case .dataCorrupted(let context): return .dataCorrupted(dropping(context))
        @unknown default: return self
        }
    }
}
