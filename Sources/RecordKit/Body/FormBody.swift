import Foundation

/// A form as a body: `application/x-www-form-urlencoded` (WHATWG URL section 5.2).
///
/// A space is `+`. Everything else except letters, digits, `*`, `-`, `.` and `_` is percent-encoded.
///
/// ```swift
/// FormBody(["grant_type": "password", "username": name, "scope": "read write"])
/// ```
public struct FormBody: NetworkEncodable, Sendable, Equatable {
    private let fields: RequestQuery

    /// Creates a form from names and values.
    ///
    /// - Parameter fields: The fields, in order. ``RequestQuery/markingSensitive(_:)`` redacts their values.
    public init(_ fields: RequestQuery) {
        self.fields = fields
    }

    /// Creates a form from the members of an object, such as a dictionary, in the order of
    /// ``RequestQuery/init(encoding:using:)``.
    ///
    /// - Parameters:
    ///   - object: A value that encodes a keyed container.
    ///   - encoder: The encoder, which defines the format of the values.
    public init(encoding object: some Encodable, using encoder: QueryEncoder = QueryEncoder()) {
        self.init(RequestQuery(encoding: object, using: encoder))
    }

    /// Returns the encoded form.
    ///
    /// - Throws: The error of a value that cannot be encoded.
    public func encoded(using encoder: any NetworkEncoder) throws -> EncodedBody {
        if let problem = fields.problem { throw problem }
        let text = fields.encoded(allowed: .form).replacing("%20", with: "+")
        var body = EncodedBody(Data(text: text), contentType: "application/x-www-form-urlencoded")
        body.sensitiveNames = fields.sensitiveNames
        return body
    }
}
