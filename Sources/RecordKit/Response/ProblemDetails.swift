import Foundation

/// The problem details in the body of an error response (RFC 9457).
public struct ProblemDetails: Decodable, Equatable, Sendable {
    /// A URI that identifies the type of the problem. It is `about:blank` if the server sent none (RFC 9457 section
    /// 4.2.1).
    public let type: String
    /// A short summary of the type of the problem.
    public let title: String?
    /// An explanation of this occurrence of the problem.
    public let detail: String?

    /// Decodes problem details. Ignores members of the wrong type (RFC 9457 section 3.1).
    ///
    /// - Throws: `DecodingError` if the value is not an object.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: AnyCodingKey.self)
        func member<Value: Decodable>(_ key: AnyCodingKey) -> Value? { try? members.decode(Value.self, forKey: key) }
        type = member("type") ?? "about:blank"
        title = member("title")
        detail = member("detail")
    }
}

extension NetworkResponse {
    /// The problem details in the body.
    ///
    /// `nil` if the media type is not `application/problem+json`, or if the body cannot be decoded. To read `instance`,
    /// `status` or extension members, decode your own type with ``value(as:using:)``.
    public var problem: ProblemDetails? {
        guard mediaType?.essence == "application/problem+json" else { return nil }
        return try? JSONDecoder().decode(ProblemDetails.self, from: body)
    }
}
