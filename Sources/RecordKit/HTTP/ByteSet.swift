/// A set of bytes: the characters of ASCII that a standard allows somewhere, and all other bytes or none of them.
///
/// A bit for each, since it is asked for every byte of every address and every header.
struct ByteSet: Sendable {
    /// From 0 to 63.
    private var low: UInt64 = 0
    /// From 64 to 127.
    private var high: UInt64 = 0
    /// Whether it has the bytes from 128, of which all that is not ASCII consists.
    private var hasOthers = false

    init(_ ranges: ClosedRange<Unicode.Scalar>...) {
        for range in ranges {
            for value in range.lowerBound.value...range.upperBound.value { insert(UInt8(value)) }
        }
    }

    private mutating func insert(_ byte: UInt8) {
        switch byte {
        case 0..<64: low |= 1 << UInt64(byte)
        case 64..<128: high |= 1 << UInt64(byte - 64)
        default: hasOthers = true
        }
    }

    func union(_ other: ByteSet) -> ByteSet {
        var union = self
        union.low |= other.low
        union.high |= other.high
        union.hasOthers = hasOthers || other.hasOthers
        return union
    }

    func contains(_ byte: UInt8) -> Bool {
        byte < 128 ? (byte < 64 ? low : high) &>> UInt64(byte) & 1 != 0 : hasOthers
    }

    /// Whether it has every byte of the text's UTF-8.
    func containsAll(of text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            for byte in bytes where !contains(byte) { return false }
            return true
        }
    }

    func containsAll(of text: Substring) -> Bool {
        containsAll(of: String(text))
    }

    /// Whether it has some byte of the text's UTF-8.
    func containsAny(of text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            for byte in bytes where contains(byte) { return true }
            return false
        }
    }

    /// Whether the text is a token (RFC 9110 section 5.6.2): a method, a field name, a part of a media type.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && token.containsAll(of: text)
    }

    /// What is no token, as a message quotes it: as far as it is one. It may be a whole field by mistake, with its value.
    static func quotedToken(_ text: String) -> String {
        let start = String(decoding: text.utf8.prefix(while: token.contains), as: UTF8.self)
        return start == text ? "\"\(text)\"" : "\"\(start)…\""
    }
}

extension ByteSet: ExpressibleByStringLiteral {
    /// The bytes of some characters.
    init(stringLiteral characters: String) {
        for byte in characters.utf8 { insert(byte) }
    }
}

extension ByteSet {
    static let digits = ByteSet("0"..."9")

    static let hexadecimal = ByteSet("0"..."9", "A"..."F", "a"..."f")

    static let alphanumerics = ByteSet("0"..."9", "A"..."Z", "a"..."z")

    static let nonASCII = ByteSet("\u{80}"..."\u{FF}")

    static let all = ByteSet("\0"..."\u{FF}")

    /// With the space.
    static let printable = ByteSet(" "..."~")

    /// All but control characters, of which the tab is one.
    static let withoutControls = printable.union(nonASCII)

    /// All but control characters, and the tab (RFC 9110 section 5.5).
    static let fieldValue = withoutControls.union("\t")

    /// RFC 9110 section 5.6.2.
    static let token = alphanumerics.union("!#$%&'*+-.^_`|~")

    /// RFC 3986 section 2.3.
    static let unreserved = alphanumerics.union("-._~")

    /// RFC 3986 section 2.2.
    static let unreservedAndReserved = unreserved.union(":/?#[]@").union("!$&'()*+,;=")

    /// `pchar`, escapes and all, and the slash (RFC 3986 section 3.3).
    static let path = unreserved.union("!$&'()*+,;=").union("%:@/")

    /// The same and the question mark (RFC 3986 section 3.4).
    static let query = path.union("?")

    /// The same without what ends an item.
    static let queryItem = unreserved.union("!$'()*+,;=").union("%:@/?")

    /// What ends the path of an address.
    static let pathEnds: ByteSet = "?#"

    /// What ends the host and port of an address.
    static let authorityEnds = pathEnds.union("/")

    /// What forms leave as it is (WHATWG URL section 5.2).
    static let form = alphanumerics.union("*-._")
}
