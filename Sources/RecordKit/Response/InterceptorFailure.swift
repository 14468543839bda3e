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
    /// Whether the server may have acted on the request. False only where an interceptor of this library gave up before
    /// it sent the call on.
    public internal(set) var mayHaveReachedServer = true

    public init(interceptor: String, reason: String, cause: (any Error)? = nil, response: NetworkResponse? = nil) {
        self.interceptor = interceptor
        self.reason = reason
        self.cause = cause.map(NetworkError.withoutAddresses)
        self.response = response
    }

    /// Of an interceptor that did not send the call on.
    var unsent: NetworkError {
        var failure = self
        failure.mayHaveReachedServer = false
        return .interceptor(failure)
    }

    /// The error of a call of its own, when it gave up for one that may pass.
    var passingCause: NetworkError? {
        guard let cause = cause as? NetworkError, cause.isTransient else { return nil }
        return cause
    }

    /// Whether that call may be made again, too: not where it may have been done, such as a renewal that has used up its
    /// refresh token.
    var isTransient: Bool {
        guard let cause = passingCause else { return false }
        if case .status = cause { return true }
        return !cause.mayHaveReachedServer
    }

    public var description: String {
        "\(interceptor) ended the call: \(reason)."
    }
}
