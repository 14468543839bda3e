import Foundation

/// A form as a body, `application/x-www-form-urlencoded`, as browsers write it (WHATWG URL section 5.2): a space is
/// `+`, and everything but letters, digits, `*`, `-`, `.` and `_` is percent-encoded.
///
/// ```swift
/// FormBody(["grant_type": "password", "username": name, "scope": "read write"])
/// ```
public struct FormBody: NetworkEncodable, Sendable, Equatable {
    private let fields: RequestQuery

    /// Creates a form of names and values, in order.
    ///
    /// - Parameter fields: See ``RequestQuery`` for what they can be made from, and for sensitive fields.
    public init(_ fields: RequestQuery) {
        self.fields = fields
    }

    /// The members of an object, in the order in which it encodes them; those of a dictionary by name.
    public init(encoding object: some Encodable, using encoder: QueryEncoder = QueryEncoder()) {
        self.init(RequestQuery(encoding: object, using: encoder))
    }

    public func encoded(using encoder: any NetworkEncoder) throws -> EncodedBody {
        if let problem = fields.problem { throw problem }
        let text = fields.encoded(space: UInt8(ascii: "+"), allowed: .form)
        var body = EncodedBody(Data(text: text), contentType: "application/x-www-form-urlencoded")
        body.sensitiveNames = fields.sensitiveNames
        return body
    }
}
