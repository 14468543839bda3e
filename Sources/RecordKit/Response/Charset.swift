public import Foundation

extension String {
    /// Creates a string from bytes in a charset, without a byte-order mark.
    ///
    /// Supports the charsets of the WHATWG Encoding Standard with all their labels, and `utf-32` and `utf8mb4`. As
    /// browsers do, reads `iso-8859-1` as `windows-1252`, `gb2312` as `gb18030`, `euc-kr` as code page 949, and so on.
    /// Ignores case, quotes and other punctuation in the name.
    ///
    /// UTF-8, UTF-16, UTF-32, ASCII and `windows-1252` are decoded everywhere. The others are decoded by the system: by
    /// `iconv` on Linux, whose tables some minimal images lack, and by Core Foundation on Apple's platforms.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - charset: The name of the charset, such as the parameter of `Content-Type`.
    /// - Throws: ``NetworkResponse/ReadingError/unknownCharset(_:)`` if the charset is not supported, or
    ///   ``NetworkResponse/ReadingError/invalidText(charset:)`` if the bytes are not valid in it.
    public init(_ data: Data, charset: String) throws(NetworkResponse.ReadingError) {
        guard let found = Charset(charset) else { throw .unknownCharset(charset) }
        let text: String?
        switch found {
        case .utf8: text = String(validating: data, as: UTF8.self)
        case .utf16(let encoding):
            // Foundation ignores an incomplete code unit at the end.
            text = data.count.isMultiple(of: 2) ? String(data: data, encoding: encoding) : nil
        case .utf32: text = data.count.isMultiple(of: 4) ? String(data: data, encoding: .utf32) : nil
        case .windows1252: text = Charset.latin(data)
        case .eucJP, .iso2022JP:
            guard JapaneseText.isKnown else { throw .unknownCharset(charset) }
            text = found == .eucJP ? JapaneseText.eucJP(data) : JapaneseText.iso2022JP(data)
        case .system(let name):
            guard let decoder = SystemDecoder(name, label: charset) else { throw .unknownCharset(charset) }
            text = decoder.text(of: data)
        }
        guard let text else { throw .invalidText(charset: charset) }
        self = text.first == "\u{FEFF}" ? String(text.dropFirst()) : text
    }
}

/// A character encoding.
enum Charset: Equatable {
    /// UTF-8. The Encoding Standard reads ASCII as `windows-1252`, but other bytes are more likely UTF-8.
    case utf8
    /// UTF-16 with an order of bytes, or with a byte-order mark.
    case utf16(String.Encoding)
    case utf32
    case windows1252
    case eucJP
    case iso2022JP
    /// An encoding of the system, by its name there.
    case system(String)

    /// Creates the charset with a name. Returns `nil` if it isn't known.
    init?(_ name: String) {
        // `ISO_8859-5:1988` is `iso-8859-5`.
        let letters = name.prefix { $0 != ":" }.lowercased().unicodeScalars.filter {
            ("a"..."z").contains($0) || ("0"..."9").contains($0)
        }
        guard let charset = Self.known[String(String.UnicodeScalarView(letters))] else { return nil }
        self = charset
    }

    /// Whether the bytes of ASCII characters are those characters.
    var extendsASCII: Bool {
        switch self {
        case .utf8, .windows1252, .eucJP, .system: true
        case .utf16, .utf32, .iso2022JP: false
        }
    }

    /// Decodes `windows-1252`. Its five undefined bytes are control characters, as the Encoding Standard says.
    static func latin(_ data: Data) -> String {
        var text = String.UnicodeScalarView()
        for byte in data {
            text.append((0x80...0x9F).contains(byte) ? latinTable[Int(byte) - 0x80] : Unicode.Scalar(byte))
        }
        return String(text)
    }

    /// The characters of the bytes 80 to 9F.
    private static let latinTable = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

    /// The charsets by the letters and digits of their labels.
    private static let known: [String: Charset] = {
        var known: [String: Charset] = [:]
        func add(_ charset: Charset, _ labels: String) {
            for label in labels.split(separator: " ") { known[String(label)] = charset }
        }
        add(.utf8, "utf8 unicode11utf8 unicode20utf8 xunicode20utf8 utf8mb3 utf8mb4 ascii usascii ansix341968")
        add(.utf16(.utf16), "utf16")
        add(.utf16(.utf16LittleEndian), "utf16le csunicode iso10646ucs2 ucs2 unicode unicodefeff")
        add(.utf16(.utf16BigEndian), "utf16be unicodefffe")
        add(.utf32, "utf32")
        add(.windows1252, "windows1252 cp1252 xcp1252 cp819 ibm819 iso88591 csisolatin1 isoir100 latin1 l1")
        add(.eucJP, "eucjp xeucjp cseucpkdfmtjapanese")
        add(.iso2022JP, "iso2022jp csiso2022jp")
        for (name, labels) in systemNames { add(.system(name), labels) }
        return known
    }()

