/// Follows bytes as they come and finds the first that UTF-8 text cannot have there (RFC 3629; no NUL either).
struct UTF8Check: Sendable {
    /// The line that the next byte is on, from 1.
    private(set) var line = 1
    private var lastByte: UInt8 = 0
    /// How many continuation bytes a character still wants.
    private var missing = 0
    /// What the next continuation byte may be: after some first bytes fewer than usual, against overlong forms,
    /// surrogates and what lies beyond Unicode.
    private var allowed: ClosedRange<UInt8> = 0x80...0xBF

    /// False when the text ends within a character.
    var isComplete: Bool { missing == 0 }

    /// Whether a character of several bytes was whole, as hardly ever in text of another encoding.
    private(set) var hasWholeCharacter = false

    /// The index of the first wrong byte; nil when all are right so far.
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
