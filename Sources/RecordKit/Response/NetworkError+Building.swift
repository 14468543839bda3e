extension NetworkError {
    /// A request that could not be built, or not be sent as it was built: the member that is wrong, and why.
    public struct InvalidRequest: Error, Sendable, TextConvertible {
        /// The members of a request and of its configuration that can be wrong.
        public enum Member: String, Sendable, Hashable {
            case environment, baseURL, path, method, query, headers, body, options, transport
        }

        /// The name of the request's case, such as `RecordService.One.fetch`, without its arguments.
        public internal(set) var request: String
        /// The member that is wrong.
        public let member: Member
        /// What is wrong and what to do, as part of a sentence.
        public let reason: String
        /// What was thrown while ``Member/body`` or ``Member/query`` was encoded, such as an encoder's error.
        public let cause: (any Error)?
        /// Whether a server may have seen the request: in an earlier attempt of the call, or in part, if the body changed
        /// while it was sent.
        public internal(set) var mayHaveReachedServer = false

        /// Creates the failure of a request that was not sent.
        public init(request: String = "", member: Member, reason: String, cause: (any Error)? = nil) {
            self.request = request
            self.member = member
            self.reason = reason
            self.cause = cause
        }

        /// Returns this failure with the name of its request.
        func named(_ request: String) -> InvalidRequest {
            var error = self
            error.request = request
            return error
        }

        var text: String {
            let name = request.isEmpty ? "The request" : request
            let what = mayHaveReachedServer ? "sent" : "built"
            return "\(name) could not be \(what): \(member.rawValue): \(PlainText.printable(reason, onOneLine: true))."
        }
    }

    /// An interceptor that ended the call.
    public struct InterceptorFailure: Error, Sendable, TextConvertible {
        /// The name of the interceptor's type.
        public let interceptor: String
        /// What is wrong and what to do, as part of a sentence.
        public let reason: String
        /// The error that made the interceptor give up, if any. Errors of URLSession come without addresses.
        public let cause: (any Error)?
        /// The response that made the interceptor give up, if any.
        public let response: NetworkResponse?
        /// Whether the server may have acted on the request.
        public var mayHaveReachedServer: Bool

        /// - Parameters:
        ///   - interceptor: The name of the interceptor's type.
        ///   - reason: What is wrong and what to do, as part of a sentence.
        ///   - cause: The error that made the interceptor give up.
        ///   - response: The response that made the interceptor give up.
        ///   - mayHaveReachedServer: Pass `false` only if the interceptor did not send the call on.
        public init(
            interceptor: String, reason: String, cause: (any Error)? = nil, response: NetworkResponse? = nil,
            mayHaveReachedServer: Bool = true
        ) {
            self.interceptor = interceptor
            self.reason = reason
            self.cause = cause.map(NetworkError.withoutAddresses)
            self.response = response
            self.mayHaveReachedServer = mayHaveReachedServer
        }

        /// The cause, if it is the transient error of a call that the interceptor made.
        var transientCause: NetworkError? {
            guard let cause = cause as? NetworkError, cause.isTransient else { return nil }
            return cause
        }

        /// Whether the interceptor's own call may be made again. A refresh whose response was lost may have used up its
        /// refresh token, so that isn't transient.
        var isTransient: Bool {
            guard let cause = transientCause else { return false }
            if case .status = cause { return true }
            return !cause.mayHaveReachedServer
        }

        var text: String {
            "\(interceptor) ended the call: \(reason)."
        }
    }
}
