public import Foundation

/// A type that reads itself from a response, without a decoder.
///
/// ``NetworkResponse``, `Data`, `String` and `Optional` conform. Conform to it to read a value from header fields:
///
/// ```swift
/// struct Total: NetworkValue {
///     let count: Int
///
///     static func read(
///         _ response: NetworkResponse, using decoder: any NetworkDecoder
///     ) throws -> Total {
///         guard let text = response.headers["Total-Objects"],
///             let count = Int(text)
///         else { throw … }
///         return Total(count: count)
///     }
/// }
/// ```
public protocol NetworkValue {
    /// Reads a value from a response with an accepted status.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - decoder: The decoder of the request.
    /// - Returns: The value.
    /// - Throws: Any error. The call fails with ``NetworkError/decoding(_:)``, which has the error as its cause.
    static func read(_ response: NetworkResponse, using decoder: any NetworkDecoder) throws -> Self
}

extension NetworkResponse: NetworkValue {
    /// Returns the response itself.
    public static func read(_ response: NetworkResponse, using decoder: any NetworkDecoder) -> NetworkResponse {
        response
    }
}

extension Data: NetworkValue {
    /// Returns the body.
    public static func read(_ response: NetworkResponse, using decoder: any NetworkDecoder) -> Data {
        response.body
    }
}

extension String: NetworkValue {
    /// Returns the body as a string, without a byte-order mark.
    ///
    /// Decodes it with the charset that `Content-Type` names, or UTF-8 by default.
    ///
    /// - Throws: ``NetworkResponse/Unreadable`` if the charset is not supported, or if the bytes are not valid in it.
    public static func read(_ response: NetworkResponse, using decoder: any NetworkDecoder) throws -> String {
        let charset = response.mediaType?.parameters["charset"] ?? "utf-8"
        guard let encoding = Encoding(charset: charset) else {
            throw NetworkResponse.Unreadable.unknownCharset(charset)
        }
        // Foundation ignores an incomplete code unit at the end.
        guard response.body.count.isMultiple(of: encoding.unitLength),
            let text = String(data: response.body, encoding: encoding)
        else {
            let isKnown = String.availableStringEncodings.contains(encoding)
            throw isKnown
                ? NetworkResponse.Unreadable.invalidText(charset: charset)
                : NetworkResponse.Unreadable.unknownCharset(charset)
        }
        return text.first == "\u{FEFF}" ? String(text.dropFirst()) : text
    }
}

extension Optional: NetworkValue {
    /// Returns `nil` if the body is empty or JSON `null`, otherwise the wrapped value.
    ///
    /// JSON `null` counts only if the wrapped type is decoded. An optional ``NetworkResponse`` is never `nil`.
    ///
    /// - Throws: The error of reading the wrapped value.
    public static func read(_ response: NetworkResponse, using decoder: any NetworkDecoder) throws -> Wrapped? {
        if response.body.isEmpty, Wrapped.self != NetworkResponse.self { return nil }
        if !(Wrapped.self is any NetworkValue.Type), response.isNull { return nil }
        return try response.value(as: Wrapped.self, using: decoder)
    }
}

extension NetworkResponse {
    /// Whether the body is JSON `null`, with or without surrounding whitespace (RFC 8259 section 2).
    fileprivate var isNull: Bool {
        func isBlank(_ byte: UInt8) -> Bool { " \t\r\n".utf8.contains(byte) }
        let text = body.drop(while: isBlank)
        return text.starts(with: "null".utf8) && text.dropFirst(4).allSatisfy(isBlank)
    }
}

extension String.Encoding {
    /// The length of a code unit in bytes.
    var unitLength: Int {
        switch self {
        case .utf16, .utf16LittleEndian, .utf16BigEndian: 2
        case .utf32: 4
        default: 1
        }
    }

    /// Creates the encoding of a charset, or returns `nil` if the charset is not supported.
    ///
    /// - Parameter charset: The case-insensitive name, such as `utf-8` or `windows-1252`.
    public init?(charset: String) {
        let charset = charset.lowercased()
        guard let row = Self.charsets.first(where: { $0.name == charset }) else { return nil }
        self = row.encoding
    }

    /// The supported charsets. Excludes `macintosh`: Foundation on Linux (Swift 6.3.1) decodes its non-ASCII bytes
    /// wrongly.
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
