/// Checks bytes for UTF-8 as they come (RFC 3629). Refuses NUL too.
struct UTF8Check: Sendable {
    /// The line of the next byte, from 1.
    private(set) var line = 1
    private var lastByte: UInt8 = 0
    /// The number of continuation bytes to come in this character.
    private var missing = 0
    /// The range of the next continuation byte. It is smaller after some first bytes, to exclude overlong forms,
    /// surrogates and what lies beyond Unicode.
    private var allowed: ClosedRange<UInt8> = 0x80...0xBF

    /// Whether the bytes end between two characters.
    var isComplete: Bool { missing == 0 }

    /// Whether there was a complete character of several bytes, which is rare in other encodings.
    private(set) var hasWholeCharacter = false

    /// Returns the index of the first wrong byte, or `nil` if there is none so far.
    mutating func firstError(in bytes: [UInt8]) -> Int? {
        bytes.withUnsafeBufferPointer { check($0) }
    }

    private mutating func check(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                index = Self.endOfPlainText(in: bytes, from: index)
                guard index < bytes.count else { break }
            }
            guard accepts(bytes[index]) else {
                countLines(bytes[..<index])
                return index
            }
            index += 1
        }
        countLines(bytes[...])
        return nil
    }

    private mutating func accepts(_ byte: UInt8) -> Bool {
        if missing > 0 {
            guard allowed.contains(byte) else { return false }
            allowed = 0x80...0xBF
            missing -= 1
            if missing == 0 { hasWholeCharacter = true }
            return true
        }
        switch byte {
        case 0x01...0x7F: return true
        case 0xC2...0xDF: missing = 1
        case 0xE0...0xEF: missing = 2
        case 0xF0...0xF4: missing = 3
        default: return false
        }
        switch byte {
        case 0xE0: allowed = 0xA0...0xBF
        case 0xED: allowed = 0x80...0x9F
        case 0xF0: allowed = 0x90...0xBF
        case 0xF4: allowed = 0x80...0x8F
        default: allowed = 0x80...0xBF
        }
        return true
    }

    /// Skips ASCII without NUL, eight bytes at a time.
    private static func endOfPlainText(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        var index = start
        while index + 8 <= raw.count {
            let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard word & 0x8080_8080_8080_8080 == 0,
                (word &- 0x0101_0101_0101_0101) & 0x8080_8080_8080_8080 == 0
            else { break }
            index += 8
        }
        while index < raw.count, 0x01...0x7F ~= raw[index] { index += 1 }
        return index
    }

    private mutating func countLines(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        var lines = 0
        for byte in bytes {
            // CR LF is one line end, counted at its CR.
            let isEnd = byte == .carriageReturn || (byte == .lineFeed && lastByte != .carriageReturn)
            lines &+= isEnd ? 1 : 0
            lastByte = byte
        }
        line += lines
    }
}
