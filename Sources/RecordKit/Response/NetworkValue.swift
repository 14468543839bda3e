public import Foundation

/// What a response can be read as without its body being decoded: ``NetworkResponse`` itself, `Data`, `String`,
/// an `Optional` of anything readable, or a type of one's own that reads the headers.
///
/// ```swift
/// struct Total: NetworkValue {
///     let count: Int
///
///     static func read(_ response: NetworkResponse, using decoder: any NetworkDecoder) throws -> Total {
///         guard let count = response.headers["Total-Objects"].flatMap({ Int($0) }) else { throw … }
///         return Total(count: count)
///     }
/// }
/// ```
public protocol NetworkValue {
    /// Reads a response whose status was already accepted. What is thrown becomes ``NetworkError/decoding(_:)``.
    static func read(_ response: NetworkResponse, using decoder: any NetworkDecoder) throws -> Self
}

extension NetworkResponse: NetworkValue {
    public static func read(_ response: NetworkResponse, using decoder: any NetworkDecoder) -> NetworkResponse {
        response
    }
}

extension Data: NetworkValue {
    public static func read(_ response: NetworkResponse, using decoder: any NetworkDecoder) -> Data {
        response.body
    }
}

extension String: NetworkValue {
    /// The body as text in the charset that `Content-Type` names, UTF-8 without one. A byte-order mark is dropped.
    public static func read(_ response: NetworkResponse, using decoder: any NetworkDecoder) throws -> String {
        let charset = response.mediaType?.parameters["charset"] ?? "utf-8"
        guard let encoding = Encoding(charset: charset) else { throw UnreadableText.unknownCharset(charset) }
        // Foundation leaves out the bytes of half a character at the end.
        guard response.body.count.isMultiple(of: encoding.unitLength),
            let text = String(data: response.body, encoding: encoding)
        else {
            let isKnown = String.availableStringEncodings.contains(encoding)
            throw isKnown ? UnreadableText.notIn(charset) : UnreadableText.unknownCharset(charset)
        }
        return text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    }
}

extension Optional: NetworkValue {
    /// Nil for an empty body and for JSON's `null`; otherwise the wrapped value.
    public static func read(_ response: NetworkResponse, using decoder: any NetworkDecoder) throws -> Wrapped? {
        if response.body.isEmpty, Wrapped.self != NetworkResponse.self { return nil }
        if !(Wrapped.self is any NetworkValue.Type), response.body.count < 64,
            String(decoding: response.body, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) == "null"
        {
            return nil
        }
        return try response.value(as: Wrapped.self, using: decoder)
    }
}

/// Why a body could not be read as text.
public enum UnreadableText: Error, Sendable, Hashable, CustomStringConvertible {
    /// The charset that `Content-Type` names is none that Foundation reads.
    case unknownCharset(String)
    /// The bytes are not valid in the charset that was named, or in UTF-8 when none was.
    case notIn(String)

    public var description: String {
        switch self {
        case .unknownCharset(let name): "the charset \"\(PlainText.printable(name, onOneLine: true))\" is not known"
        case .notIn(let name): "the bytes are not valid \(PlainText.printable(name, onOneLine: true))"
        }
    }
}

extension String.Encoding {
    /// How many bytes the length of a text is a multiple of.
    fileprivate var unitLength: Int {
        switch self {
        case .utf16, .utf16LittleEndian, .utf16BigEndian: 2
        case .utf32: 4
        default: 1
        }
    }

    init?(charset: String) {
        switch charset.lowercased() {
        case "utf-8", "utf8": self = .utf8
        case "us-ascii", "ascii": self = .ascii
        case "iso-8859-1", "latin1", "iso_8859-1", "l1": self = .isoLatin1
        case "iso-8859-2", "latin2": self = .isoLatin2
        case "windows-1250", "cp1250": self = .windowsCP1250
        case "windows-1251", "cp1251": self = .windowsCP1251
        case "windows-1252", "cp1252": self = .windowsCP1252
        case "windows-1253", "cp1253": self = .windowsCP1253
        case "windows-1254", "cp1254": self = .windowsCP1254
        case "utf-16": self = .utf16
        case "utf-16le": self = .utf16LittleEndian
        case "utf-16be": self = .utf16BigEndian
        case "utf-32": self = .utf32
        case "shift_jis", "shift-jis", "sjis": self = .shiftJIS
        case "euc-jp": self = .japaneseEUC
        case "iso-2022-jp": self = .iso2022JP
        case "macintosh": self = .macOSRoman
        default: return nil
        }
    }
}
