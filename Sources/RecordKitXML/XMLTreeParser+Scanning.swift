extension XMLTreeParser {
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Which line the position is in; counted only for an error.
    var line: Int { bytes.prefix(position).reduce(1) { $1 == 0x0A ? $0 + 1 : $0 } }

    func malformed(_ reason: String) -> UnreadableXML {
        .malformed(reason, line: line)
    }

    /// Whether the literal comes next; then it is passed.
    mutating func takes(_ literal: StaticString) -> Bool {
        let length = literal.utf8CodeUnitCount
        guard position + length <= bytes.count else { return false }
        for index in 0..<length where bytes[position + index] != literal.utf8Start[index] { return false }
        position += length
        return true
    }

    mutating func skip(past literal: StaticString, _ failure: String) throws(UnreadableXML) {
        let first = literal.utf8Start[0]
        while let byte = next {
            if byte == first, takes(literal) { return }
            try check(byte)
            position += 1
        }
        throw malformed(failure)
    }

    @discardableResult
    mutating func skipSpace() -> Bool {
        let (start, spaces) = (position, Self.spaces)
        while let next, spaces.contains(next) { position += 1 }
        return position > start
    }

    /// Only characters that XML allows; the others are control characters, U+FFFE and U+FFFF (section 2.2).
    func check(_ byte: UInt8) throws(UnreadableXML) {
        if byte < 32, byte != 0x09, byte != 0x0A, byte != 0x0D { throw malformed("there is a control character") }
        // U+FFFE and U+FFFF in UTF-8.
        if byte == 0xEF, position + 2 < bytes.count, bytes[position + 1] == 0xBF, bytes[position + 2] >= 0xBE {
            throw malformed("U+FFFE or U+FFFF is no character")
        }
    }

    mutating func takeName() throws(UnreadableXML) -> String {
        let (start, names) = (position, Self.names)
        guard let first = next, Self.nameStarts.contains(first) else { throw malformed("a name is missing") }
        while let byte = next, names.contains(byte) { position += 1 }
        let name = String(decoding: bytes[start..<position], as: UTF8.self)
        guard name.utf8.count <= 1000, name.unicodeScalars.allSatisfy({ $0.isASCII || Self.isLetter($0) }) else {
            throw malformed("a name is longer than 1000 bytes, or holds what no name may hold")
        }
        return name
    }

    /// The bytes as text, each line end as a line feed (section 2.11).
    func text(_ range: Range<Int>) -> String {
        let slice = bytes[range]
        guard slice.contains(0x0D) else { return String(decoding: slice, as: UTF8.self) }
        var result: [UInt8] = []
        result.reserveCapacity(slice.count)
        for (index, byte) in zip(slice.indices, slice) {
            if byte != 0x0D {
                result.append(byte)
            } else if index + 1 == bytes.count || bytes[index + 1] != 0x0A {
                result.append(0x0A)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// What a name may hold beyond ASCII (section 2.3).
    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xB7, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x37D, 0x37F...0x1FFF, 0x200C...0x200D, 0x203F...0x2040,
            0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF:
            true
        default: false
        }
    }

    static let spaces = ByteTable(" \t\n\r")

    /// The first byte of a name; which characters beyond ASCII may be there, the whole name tells.
    static let nameStarts = ByteTable(letters + "_:", hasNonASCII: true)

    private static let names = ByteTable(letters + "_:0123456789-.", hasNonASCII: true)

    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
}

/// A set of bytes that is looked up for every byte of a document.
struct ByteTable: Sendable {
    private let table: [Bool]

    /// - Parameters:
    ///   - characters: The characters of ASCII in the set.
    ///   - hasNonASCII: Whether the bytes of all other characters are in the set.
    init(_ characters: String, hasNonASCII: Bool = false) {
        var table = [Bool](repeating: false, count: 128) + [Bool](repeating: hasNonASCII, count: 128)
        for byte in characters.utf8 { table[Int(byte)] = true }
        self.table = table
    }

    func contains(_ byte: UInt8) -> Bool { table[Int(byte)] }
}
