import Foundation

/// The body of an error as RFC 9457 describes it.
public struct ProblemDetails: Decodable, Equatable, Sendable {
    /// A URI that names the kind of problem; `about:blank` when the server gave none (RFC 9457 section 4.2.1).
    public let type: String
    public let title: String?
    /// The status that the body names; it may differ from that of the response when a proxy changed one.
    public let status: Int?
    /// What happened this time, for a person.
    public let detail: String?
    /// A URI that names this occurrence.
    public let instance: String?

    /// A member of the wrong type is ignored (RFC 9457 section 3.1).
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: AnyCodingKey.self)
        func member<Value: Decodable>(_ key: AnyCodingKey) -> Value? { try? members.decode(Value.self, forKey: key) }
        type = member("type") ?? "about:blank"
        title = member("title")
        status = member("status")
        detail = member("detail")
        instance = member("instance")
    }
}

extension NetworkResponse {
    /// The problem details in the body, when its media type is `application/problem+json` and it can be read.
    ///
    /// Members of one's own are decoded with ``value(as:using:)``.
    public var problem: ProblemDetails? {
        guard mediaType?.essence == "application/problem+json" else { return nil }
        return try? JSONDecoder().decode(ProblemDetails.self, from: body)
    }
}
