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

    /// What is wrong, and where: the coding path and the expected type, no value of the body.
    public var description: String {
        "The answer could not be read as \(type): \(CodingReason.of(cause)). It was \(response)."
    }
}