    /// The names of encodings in glibc, and the labels of the Encoding Standard that they stand for.
    private static let systemNames = [
        ("IBM866", "ibm866 866 cp866 csibm866"),
        ("ISO-8859-2", "iso88592 csisolatin2 isoir101 latin2 l2"),
        ("ISO-8859-3", "iso88593 csisolatin3 isoir109 latin3 l3"),
        ("ISO-8859-4", "iso88594 csisolatin4 isoir110 latin4 l4"),
        ("ISO-8859-5", "iso88595 csisolatincyrillic cyrillic isoir144"),
        (
            "ISO-8859-6",
            "iso88596 iso88596e iso88596i csiso88596e csiso88596i csisolatinarabic arabic asmo708 ecma114 isoir127"
        ),
        ("ISO-8859-7", "iso88597 csisolatingreek ecma118 elot928 greek greek8 isoir126 suneugreek"),
        (
            "ISO-8859-8",
            "iso88598 iso88598e iso88598i csiso88598e csiso88598i csisolatinhebrew hebrew isoir138 visual logical"
        ),
        ("ISO-8859-10", "iso885910 csisolatin6 isoir157 latin6 l6"),
        ("ISO-8859-13", "iso885913"),
        ("ISO-8859-14", "iso885914"),
        ("ISO-8859-15", "iso885915 csisolatin9 latin9 l9"),
        ("ISO-8859-16", "iso885916"),
        ("KOI8-R", "koi8r cskoi8r koi koi8"),
        ("KOI8-U", "koi8u koi8ru"),
        ("MACINTOSH", "macintosh csmacintosh mac xmacroman"),
        ("MAC-CYRILLIC", "xmaccyrillic xmacukrainian"),
        ("CP874", "windows874 dos874 cp874 tis620 iso885911"),
        ("CP1250", "windows1250 cp1250 xcp1250"),
        ("CP1251", "windows1251 cp1251 xcp1251"),
        ("CP1253", "windows1253 cp1253 xcp1253"),
        ("CP1254", "windows1254 cp1254 xcp1254 iso88599 csisolatin5 isoir148 latin5 l5"),
        ("CP1255", "windows1255 cp1255 xcp1255"),
        ("CP1256", "windows1256 cp1256 xcp1256"),
        ("CP1257", "windows1257 cp1257 xcp1257"),
        ("CP1258", "windows1258 cp1258 xcp1258"),
        ("GB18030", "gb18030 gbk xgbk cp936 gb2312 gb231280 csgb2312 csiso58gb231280 chinese isoir58"),
        ("BIG5-HKSCS", "big5 big5hkscs cnbig5 csbig5 xxbig5"),
        ("CP932", "shiftjis sjis xsjis csshiftjis mskanji ms932 windows31j cp932"),
        ("CP949", "euckr cseuckr windows949 cp949 korean ksc5601 ksc56011987 ksc56011989 csksc56011987 isoir149"),
    ]
}

/// Decodes text with the system's tables.
struct SystemDecoder {
    #if canImport(Darwin)
    private let encoding: String.Encoding

    /// Creates a decoder. Returns `nil` if the system supports neither the name nor the label.
    init?(_ name: String, label: String) {
        let found = [name, label].lazy.map { CFStringConvertIANACharSetNameToEncoding($0 as CFString) }
            .first { $0 != kCFStringEncodingInvalidId }
        guard let found else { return nil }
        encoding = String.Encoding(rawValue: CFStringConvertEncodingToNSStringEncoding(found))
    }

    func text(of data: Data) -> String? {
        String(data: data, encoding: encoding)
    }
    #else
    private let name: String

    /// Creates a decoder. Returns `nil` if the system doesn't support the name. The label, which a server sends, isn't
    /// passed to it.
    init?(_ name: String, label: String) {
        guard let converter = Self.open(name) else { return nil }
        iconv_close(converter)
        self.name = name
    }

    private static func open(_ name: String) -> iconv_t? {
        let converter = iconv_open("UTF-8", name)
        return converter == iconv_t(bitPattern: -1) ? nil : converter
    }

    func text(of data: Data) -> String? {
        guard let converter = Self.open(name) else { return nil }
        defer { iconv_close(converter) }
        var input = Array(data)
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        var text: [UInt8] = []
        text.reserveCapacity(data.count)
        let isValid = input.withUnsafeMutableBytes { input in
            buffer.withUnsafeMutableBytes { buffer in
                var (next, left) = (input.assumingMemoryBound(to: CChar.self).baseAddress, input.count)
                /// Converts, up to the end of either buffer. Returns 0, or the error.
                func convert(isLast: Bool) -> Int32 {
                    var (output, space) = (buffer.assumingMemoryBound(to: CChar.self).baseAddress, buffer.count)
                    // The last call writes what the encoding has kept for a combination.
                    let count =
                        isLast
                        ? iconv(converter, nil, nil, &output, &space) : iconv(converter, &next, &left, &output, &space)
                    let code = count == -1 ? errno : 0
                    text += buffer.prefix(buffer.count - space)
                    return code
                }
                while left > 0 {
                    let code = convert(isLast: false)
                    if code == 0 || code == E2BIG { continue }
                    guard code == EILSEQ, let missing = missing(input[input.count - left]) else { return false }
                    text += String(missing).utf8
                    next = next?.advanced(by: 1)
                    left -= 1
                }
                return convert(isLast: true) == 0
            }
        }
        return isValid ? String(validating: text, as: UTF8.self) : nil
    }

    /// Returns the character of a byte that the table of the Encoding Standard has, and that of the system lacks.
    private func missing(_ byte: UInt8) -> Unicode.Scalar? {
        if name == "GB18030" { return byte == 0x80 ? "€" : nil }
        // Undefined bytes of Windows' code pages are control characters.
        let isWindows = name.hasPrefix("CP125") || name == "CP874"
        return isWindows && (0x80...0x9F).contains(byte) ? Unicode.Scalar(byte) : nil
    }
    #endif
}
