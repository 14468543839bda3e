public import Foundation

/// What turns the bytes of an answer into a value: anything with `decode(_:from:)`.
///
/// JSON and property-list decoders conform; another decoder conforms with an empty extension.
public protocol NetworkDecoder {
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value

    /// The media type that is asked for in `Accept`. Default: `application/json`.
    var contentType: String { get }
}

extension NetworkDecoder {
    public var contentType: String { "application/json" }
}

extension JSONDecoder: NetworkDecoder {}

extension PropertyListDecoder: NetworkDecoder {
    public var contentType: String { "application/x-plist" }
}
