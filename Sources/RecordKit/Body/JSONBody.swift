/// A body that is any `Encodable` value, such as one of another module.
///
/// ```swift
/// let create = Endpoint<Void, NetworkError>(
///     .post, path: "records", body: JSONBody(record))
/// ```
///
/// The request's ``NetworkRequest/encoder`` encodes the value, so the default is JSON. A type of the app can conform to
/// ``NetworkEncodable`` instead, and is a body by itself.
public struct JSONBody<Value: Encodable & Sendable>: NetworkEncodable, Sendable {
    /// The value to encode.
    private let value: Value

    /// Creates a body.
    ///
    /// - Parameter value: The value to encode.
    public init(_ value: Value) {
        self.value = value
    }

    /// Returns the value encoded with the encoder.
    public func encoded(using encoder: any NetworkEncoder) throws -> EncodedBody {
        try EncodedBody(encoder.encode(value), contentType: encoder.contentType)
    }
}
