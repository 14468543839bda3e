/// What a file that is not UTF-8 looks like, for the person who has to save it again.
enum EncodingGuess: String, Sendable {
    case utf16LittleEndian = "UTF-16 (little-endian)"
    case utf16BigEndian = "UTF-16 (big-endian)"
    case utf32 = "UTF-32"
    case windows1252 = "Windows-1252 (Western European, a superset of ISO 8859-1)"
    case macRoman = "Mac OS Roman"
    case workbook = "a spreadsheet's own format (.xlsx, .ods or .xls) or another archive"
    case binary = "no text at all"

    /// Guesses from the first bytes of the file and from the part in which the first wrong byte lies.
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
            // Letters of Western scripts are one byte and one NUL each.
            self = start.first == 0 ? .utf16BigEndian : start.dropFirst().first == 0 ? .utf16LittleEndian : .binary
        } else {
            self = Self.macLetters(in: part) > Self.windowsLetters(in: part) ? .macRoman : .windows1252
        }
    }

    /// Bytes that are small accented letters in Mac OS Roman, and rarely anything in Windows-1252.
    private static func macLetters(in bytes: [UInt8]) -> Int {
        count(in: bytes) { 0x87...0x90 ~= $0 || 0x98...0x9F ~= $0 || $0 == 0x80 || $0 == 0x85 || $0 == 0x86 }
    }

    /// Bytes that are letters in Windows-1252; in Mac OS Roman they are capitals and signs.
    private static func windowsLetters(in bytes: [UInt8]) -> Int {
        count(in: bytes) { $0 >= 0xC0 }
    }

    /// Counts only what touches an ASCII letter, as letters do and signs do not.
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
