/// A set of bytes: the characters of ASCII that a standard allows somewhere, and all other bytes or none of them.
///
/// One bit for each, since it is asked for every byte of every address and every header.
struct ByteSet: Sendable {
    /// From 0 to 63.
    private let low: UInt64
    /// From 64 to 127.
    private let high: UInt64
    /// Whether it has the bytes from 128, of which all that is not ASCII consists.
    private let hasOthers: Bool

    init(_ low: UInt64, _ high: UInt64, hasOthers: Bool = false) {
        self.low = low
        self.high = high
        self.hasOthers = hasOthers
    }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        if byte < 64 { return low & (1 &<< UInt64(byte)) != 0 }
        return byte < 128 ? high & (1 &<< UInt64(byte - 64)) != 0 : hasOthers
    }

    /// Whether it has every byte of the text's UTF-8.
    @inline(never)
    func containsAll(of text: Substring) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            for byte in bytes where !contains(byte) { return false }
            return true
        }
    }

    func containsAll(of text: String) -> Bool {
        containsAll(of: text[...])
    }

    /// Whether the text is a token (RFC 9110 section 5.6.2): a method, a field name, a part of a media type.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && token.containsAll(of: text)
    }
}

extension ByteSet {
    static let all = ByteSet(.max, .max, hasOthers: true)

    /// Letters, digits, `-`, `.`, `_`, `~` (RFC 3986 section 2.3).
    static let unreserved = ByteSet(0x03FF_6000_0000_0000, 0x47FF_FFFE_87FF_FFFE)

    /// The same with `:/?#[]@` and `!$&'()*+,;=` (RFC 3986 section 2.2).
    static let unreservedAndReserved = ByteSet(0xAFFF_FFDA_0000_0000, 0x47FF_FFFE_AFFF_FFFF)

    /// Letters, digits, `*`, `-`, `.`, `_`: what forms leave as it is (WHATWG URL section 5.2).
    static let form = ByteSet(0x03FF_6400_0000_0000, 0x07FF_FFFE_87FF_FFFE)

    /// `pchar` and the slash (RFC 3986 section 3.3).
    static let path = ByteSet(0x2FFF_FFF2_0000_0000, 0x47FF_FFFE_87FF_FFFF)

    /// The same and the question mark (RFC 3986 section 3.4).
    static let query = ByteSet(0xAFFF_FFF2_0000_0000, 0x47FF_FFFE_87FF_FFFF)

    /// Letters, digits and ``!#$%&'*+-.^_`|~`` (RFC 9110 section 5.6.2).
    static let token = ByteSet(0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE)

    /// All but control characters, and the tab (RFC 9110 section 5.5).
    static let fieldValue = ByteSet(0xFFFF_FFFF_0000_0200, 0x7FFF_FFFF_FFFF_FFFF, hasOthers: true)

    /// All but control characters, of which the tab is one.
    static let withoutControls = ByteSet(0xFFFF_FFFF_0000_0000, 0x7FFF_FFFF_FFFF_FFFF, hasOthers: true)

    /// Printable ASCII, with the space.
    static let printable = ByteSet(0xFFFF_FFFF_0000_0000, 0x7FFF_FFFF_FFFF_FFFF)

    static let digits = ByteSet(0x03FF_0000_0000_0000, 0)

    static let hexadecimal = ByteSet(0x03FF_0000_0000_0000, 0x0000_007E_0000_007E)
}
