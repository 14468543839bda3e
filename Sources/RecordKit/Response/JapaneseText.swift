import Foundation

/// Decodes EUC-JP and ISO-2022-JP.
///
/// The Encoding Standard decodes both with the table of Shift_JIS, which is that of code page 932. The tables of glibc
/// (2.36) differ: that of ISO-2022-JP lacks characters such as ① and ㈱, and that of EUC-JP has private-use characters
/// in place of 374 others.
struct JapaneseText {
    private let shiftJIS: SystemDecoder
    private var text = ""
    /// Bytes in code page 932 that follow the text.
    private var pending = Data()

    private init?() {
        guard let shiftJIS = SystemDecoder("CP932", label: "CP932") else { return nil }
        self.shiftJIS = shiftJIS
    }

    /// Returns whether the system has the table.
    static var isKnown: Bool { JapaneseText() != nil }

    /// Returns EUC-JP as a string, or `nil` if it isn't valid.
    static func eucJP(_ data: Data) -> String? {
        guard var result = JapaneseText() else { return nil }
        var rest = data[...]
        while let first = rest.popFirst() {
            switch first {
            case 0..<0x80: result.pending.append(first)
            case 0x8E:
                guard let kana = rest.popFirst(), (0xA1...0xDF).contains(kana) else { return nil }
                result.pending.append(kana)
            case 0x8F:
                // A character of JIS X 0212, which code page 932 doesn't have.
                guard result.appendPending(), rest.count >= 2,
                    let character = SystemDecoder("EUC-JP-MS", label: "EUC-JP")?.text(of: [0x8F] + rest.prefix(2))
                else { return nil }
                result.text += character
                rest = rest.dropFirst(2)
            default:
                guard let second = rest.popFirst(), result.append(first &- 0x80, second &- 0x80) else { return nil }
            }
        }
        return result.appendPending() ? result.text : nil
    }

    /// The set of characters that an escape sequence of ISO-2022-JP selects.
    private enum CharacterSet {
        case ascii, roman, katakana, kanji
    }

    /// Returns ISO-2022-JP as a string, or `nil` if it isn't valid.
    static func iso2022JP(_ data: Data) -> String? {
        guard var result = JapaneseText() else { return nil }
        var set = CharacterSet.ascii
        var rest = data[...]
        while let byte = rest.popFirst() {
            switch (set, byte) {
            case (_, 0x1B):
                switch (rest.popFirst(), rest.popFirst()) {
                case (UInt8(ascii: "("), UInt8(ascii: "B")): set = .ascii
                case (UInt8(ascii: "("), UInt8(ascii: "J")): set = .roman
                case (UInt8(ascii: "("), UInt8(ascii: "I")): set = .katakana
                case (UInt8(ascii: "$"), UInt8(ascii: "@")), (UInt8(ascii: "$"), UInt8(ascii: "B")): set = .kanji
                default: return nil
                }
            case (.roman, 0x5C), (.roman, 0x7E):
                guard result.appendPending() else { return nil }
                result.text += byte == 0x5C ? "¥" : "‾"
            case (.ascii, 0..<0x80), (.roman, 0..<0x80): result.pending.append(byte)
            case (.katakana, 0x21...0x5F): result.pending.append(byte + 0x80)
            case (.kanji, _):
                guard let second = rest.popFirst(), result.append(byte, second) else { return nil }
            default: return nil
            }
        }
        return result.appendPending() ? result.text : nil
    }

    /// Appends a character of JIS X 0208, or one of its extensions. Returns whether both bytes are in the table.
    private mutating func append(_ first: UInt8, _ second: UInt8) -> Bool {
        guard (0x21...0x7E).contains(first), (0x21...0x7E).contains(second) else { return false }
        let (row, cell) = (first - 0x20, second - 0x20)
        pending.append((row + 1) / 2 + (row <= 62 ? 0x80 : 0xC0))
        pending.append(row.isMultiple(of: 2) ? cell + 0x9E : cell + (cell <= 63 ? 0x3F : 0x40))
        return true
    }

    /// Decodes the pending bytes. Returns whether they are valid.
    private mutating func appendPending() -> Bool {
        guard let decoded = shiftJIS.text(of: pending) else { return false }
        text += decoded
        pending.removeAll(keepingCapacity: true)
        return true
    }
}
