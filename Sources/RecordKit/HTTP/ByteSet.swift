/// A set of bytes that a standard allows or reserves: any ASCII characters, and all non-ASCII bytes or none.
///
/// Stores a bit mask, since every byte of every URL and header field is looked up.
struct ByteSet: Sendable {
    /// The bits of the bytes from 0 to 63.
    private var low: UInt64 = 0
    /// The bits of the bytes from 64 to 127.
    private var high: UInt64 = 0
    /// Whether the set contains the bytes from 128. In UTF-8, every non-ASCII character consists of them.
    private var hasOthers = false

    /// Creates the set of the bytes in the given ranges.
    init(_ ranges: ClosedRange<Unicode.Scalar>...) {
        for range in ranges {
            for value in range.lowerBound.value...range.upperBound.value { insert(UInt8(value)) }
        }
    }

    /// Adds a byte. Adding any byte from 128 adds all of them.
    private mutating func insert(_ byte: UInt8) {
        switch byte {
        case 0..<64: low |= 1 << UInt64(byte)
        case 64..<128: high |= 1 << UInt64(byte - 64)
        default: hasOthers = true
        }
    }

    /// Returns the bytes of both sets.
    func union(_ other: ByteSet) -> ByteSet {
        var union = self
        union.low |= other.low
        union.high |= other.high
        union.hasOthers = hasOthers || other.hasOthers
        return union
    }

    /// Returns whether the set contains a byte.
    func contains(_ byte: UInt8) -> Bool {
        byte < 128 ? (byte < 64 ? low : high) &>> UInt64(byte) & 1 != 0 : hasOthers
    }

    /// Returns whether the set contains every byte of a string's UTF-8.
    func containsAll(of text: String) -> Bool {
        var text = text
        return text.withUTF8 { $0.allSatisfy(contains) }
    }

    /// Returns whether the set contains every byte of a substring's UTF-8.
    func containsAll(of text: Substring) -> Bool {
        containsAll(of: String(text))
    }

    /// Returns whether the set contains any byte of a string's UTF-8.
    func containsAny(of text: String) -> Bool {
        var text = text
        return text.withUTF8 { $0.contains(where: contains) }
    }

    /// Returns whether a string is a token (RFC 9110 section 5.6.2), such as a method or a field name.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && token.containsAll(of: text)
    }

    /// Returns an invalid token in quotes, for a message.
    ///
    /// The string is cut at the first invalid character. It may be a whole field line with a sensitive value.
    static func quotedToken(_ text: String) -> String {
        let start = String(decoding: text.utf8.prefix(while: token.contains), as: UTF8.self)
        return start == text ? "\"\(text)\"" : "\"\(start)…\""
    }
}

extension ByteSet: ExpressibleByStringLiteral {
    /// Creates the set of a string's UTF-8 bytes.
    init(stringLiteral characters: String) {
        for byte in characters.utf8 { insert(byte) }
    }
}

extension ByteSet {
    /// The decimal digits.
    static let digits = ByteSet("0"..."9")

    /// The hexadecimal digits, in either case.
    static let hexadecimal = ByteSet("0"..."9", "A"..."F", "a"..."f")

    /// The ASCII letters and digits.
    static let alphanumerics = ByteSet("0"..."9", "A"..."Z", "a"..."z")

    /// The bytes from 128.
    static let nonASCII = ByteSet("\u{80}"..."\u{FF}")

    /// Every byte.
    static let all = ByteSet("\0"..."\u{FF}")

    /// The printable ASCII characters, including the space.
    static let printable = ByteSet(" "..."~")

    /// Everything except control characters. The tab is a control character.
    static let withoutControls = printable.union(nonASCII)

    /// The bytes of a field value (RFC 9110 section 5.5): everything except control characters other than the tab.
    static let fieldValue = withoutControls.union("\t")

    /// The characters of a token (RFC 9110 section 5.6.2).
    static let token = alphanumerics.union("!#$%&'*+-.^_`|~")

    /// The characters that never need percent-encoding (RFC 3986 section 2.3).
    static let unreserved = alphanumerics.union("-._~")

    /// The characters of a path: `pchar`, `%` and the slash (RFC 3986 section 3.3).
    static let path = unreserved.union("!$&'()*+,;=").union("%:@/")

    /// The characters of a query (RFC 3986 section 3.4).
    static let query = path.union("?")

    /// The characters of a query item: those of a query except `&`.
    static let queryItem = unreserved.union("!$'()*+,;=").union("%:@/?")

    /// The characters that end the path of a URL.
    static let pathEnds: ByteSet = "?#"

    /// The characters that end the authority of a URL.
    static let authorityEnds = pathEnds.union("/")

    /// The characters that a form doesn't percent-encode (WHATWG URL section 5.2).
    static let form = alphanumerics.union("*-._")
}
