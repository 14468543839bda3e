public import Foundation

/// What turns a value into the bytes of a body: JSON and property-list encoders conform.
public protocol NetworkEncoder {
    func encode<Value: Encodable>(_ value: Value) throws -> Data

    /// The media type of what it makes. Default: `application/json`.
    var contentType: String { get }
}

extension NetworkEncoder {
    public var contentType: String { "application/json" }
}

extension JSONEncoder: NetworkEncoder {}

extension PropertyListEncoder: NetworkEncoder {
    public var contentType: String { "application/x-plist" }
}
