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
    /// - Parameter fields: The fields, in order. ``RequestQuery/init(encoding:using:)`` makes those of an object, and
    ///   ``RequestQuery/markingSensitive(_:)`` redacts their values.
    public init(_ fields: RequestQuery) {
        self.fields = fields
    }

    /// Returns the encoded form.
    ///
    /// - Throws: The error of a value that cannot be encoded.
    public func encoded(using encoder: any NetworkEncoder) throws -> EncodedBody {
        if let error = fields.error { throw error }
        let text = fields.encoded(allowed: .form).replacing("%20", with: "+")
        var body = EncodedBody(Data(text: text), contentType: "application/x-www-form-urlencoded")
        body.sensitiveNames = fields.sensitiveNames
        return body
    }
}
