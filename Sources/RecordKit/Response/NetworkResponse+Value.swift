public import Foundation

extension NetworkResponse {
    /// Reads the response as a value of the given type.
    ///
    /// A ``NetworkValue`` reads itself, and `Void` ignores the body. Any other type is decoded from the body. The
    /// status isn't checked; see ``NetworkRequest/accept(_:reading:)``.
    ///
    /// A body of whitespace counts as empty where it is decoded. JSON that can't be decoded as UTF-8 is decoded with
    /// the charset that `Content-Type` names.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder. `nil`, the default, is the response's ``decoder``, and without one a `JSONDecoder`.
    /// - Returns: The value.
    /// - Throws: The error of the type or of the decoder. ``ReadingError`` if the body is empty, or if the type cannot
    ///   be read from a response.
    public func value<Value>(
        as type: Value.Type = Value.self, using decoder: (any NetworkDecoder)? = nil
    ) throws -> Value {
        if stream != nil, type != NetworkResponse.self { throw ReadingError.stream }
        if let type = type as? any NetworkValue.Type {
            return try cast(type.read(self, using: decoder))
        }
        if type == Void.self {
            return try cast(())
        }
        guard let type = type as? any Decodable.Type else { throw ReadingError.noReading(of: TypeName.of(type)) }
        return try decode(type, as: Value.self, using: decoder)
    }

    /// Decodes a value whose type is known to be `Decodable` only now. Faster than a cast of `any Decodable`.
    private func decode<Known: Decodable, Value>(
        _ type: Known.Type, as _: Value.Type, using decoder: (any NetworkDecoder)?
    ) throws -> Value {
        let decoded = try decode(type, using: decoder)
        guard let value = decoded as? Value else { throw ReadingError.noReading(of: TypeName.of(Value.self)) }
        return value
    }

    /// Decodes a value from the body.
    func decode<Value: Decodable>(_ type: Value.Type, using own: (any NetworkDecoder)?) throws -> Value {
        if stream != nil { throw ReadingError.stream }
        if isBlank { throw ReadingError.emptyBody }
        let decoder = own ?? decoder ?? JSONDecoder()
        do {
            return try decoder.decode(type, from: body)
        } catch {
            if let convertedJSON { return try decoder.decode(type, from: convertedJSON) }
            guard let mediaType, mediaType.isHTML else {
                throw (decoder as? JSONDecoder)?.located(error, decoding: type, from: body) ?? error
            }
            throw ReadingError.unexpectedType(mediaType, expected: decoder.contentType)
        }
    }

    /// Casts a value to its expected type.
    private func cast<Value>(_ value: Any) throws -> Value {
        guard let value = value as? Value else { throw ReadingError.noReading(of: TypeName.of(Value.self)) }
        return value
    }

    /// The reasons why a response could not be read as a value.
    @nonexhaustive
    public enum ReadingError: Error, Sendable, Equatable, TextConvertible {
        /// The body is empty or whitespace, and the type is neither `Void` nor an `Optional`.
        case emptyBody
        /// The body is a stream, and the type isn't ``NetworkResponse``. Read ``NetworkResponse/stream`` instead.
        case stream
        /// The type is neither a ``NetworkValue`` nor `Decodable`.
        case noReading(of: String)
        /// The content type isn't the expected one, such as `application/json`. It is `nil` if the response has none
        /// that is valid.
        case unexpectedType(MediaType?, expected: String)
        /// The charset that `Content-Type` names is not supported, or the system has no tables for it.
        case unknownCharset(String)
        /// The bytes are not valid in this charset.
        case invalidText(charset: String)

        /// The reason as part of a sentence.
        var text: String {
            switch self {
            case .emptyBody: "the body is empty; read it as Void or an Optional if it may be"
            case .stream: "the body is a stream; read it as a NetworkResponse"
            case .noReading(let type): "\(type) is neither a NetworkValue nor Decodable"
            case .unexpectedType(nil, let expected):
                "its Content-Type is missing or not valid, where \(expected) was expected"
            case .unexpectedType(let type?, let expected):
                "it is \(type.essence) where \(expected) was expected"
                    + (type.isHTML
                        ? "; the sign-in page of a network, or a proxy, may have responded instead of the server" : "")
            case .unknownCharset(let name): "the charset \"\(PlainText.quotable(name))\" is not supported"
            case .invalidText(let name): "the bytes are not valid \(PlainText.quotable(name))"
            }
        }
    }
}

/// A type that decodes values from the bytes of a response.
///
/// `JSONDecoder` conforms. Any other decoder with a method `decode(_:from:)` conforms with an empty extension.
public protocol NetworkDecoder {
    /// Returns a value of the given type.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value

    /// The media type that requests send in `Accept`. The default is `application/json`.
    var contentType: String { get }

    /// The decoder that decodes several elements of a stream at once, as one JSON array. The default is `nil`.
    ///
    /// Return the decoder itself if it decodes JSON. That is several times as fast as decoding one element after the
    /// other, which `nil` means.
    var listDecoder: (any NetworkDecoder & Sendable)? { get }
}

extension NetworkDecoder {
    /// The media type `application/json`.
    public var contentType: String { "application/json" }
    /// No decoder: elements are decoded one after the other.
    public var listDecoder: (any NetworkDecoder & Sendable)? { nil }
}

extension JSONDecoder: NetworkDecoder {
    /// The decoder itself.
    public var listDecoder: (any NetworkDecoder & Sendable)? { self }
}
