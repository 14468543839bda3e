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
        guard let encoding = Encoding(charset: charset) else {
            throw NetworkResponse.Unreadable.unknownCharset(charset)
        }
        // Foundation leaves out the bytes of half a character at the end.
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
    /// Nil for an empty body, also where the wrapped type would read headers alone, and for JSON's `null` where the
    /// wrapped type is decoded; otherwise the wrapped value. A response is never nil.
    public static func read(_ response: NetworkResponse, using decoder: any NetworkDecoder) throws -> Wrapped? {
        if response.body.isEmpty, Wrapped.self != NetworkResponse.self { return nil }
        if !(Wrapped.self is any NetworkValue.Type), response.isNull { return nil }
        return try response.value(as: Wrapped.self, using: decoder)
    }
}

extension NetworkResponse {
    /// Whether the body is JSON's `null`, with blanks around it (RFC 8259 section 2).
    fileprivate var isNull: Bool {
        func isBlank(_ byte: UInt8) -> Bool { " \t\r\n".utf8.contains(byte) }
        let text = body.drop(while: isBlank)
        return text.starts(with: "null".utf8) && text.dropFirst(4).allSatisfy(isBlank)
    }
}
