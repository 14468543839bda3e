/// Reads JSON text strictly (RFC 8259): UTF-8, one value, no comments, no trailing commas.
///
/// Sorts the members of an object by name and keeps the last of each name. Keeps the digits of a number that is no
/// `Int64`. Nesting deeper than ``maximumDepth`` is an error, as is a number that no `Double` can hold.
struct JSONReader {
    static let maximumDepth = 200

    private let bytes: [UInt8]
    private var position = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    static func read(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONValue {
        var reader = JSONReader(bytes)
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.position == bytes.count else { throw reader.error("something follows the value") }
        return value
    }

    private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        guard depth <= Self.maximumDepth else { throw error("nested more than \(Self.maximumDepth) levels deep") }
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case let byte? where byte == UInt8(ascii: "-") || byte.isDigit: return try number()
        case nil: throw error("the text ends where a value should be")
        default: throw error("no value begins like this")
        }
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        var members: [JSONObject.Member] = []
        position += 1
        if take("}") { return .object(JSONObject()) }
        repeat {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw error("a key in quotes is missing") }
            let name = try string()
            guard take(":") else { throw error("a colon is missing") }
            members.append(JSONObject.Member(name: name, value: try value(depth: depth + 1)))
        } while take(",")
        guard take("}") else { throw error("a comma or } is missing") }
        return .object(JSONObject(sorting: members))
    }

    private mutating func array(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        var elements: [JSONValue] = []
        position += 1
        if take("]") { return .array(elements) }
        repeat {
            elements.append(try value(depth: depth + 1))
        } while take(",")
        guard take("]") else { throw error("a comma or ] is missing") }
        return .array(elements)
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count, bytes[position..<end].elementsEqual("\(word)".utf8) else {
            throw error("no value begins like this")
        }
        position = end
        return value
    }

    private mutating func number() throws(JSONSyntaxError) -> JSONValue {
        let start = position
        if peek == UInt8(ascii: "-") { position += 1 }
        let digits = position
        try takeDigits()
        guard bytes[digits] != UInt8(ascii: "0") || position == digits + 1 else {
            throw error("a number begins with 0")
        }
        var isWhole = true
        if peek == UInt8(ascii: ".") {
            isWhole = false
            position += 1
            try takeDigits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            isWhole = false
            position += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
            try takeDigits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let integer = Int64(text) { return .integer(integer) }
        guard let real = Double(text), real.isFinite else { throw error("the number is too large") }
        return .number(text)
    }

    private mutating func takeDigits() throws(JSONSyntaxError) {
        let start = position
        while let byte = peek, byte.isDigit { position += 1 }
        guard position > start else { throw error("a digit is missing") }
    }
}

// Strings.
extension JSONReader {
    private mutating func string() throws(JSONSyntaxError) -> String {
        position += 1
        let start = position
        while let byte = peek, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { position += 1 }
        if peek == UInt8(ascii: "\"") {
            defer { position += 1 }
            return try text(bytes[start..<position])
        }
        var unescaped = Array(bytes[start..<position])
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return try text(unescaped[...])
            case UInt8(ascii: "\\"): unescaped.append(contentsOf: String(try escape()).utf8)
            case ..<0x20: throw error("a control character in a string is not escaped")
            default: unescaped.append(byte)
            }
        }
        throw error("a string does not end")
    }

    private func text(_ bytes: ArraySlice<UInt8>) throws(JSONSyntaxError) -> String {
        // Replaces what is not UTF-8. `String(validating:)` takes three times as long for a short string (Swift 6.3).
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.elementsEqual(bytes) else { throw error("a string is not UTF-8") }
        return text
    }

    private mutating func escape() throws(JSONSyntaxError) -> Unicode.Scalar {
        guard let byte = peek else { throw error("a string does not end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            var unit = try codeUnit()
            if (0xD800..<0xDC00).contains(unit), take("\\u", skippingSpace: false) {
                let low = try codeUnit()
                guard (0xDC00..<0xE000).contains(low) else { throw error("half a surrogate pair") }
                unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(unit) else { throw error("half a surrogate pair") }
            return scalar
        default: throw error("no escape is written like this")
        }
    }

    private mutating func codeUnit() throws(JSONSyntaxError) -> UInt32 {
        let end = position + 4
        guard end <= bytes.count, bytes[position..<end].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt32(String(decoding: bytes[position..<end], as: UTF8.self), radix: 16)
        else { throw error("four hexadecimal digits are missing") }
        position = end
        return unit
    }
}

// Single bytes.
extension JSONReader {
    private var peek: UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func take(_ token: StaticString, skippingSpace: Bool = true) -> Bool {
        if skippingSpace { skipSpace() }
        let end = position + token.utf8CodeUnitCount
        guard end <= bytes.count else { return false }
        for offset in position..<end where bytes[offset] != token.utf8Start[offset - position] { return false }
        position = end
        return true
    }

    private func error(_ reason: String) -> JSONSyntaxError {
        JSONSyntaxError(offset: position, reason: reason)
    }
}

/// Why bytes are not JSON, and at which byte that shows.
struct JSONSyntaxError: Error, Equatable, Sendable, CustomStringConvertible {
    let offset: Int
    let reason: String

    var description: String { "\(reason) at byte \(offset)" }
}
