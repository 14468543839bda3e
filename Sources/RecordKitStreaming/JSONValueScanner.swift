import RecordKit

/// Finds the end of a JSON value whose bytes arrive in chunks (RFC 8259).
///
/// It tracks strings, escapes and nesting, and nothing else. So the value that it finds may still be invalid: the
/// decoder rejects that. Its brackets are balanced, and none of its commas is outside them. So several values with
/// commas between them can be decoded as one list, with the same result as each alone.
struct JSONValueScanner: Sendable {
    /// The reasons why the bytes can't be a value.
    enum Fault: Error {
        case invalid
        case tooDeep
    }

    private enum State {
        case start
        case scalar
        case string
        case escape
        /// In an array or object, outside its strings.
        case container
    }

    /// The maximum number of levels. `JSONDecoder` accepts one more, and a list around the value.
    static let depthLimit = 511

    private let allowsLineBreaks: Bool
    private var state = State.start
    private var depth = 0

    /// - Parameter allowsLineBreaks: Whether LF is whitespace in the value. It ends a record of NDJSON.
    init(allowsLineBreaks: Bool = true) {
        self.allowsLineBreaks = allowsLineBreaks
    }

    /// Whether the value is a number, `true`, `false` or `null`. The byte after it, or the end of the body, ends it.
    var isScalar: Bool { state == .scalar }

    /// Returns the position after the value, or `nil` if the value goes on in the next chunk.
    ///
    /// - Parameter start: The position of the next byte of the value. Whitespace before the value isn't a part of it.
    mutating func scan(_ bytes: UnsafeRawBufferPointer, from start: Int) throws(Fault) -> Int? {
        var position = start
        while position < bytes.count {
            switch state {
            case .start:
                try begin(bytes[position])
                position += 1
            case .scalar:
                while position < bytes.count, Self.isScalar(bytes[position]) { position += 1 }
                return position < bytes.count ? position : nil
            case .string:
                position = Self.endOfPlain(bytes, from: position)
                guard position < bytes.count else { return nil }
                let byte = bytes[position]
                position += 1
                if byte == JSONByte.quote {
                    if depth == 0 { return position }
                    state = .container
                } else if byte == JSONByte.backslash {
                    state = .escape
                } else {
                    throw .invalid
                }
            case .escape:
                if bytes[position] < 0x20 { throw .invalid }
                position += 1
                state = .string
            case .container:
                let byte = bytes[position]
                position += 1
                switch byte {
                case JSONByte.quote: state = .string
                case JSONByte.openBrace, JSONByte.openBracket:
                    depth += 1
                    if depth > Self.depthLimit { throw .tooDeep }
                case JSONByte.closeBrace, JSONByte.closeBracket:
                    depth -= 1
                    if depth == 0 { return position }
                case JSONByte.lineFeed: if !allowsLineBreaks { throw .invalid }
                case 0..<0x20: if !JSONByte.isWhitespace(byte) { throw .invalid }
                default: break
                }
            }
        }
        return nil
    }

    private mutating func begin(_ byte: UInt8) throws(Fault) {
        switch byte {
        case JSONByte.openBrace, JSONByte.openBracket: (state, depth) = (.container, 1)
        case JSONByte.quote: state = .string
        case _ where Self.isScalar(byte): state = .scalar
        default: throw .invalid
        }
    }

    /// Returns whether a byte is of a number or of a word such as `true`.
    private static func isScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// Returns the position of the first byte that isn't plain, or the end.
    ///
    /// Most bytes of a list are in strings, so it tests eight at once. A byte of a word is zero, or below a number, if
    /// subtracting one, or that number, sets its highest bit. The borrow may set that bit in later bytes, never
    /// earlier.
    private static func endOfPlain(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var position = start
        while position + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let quotes = word ^ (ones &* UInt64(JSONByte.quote))
            let backslashes = word ^ (ones &* UInt64(JSONByte.backslash))
            let found =
                (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | (word &- (ones &* 0x20)) & ~word
            let marks = found & (ones &* 0x80)
            if marks != 0 { return position + marks.trailingZeroBitCount / 8 }
            position += 8
        }
        while position < bytes.count, isPlain(bytes[position]) { position += 1 }
        return position
    }

    /// Returns whether a byte neither ends a string, nor begins an escape, nor is a control character.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte != JSONByte.quote && byte != JSONByte.backslash && byte >= 0x20
    }
}

/// The bytes that have a meaning in JSON.
enum JSONByte {
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")
    static let openBracket = UInt8(ascii: "[")
    static let closeBracket = UInt8(ascii: "]")
    static let comma = UInt8(ascii: ",")
    static let colon = UInt8(ascii: ":")
    static let lineFeed = UInt8(ascii: "\n")
    /// Begins a text of a JSON text sequence (RFC 7464 section 2.2).
    static let recordSeparator: UInt8 = 0x1E
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Returns whether a byte is whitespace (RFC 8259 section 2).
    static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
