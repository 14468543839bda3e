extension NetworkError {
    /// A request that could not be built, or could not be sent as it was built.
    public struct InvalidRequest: Error, Sendable, TextConvertible {
        /// A member of a request or of its configuration that is not valid.
        @nonexhaustive
        public enum Member: Sendable, Hashable {
            /// The environment of the configuration.
            case environment
            /// The base URL of the request.
            case baseURL
            /// The path of the request.
            case path
            /// The method of the request.
            case method
            /// The query of the request.
            case query
            /// The header fields of the request.
            case headers
            /// The body of the request.
            case body
            /// The options of the request.
            case options
            /// The encoder of the request.
            case encoder
            /// The decoder of the request.
            case decoder
            /// The transport of the configuration.
            case transport
            /// The interceptors of the configuration.
            case interceptors
        }

        /// The name of the request's case, such as `RecordService.One.fetch`, without its arguments.
        public internal(set) var request: String
        /// The member that is not valid.
        public let member: Member
        /// What is wrong and what to do, as part of a sentence.
        public let reason: String
        /// The error that encoding ``Member/body`` or ``Member/query`` threw, if any.
        public let cause: (any Error)?
        /// Whether a server may have received the request.
        ///
        /// True if an earlier attempt of the call was sent, or if the body changed while it was sent.
        public internal(set) var mayHaveReachedServer: Bool

        /// Creates the failure of a request.
        ///
        /// - Parameters:
        ///   - request: The name of the request's case, without its arguments.
        ///   - member: The member that is not valid.
        ///   - reason: What is wrong and what to do, as part of a sentence.
        ///   - cause: The error that encoding the member threw.
        ///   - mayHaveReachedServer: Whether a server may have received the request, because its body failed while it
        ///     was sent.
        public init(
            request: String = "", member: Member, reason: String, cause: (any Error)? = nil,
            mayHaveReachedServer: Bool = false
        ) {
            self.request = request
            self.member = member
            self.reason = reason
            self.cause = cause
            self.mayHaveReachedServer = mayHaveReachedServer
        }

        /// Returns the failure of a member, before the request has a name.
        static func invalid(_ member: Member, _ reason: String, cause: (any Error)? = nil) -> InvalidRequest {
            InvalidRequest(member: member, reason: reason, cause: cause)
        }

        /// Returns this failure with the name of a request.
        func named(_ request: String) -> InvalidRequest {
            var error = self
            error.request = request
            return error
        }

        /// The sentence with the request, the member and the reason.
        var text: String {
            let name = request.isEmpty ? "The request" : request
            let what = mayHaveReachedServer ? "sent" : "built"
            return "\(name) could not be \(what): \(member): \(PlainText.printable(reason, onOneLine: true))."
        }
    }

    /// An interceptor that ended the call.
    public struct InterceptorFailure: Error, Sendable, TextConvertible {
        /// The name of the type of the interceptor or transport.
        public let interceptor: String
        /// What is wrong and what to do, as part of a sentence.
        public let reason: String
        /// What the failure means for later calls.
        public let kind: Kind
        /// The error that caused the interceptor to end the call, if any. Errors of URLSession contain no URLs.
        public let cause: (any Error)?
        /// The response that caused the interceptor to end the call, if any.
        public let response: NetworkResponse?
        /// Whether the server may have acted on the request.
        public internal(set) var mayHaveReachedServer: Bool

        /// What the failure of an interceptor means for later calls.
        @nonexhaustive
        public enum Kind: Sendable, Hashable {
            /// The call needs a credential, and there is none: the person hasn't signed in, has signed out, or the
            /// sign-in has ended.
            case signedOut
            /// A server that the interceptor needs, such as a token server, can't be reached or is busy. A later call
            /// may succeed.
            case unavailable
            /// Anything else, such as a mistake in the setup.
            case other
        }

        /// Creates the failure of an interceptor.
        ///
        /// - Parameters:
        ///   - interceptor: The name of the interceptor's type.
        ///   - reason: What is wrong and what to do, as part of a sentence.
        ///   - kind: What the failure means for later calls. Default: `.other`.
        ///   - cause: The error that caused the interceptor to end the call.
        ///   - response: The response that caused the interceptor to end the call.
        ///   - mayHaveReachedServer: Whether the server may have acted on the request. Pass `false` only if the
        ///     interceptor didn't pass the call on.
        public init(
            interceptor: String, reason: String, kind: Kind = .other, cause: (any Error)? = nil,
            response: NetworkResponse? = nil, mayHaveReachedServer: Bool = true
        ) {
            self.interceptor = interceptor
            self.reason = reason
            self.kind = kind
            self.cause = cause.map(NetworkError.withoutAddresses)
            self.response = response
            self.mayHaveReachedServer = mayHaveReachedServer
        }

        /// Whether the interceptor's own call may be repeated.
        ///
        /// A lost response isn't transient here: a refresh may have used up its refresh token.
        var isTransient: Bool {
            guard let cause = cause as? NetworkError, cause.isTransient else { return false }
            if case .status = cause { return true }
            return !cause.mayHaveReachedServer
        }

        /// The sentence with the interceptor and the reason.
        var text: String {
            "\(interceptor) ended the call: \(PlainText.printable(reason, onOneLine: true))."
        }
    }
}
