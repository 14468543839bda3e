/// An answer whose status was accepted and that could not be read as the value.
public struct DecodingFailure: Error, Sendable, CustomStringConvertible {
    /// What it should have been: the name of the value's type, or the content type that was expected.
    public let type: String
    public let response: NetworkResponse
    /// What the decoder threw.
    public let cause: any Error

    public init(type: String, response: NetworkResponse, cause: any Error) {
        self.type = type
        self.response = response
        self.cause = cause
    }

    /// Says what is wrong where; of what the body holds at most the names on the way there, without the credentials
    /// that the request was sent with.
    public var description: String {
        let reason = response.withoutCredentials(CodingReason.of(cause))
        return "The answer could not be read as \(type): \(reason). It was \(response)."
    }
}
