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
///         _ response: NetworkResponse, using decoder: (any NetworkDecoder)?
///     ) throws -> Total {
///         guard let text = response.headers["Total-Objects"],
///             let count = Int(text)
///         else { throw NoTotal() }
///         return Total(count: count)
///     }
/// }
/// ```
///
/// A value that isn't in the format of the request's decoder says its own in ``contentType``.
public protocol NetworkValue {
    /// Reads a value from a response with an accepted status.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - decoder: The decoder of the request. `nil` if it has none of its own: ``NetworkResponse/value(as:using:)``
    ///     then takes the response's.
    /// - Returns: The value.
    /// - Throws: Any error. The call fails with ``NetworkError/decoding(_:)``, which has the error as its cause.
    static func read(_ response: NetworkResponse, using decoder: (any NetworkDecoder)?) throws -> Self

    /// The media type that requests for the value ask for in `Accept`, such as `application/xml`. The default, `nil`,
    /// is the type of the request's decoder.
    ///
    /// `RequestOptions.expectedType` takes precedence.
    static var contentType: String? { get }
}

extension NetworkValue {
    /// The type of the request's decoder.
    public static var contentType: String? { nil }
}

extension NetworkResponse: NetworkValue {
    /// Returns the response itself.
    public static func read(_ response: NetworkResponse, using decoder: (any NetworkDecoder)?) -> NetworkResponse {
        response
    }
}

extension Data: NetworkValue {
    /// Any type.
    public static var contentType: String? { "*/*" }

    /// Returns the body.
    public static func read(_ response: NetworkResponse, using decoder: (any NetworkDecoder)?) -> Data {
        response.body
    }
}

extension String: NetworkValue {
    /// Any type of text.
    public static var contentType: String? { "text/*" }

    /// Returns the body as a string. See ``NetworkResponse/bodyString``.
    ///
    /// - Throws: ``NetworkResponse/ReadingError`` if the charset is not supported, or if the bytes are not valid in it.
    public static func read(_ response: NetworkResponse, using decoder: (any NetworkDecoder)?) throws -> String {
        try response.bodyString
    }
}

extension Optional: NetworkValue {
    /// The type of the wrapped value.
    public static var contentType: String? { (Wrapped.self as? any NetworkValue.Type)?.contentType }

    /// Returns `nil` if the body is empty or JSON `null`, otherwise the wrapped value.
    ///
    /// JSON `null` and a body of whitespace count only if the wrapped type is decoded. An optional ``NetworkResponse``
    /// is never `nil`.
    ///
    /// - Throws: The error of reading the wrapped value.
    public static func read(_ response: NetworkResponse, using decoder: (any NetworkDecoder)?) throws -> Wrapped? {
        if response.body.isEmpty, Wrapped.self != NetworkResponse.self { return nil }
        if !(Wrapped.self is any NetworkValue.Type), response.isBlank || response.isNull { return nil }
        return try response.value(as: Wrapped.self, using: decoder)
    }
}

extension NetworkResponse {
    /// The body as a string, without a byte-order mark. Empty if ``content`` is a stream.
    ///
    /// Decodes it with the charset that `Content-Type` names, or UTF-8 by default. JSON is decoded with another charset
    /// only if it isn't valid UTF-8 (RFC 8259 section 11). See `String(_:charset:)`.
    ///
    /// - Throws: ``ReadingError`` if the charset is not supported, or if the bytes are not valid in it.
    public var bodyString: String {
        get throws(ReadingError) { try String(body, charset: charset) }
    }

    /// Whether the body is empty, or consists of whitespace.
    var isBlank: Bool { trimmedBody.isEmpty }

    /// Whether the body is JSON `null`, with or without surrounding whitespace (RFC 8259 section 2).
    fileprivate var isNull: Bool {
        let text = trimmedBody
        return text.starts(with: "null".utf8) && text.dropFirst(4).allSatisfy(\.isBlank)
    }

    /// The body without a byte-order mark and the whitespace before it or after it.
    private var trimmedBody: Data {
        let text = body.drop(while: \.isBlank)
        return text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3).drop(while: \.isBlank) : text
    }

    /// The charset of the body.
    fileprivate var charset: String {
        guard let mediaType, let name = mediaType.parameters["charset"] else { return "utf-8" }
        // JSON is in UTF-8, whatever the charset says (RFC 8259 sections 8.1 and 11).
        let mayBeUTF8 = mediaType.isJSON && Charset(name)?.extendsASCII != false
        return mayBeUTF8 && String(validating: body, as: UTF8.self) != nil ? "utf-8" : name
    }

    /// The JSON of the body in UTF-8, if it is in another charset that `Content-Type` names.
    var convertedJSON: Data? {
        guard let mediaType, mediaType.isJSON, mediaType.parameters["charset"] != nil, charset != "utf-8" else {
            return nil
        }
        return (try? bodyString).map { Data($0.utf8) }
    }
}

extension UInt8 {
    /// Whether the byte is whitespace in JSON.
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
