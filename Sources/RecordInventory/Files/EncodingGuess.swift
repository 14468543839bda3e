/// The probable encoding of a file that is not UTF-8, for the person who has to save it again.
enum EncodingGuess: String, Sendable {
    case utf16LittleEndian = "UTF-16 (little-endian)"
    case utf16BigEndian = "UTF-16 (big-endian)"
    case utf32 = "UTF-32"
    case windows1252 = "Windows-1252 (Western European, a superset of ISO 8859-1)"
    case macRoman = "Mac OS Roman"
    case codePage850 = "code page 850 (DOS)"
    case windows1251 = "Windows-1251 (Cyrillic)"
    case binary = "no text at all"

    /// Guesses from the first bytes of the file, and from the bytes around the first error.
    init(start: some Collection<UInt8>, part: some Collection<UInt8>) {
        let start = Array(start.prefix(4))
        let part = Array(part)
        if start == [0xFF, 0xFE, 0, 0] || start == [0, 0, 0xFE, 0xFF] {
            self = .utf32
        } else if start.starts(with: [0xFF, 0xFE]) {
            self = .utf16LittleEndian
        } else if start.starts(with: [0xFE, 0xFF]) {
            self = .utf16BigEndian
        } else if part.contains(0) {
            // A Western letter is one byte and one NUL.
            self = start.first == 0 ? .utf16BigEndian : start.dropFirst().first == 0 ? .utf16LittleEndian : .binary
        } else {
            // Small accented letters of code page 850, and those of Mac OS Roman that are rarely used in Windows-1252.
            let dosLetters: Set<UInt8> = [0x81, 0x82, 0x84, 0x94, 0xA0, 0xA1, 0xA2, 0xA3, 0xA4]
            let macLetters = Set([0x80, 0x85, 0x86] + (0x87...0x90) + (0x98...0x9F) as [UInt8])
            let dos = Self.count(in: part, neighbors: 2, where: dosLetters.contains)
            let mac = Self.count(in: part, where: macLetters.contains)
            // Letters there, and capitals or symbols in Mac OS Roman.
            let windows = Self.count(in: part) { $0 >= 0xC0 }
            self =
                Self.isCyrillic(part)
                ? .windows1251
                : dos > max(mac, windows) ? .codePage850 : mac > windows ? .macRoman : .windows1252
        }
    }

    /// The name for `--encoding`, or `nil` if the file is no text.
    var name: String? {
        switch self {
        case .utf16LittleEndian: "utf-16le"
        case .utf16BigEndian: "utf-16be"
        case .utf32: "utf-32"
        case .windows1252: "windows-1252"
        case .macRoman: "macintosh"
        case .codePage850: "cp850"
        case .windows1251: "cp1251"
        case .binary: nil
        }
    }

    /// Returns whether most bytes beyond ASCII stand beside others, as Cyrillic letters do and accented ones do not.
    private static func isCyrillic(_ bytes: [UInt8]) -> Bool {
        let letters = bytes.indices.filter { bytes[$0] >= 0xC0 }
        let pairs = letters.count { $0 + 1 < bytes.count && bytes[$0 + 1] >= 0xC0 }
        return pairs > 2 && pairs * 2 > letters.count
    }

    /// Counts only bytes next to an ASCII letter, or between two, as letters are and symbols are not.
    private static func count(in bytes: [UInt8], neighbors wanted: Int = 1, where matches: (UInt8) -> Bool) -> Int {
        bytes.indices.count { index in
            guard matches(bytes[index]) else { return false }
            let neighbors = [index - 1, index + 1].filter(bytes.indices.contains).map { bytes[$0] }
            return neighbors.count { $0.isAlphanumeric && !$0.isDigit } >= wanted
        }
    }
}
