public import Foundation

extension String.Encoding {
    /// How many bytes the length of a text is a multiple of.
    var unitLength: Int {
        switch self {
        case .utf16, .utf16LittleEndian, .utf16BigEndian: 2
        case .utf32: 4
        default: 1
        }
    }

    /// Creates the encoding of a charset, such as `utf-8` or `windows-1252`. Case is ignored.
    public init?(charset: String) {
        let charset = charset.lowercased()
        guard let row = Self.charsets.first(where: { $0.name == charset }) else { return nil }
        self = row.encoding
    }

    /// Without `macintosh`: Foundation decodes its bytes from 0x80 as other characters on Linux (Swift 6.3.1).
    private static let charsets: [(name: String, encoding: String.Encoding)] = [
        ("utf-8", .utf8), ("utf8", .utf8), ("us-ascii", .ascii), ("ascii", .ascii),
        ("iso-8859-1", .isoLatin1), ("latin1", .isoLatin1), ("iso_8859-1", .isoLatin1), ("l1", .isoLatin1),
        ("iso-8859-2", .isoLatin2), ("latin2", .isoLatin2),
        ("windows-1250", .windowsCP1250), ("cp1250", .windowsCP1250),
        ("windows-1251", .windowsCP1251), ("cp1251", .windowsCP1251),
        ("windows-1252", .windowsCP1252), ("cp1252", .windowsCP1252),
        ("windows-1253", .windowsCP1253), ("cp1253", .windowsCP1253),
        ("windows-1254", .windowsCP1254), ("cp1254", .windowsCP1254),
        ("utf-16", .utf16), ("utf-16le", .utf16LittleEndian), ("utf-16be", .utf16BigEndian), ("utf-32", .utf32),
        ("shift_jis", .shiftJIS), ("shift-jis", .shiftJIS), ("sjis", .shiftJIS), ("euc-jp", .japaneseEUC),
        ("iso-2022-jp", .iso2022JP),
    ]
}
