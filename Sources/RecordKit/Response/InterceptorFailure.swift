/// An interceptor that ended the call.
public struct InterceptorFailure: Error, Sendable, CustomStringConvertible {
    /// The name of its type.
    public let interceptor: String
    /// What is wrong and what to do, as part of a sentence.
    public let reason: String
    /// What made it give up, when that was an error; one of URLSession's comes without its addresses.
    public let cause: (any Error)?
    /// The answer that made it give up, when there was one.
    public let response: NetworkResponse?

    public init(interceptor: String, reason: String, cause: (any Error)? = nil, response: NetworkResponse? = nil) {
        self.interceptor = interceptor
        self.reason = reason
        self.cause = cause.map(NetworkError.withoutAddresses)
        self.response = response
    }

    /// Whether it gave up for something that may pass, such as a connection of its own that was lost.
    var isTransient: Bool { (cause as? NetworkError)?.isTransient ?? false }

    public var description: String {
        "\(interceptor) ended the call: \(reason)."
    }
}
