public import Foundation

/// What a request's body can be.
///
/// `String`, `Data`, `Dictionary` and `Array` conform, also `[String: Any]`. A type that is `Encodable` conforms by
/// saying so, and is then encoded with the request's ``NetworkRequest/encoder``:
///
/// ```swift
/// extension Record: NetworkEncodable {}
/// ```
public protocol NetworkEncodable {
    /// The body's bytes and their content type. What is thrown becomes ``NetworkError/invalidRequest(_:)``.
    func encoded(using encoder: any NetworkEncoder) throws -> EncodedBody
}

extension NetworkEncodable where Self: Encodable {
    public func encoded(using encoder: any NetworkEncoder) throws -> EncodedBody {
        try EncodedBody(encoder.encode(self), contentType: encoder.contentType)
    }
}

extension String: NetworkEncodable {
    /// The text itself in UTF-8, as `text/plain`.
    public func encoded(using encoder: any NetworkEncoder) -> EncodedBody {
        EncodedBody(Data(text: self), contentType: "text/plain; charset=utf-8")
    }
}

extension Data: NetworkEncodable {
    /// The bytes themselves, as `application/octet-stream`.
    public func encoded(using encoder: any NetworkEncoder) -> EncodedBody {
        EncodedBody(self, contentType: "application/octet-stream")
    }
}

extension Dictionary: NetworkEncodable {
    /// An object. Values of a `[String: Any]` are encoded one by one: those that are `Encodable` by the encoder's own
    /// rules for dates, data and keys, nested dictionaries and arrays as such, an empty Optional and `NSNull` as null.
    /// Keys that are texts are data, whatever the values, and stay as they are.
    ///
    /// Of keys that are neither texts nor integers nor `CodingKeyRepresentable`, such as those of a plain enum, the
    /// standard library makes no object but a list: each key, and its value behind it.
    ///
    /// - Throws: `EncodingError` that names the place of a value that cannot be encoded.
    public func encoded(using encoder: any NetworkEncoder) throws -> EncodedBody {
        try EncodedBody(collection: self, using: encoder)
    }
}

extension Array: NetworkEncodable {
    /// An array; `[Any]` as in a `[String: Any]`.
    public func encoded(using encoder: any NetworkEncoder) throws -> EncodedBody {
        try EncodedBody(collection: self, using: encoder)
    }
}

extension EncodedBody {
    /// One whose elements are Encodable is what the encoder sees; of any other each element by itself.
    fileprivate init(collection: Any, using encoder: any NetworkEncoder) throws {
        let value = collection as? any Encodable ?? AnyEncodable(collection)
        try self.init(encoder.encode(value), contentType: encoder.contentType)
    }
}
