/// The probable encoding of a file that is not UTF-8, for the person who has to save it again.
enum EncodingGuess: String, Sendable {
    case utf16LittleEndian = "UTF-16 (little-endian)"
    case utf16BigEndian = "UTF-16 (big-endian)"
    case utf32 = "UTF-32"
    case windows1252 = "Windows-1252 (Western European, a superset of ISO 8859-1)"
    case macRoman = "Mac OS Roman"
    case workbook = "a spreadsheet's own format (.xlsx, .ods or .xls) or another archive"
    case binary = "no text at all"

    /// Guesses from the first bytes of the file, and from the bytes around the first error.
    init(start: some Collection<UInt8>, part: some Collection<UInt8>) {
        let start = Array(start.prefix(4))
        let part = Array(part)
        if start == [0x50, 0x4B, 3, 4] || start == [0xD0, 0xCF, 0x11, 0xE0] {
            self = .workbook
        } else if start == [0xFF, 0xFE, 0, 0] || start == [0, 0, 0xFE, 0xFF] {
            self = .utf32
        } else if start.starts(with: [0xFF, 0xFE]) {
            self = .utf16LittleEndian
        } else if start.starts(with: [0xFE, 0xFF]) {
            self = .utf16BigEndian
        } else if part.contains(0) {
            // A Western letter is one byte and one NUL.
            self = start.first == 0 ? .utf16BigEndian : start.dropFirst().first == 0 ? .utf16LittleEndian : .binary
        } else {
            self = Self.macLetters(in: part) > Self.windowsLetters(in: part) ? .macRoman : .windows1252
        }
    }

    /// Counts the bytes that are small accented letters in Mac OS Roman, and rarely used in Windows-1252.
    private static func macLetters(in bytes: [UInt8]) -> Int {
        count(in: bytes) { 0x87...0x90 ~= $0 || 0x98...0x9F ~= $0 || $0 == 0x80 || $0 == 0x85 || $0 == 0x86 }
    }

    /// Counts the bytes that are letters in Windows-1252, and capitals or symbols in Mac OS Roman.
    private static func windowsLetters(in bytes: [UInt8]) -> Int {
        count(in: bytes) { $0 >= 0xC0 }
    }

    /// Counts only bytes next to an ASCII letter, as letters are and symbols are not.
    private static func count(in bytes: [UInt8], where matches: (UInt8) -> Bool) -> Int {
        bytes.indices.count { index in
            guard matches(bytes[index]) else { return false }
            let before = index > 0 && isLetter(bytes[index - 1])
            let after = index + 1 < bytes.count && isLetter(bytes[index + 1])
            return before || after
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric && !byte.isDigit
    }
}
