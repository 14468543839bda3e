public import Foundation

/// A type that can be the body of a request.
///
/// `String`, `Data`, `Array` and `Dictionary` conform, including `[String: Any]`. An `Encodable` type conforms with an
/// empty extension. The request's ``NetworkRequest/encoder`` encodes it:
///
/// ```swift
/// extension Record: NetworkEncodable {}
/// ```
public protocol NetworkEncodable {
    /// Returns the encoded body.
    ///
    /// - Parameter encoder: The encoder of the request.
    /// - Returns: The bytes and their content type.
    /// - Throws: Any error. The call fails with ``NetworkError/invalidRequest(_:)``, which has the error as its cause.
    func encoded(using encoder: any NetworkEncoder) throws -> EncodedBody
}

extension NetworkEncodable where Self: Encodable {
    /// Returns the value encoded with the encoder.
    public func encoded(using encoder: any NetworkEncoder) throws -> EncodedBody {
        try EncodedBody(encoder.encode(self), contentType: encoder.contentType)
    }
}

extension String: NetworkEncodable {
    /// Returns the UTF-8 of the string as `text/plain`.
    public func encoded(using encoder: any NetworkEncoder) -> EncodedBody {
        EncodedBody(Data(text: self), contentType: "text/plain; charset=utf-8")
    }
}

extension Data: NetworkEncodable {
    /// Returns the bytes as `application/octet-stream`.
    public func encoded(using encoder: any NetworkEncoder) -> EncodedBody {
        EncodedBody(self, contentType: "application/octet-stream")
    }
}

extension Dictionary: NetworkEncodable {
    /// Returns the dictionary encoded as an object.
    ///
    /// The values of a `[String: Any]` are encoded according to their dynamic types. Nested dictionaries and arrays
    /// become objects and arrays. `NSNull` and an empty `Optional` become `null`. Any other value must be `Encodable`.
    ///
    /// `String` keys are data, so the encoder's key strategy doesn't convert them.
    ///
    /// Dictionaries whose keys aren't `String`, `Int` or `CodingKeyRepresentable` are encoded as an array of
    /// alternating keys and values.
    ///
    /// - Throws: `EncodingError` with the coding path of a value that cannot be encoded.
    public func encoded(using encoder: any NetworkEncoder) throws -> EncodedBody {
        try EncodedBody(collection: self, using: encoder)
    }
}

extension Array: NetworkEncodable {
    /// Returns the encoded array.
    ///
    /// The elements of an `[Any]` are encoded according to their dynamic types, like the values of a `[String: Any]`.
    ///
    /// - Throws: `EncodingError` with the coding path of an element that cannot be encoded.
    public func encoded(using encoder: any NetworkEncoder) throws -> EncodedBody {
        try EncodedBody(collection: self, using: encoder)
    }
}

extension EncodedBody {
    /// Encodes a collection. If it isn't `Encodable`, encodes each element according to its dynamic type.
    fileprivate init(collection: Any, using encoder: any NetworkEncoder) throws {
        let value = collection as? any Encodable ?? AnyEncodable(collection)
        try self.init(encoder.encode(value), contentType: encoder.contentType)
    }
}

/// A type that encodes values as the bytes of a body.
///
/// `JSONEncoder` and `PropertyListEncoder` conform.
public protocol NetworkEncoder {
    /// Returns the encoded value.
    func encode<Value: Encodable>(_ value: Value) throws -> Data

    /// The media type of the encoded values. The default is `application/json`.
    var contentType: String { get }
}

extension NetworkEncoder {
    /// The media type `application/json`.
    public var contentType: String { "application/json" }
}

extension JSONEncoder: NetworkEncoder {}

extension PropertyListEncoder: NetworkEncoder {
    /// The media type `application/x-plist`.
    public var contentType: String { "application/x-plist" }
}
