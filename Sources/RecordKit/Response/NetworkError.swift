public import Foundation

/// A failure that is not specific to a domain, with its cause.
///
/// | Phase | Case | |
/// |---|---|---|
/// | building | ``invalidRequest(_:)`` | the request could not be built |
/// | intercepting | ``interceptor(_:)`` | an interceptor ended the call |
/// | sending | ``connection(_:)`` | the connection failed or was lost |
/// | | ``timedOut(_:)`` | an attempt or the call exceeded its time limit |
/// | | ``cancelled`` | the call was cancelled |
/// | | ``redirectRefused(_:)`` | a redirect was not followed |
/// | | ``badResponse(_:)`` | the response is not valid HTTP |
/// | | ``tooLarge(_:)`` | the body exceeds its size limit |
/// | reading | ``status(_:)`` | the status is not 2xx |
/// | | ``decoding(_:)`` | the body could not be read as the value |
/// | | ``file(_:)`` | the body could not be stored in a file |
@nonexhaustive
public indirect enum NetworkError: Error, Sendable {
    /// The request could not be built, or could not be sent as it was built.
    ///
    /// Nothing was sent, unless ``InvalidRequest/mayHaveReachedServer`` is true.
    case invalidRequest(InvalidRequest)
    /// An interceptor ended the call, or a transport that sends nothing, such as a cache or a stub.
    case interceptor(InterceptorFailure)
    /// No connection could be established, or it was lost.
    case connection(ConnectionFailure)
    /// An attempt or the whole call exceeded its time limit.
    case timedOut(Timeout)
    /// The call was cancelled by its task, its handle, its data task or `cancelAll()`.
    case cancelled
    /// The server sent a redirect that was not followed.
    case redirectRefused(RedirectRefusal)
    /// The response is not valid HTTP. For example, its body doesn't have the encoding that `Content-Encoding` names.
    ///
    /// On Linux, some valid responses are reported like this, too. See <doc:LinuxLimits>.
    ///
    case badResponse(BadResponse)
    /// The body is larger than the size limit of its request, so the transfer was stopped.
    case tooLarge(TooLarge)
    /// The status was not accepted. By default, requests accept only 2xx.
    case status(NetworkResponse)
    /// The status was accepted, but the body could not be read as the value.
    case decoding(DecodingFailure)
    /// A download, or what a slow reader has not read, could not be stored in a file; or its checksum is wrong.
    case file(FileFailure)
}

extension NetworkError {
    /// A response that is not valid HTTP.
    public struct BadResponse: Error, Sendable, TextConvertible {
        /// The host and the port of the server.
        public let host: String
        /// The error of the transport, without URLs.
        public let cause: (any Error)?

        /// Creates the failure of a response.
        ///
        /// - Parameters:
        ///   - host: The host and the port of the server.
        ///   - cause: The error of the transport, without URLs.
        public init(host: String, cause: (any Error)? = nil) {
            self.host = host
            self.cause = cause
        }

        var text: String {
            "\(host) sent a response that is not valid HTTP. Check the port, and what its server sends."
        }
    }

    /// A body that is larger than the size limit of its request.
    public struct TooLarge: Error, Sendable, Hashable, TextConvertible {
        /// The size limit in bytes.
        public let limit: Int
        /// The host and the port of the server.
        public let host: String

        /// Creates the failure of a body.
        ///
        /// - Parameters:
        ///   - limit: The size limit in bytes.
        ///   - host: The host and the port of the server.
        public init(limit: Int, host: String) {
            self.limit = limit
            self.host = host
        }

        var text: String {
            "The response of \(host) is larger than \(limit) bytes, the limit of this request; raise `sizeLimit` to "
                + "accept it."
        }
    }

    /// Whether the call was cancelled.
    public var isCancelled: Bool {
        if case .cancelled = self { true } else { false }
    }

    /// Whether the call needs a sign-in: the status is 401, or an interceptor has no credential for it.
    ///
    /// False if a token couldn't be refreshed because its server can't be reached.
    public var isUnauthorized: Bool {
        if case .interceptor(let failure) = self, failure.kind != .other { return failure.kind == .signedOut }
        return response?.statusCode == 401
    }

    /// The response, if there was one.
    public var response: NetworkResponse? {
        switch self {
        case .status(let response): response
        case .decoding(let failure): failure.response
        case .redirectRefused(let refusal): refusal.response
        case .interceptor(let failure): failure.response
        case .invalidRequest, .connection, .timedOut, .cancelled, .badResponse, .tooLarge, .file: nil
        }
    }

    /// The underlying error, if any. Errors of URLSession contain no URLs.
    public var cause: (any Error)? {
        switch self {
        case .invalidRequest(let failure): failure.cause
        case .interceptor(let failure): failure.cause
        case .connection(let failure): failure.cause
        case .badResponse(let failure): failure.cause
        case .decoding(let failure): failure.cause
        case .file(let failure): failure.cause
        case .timedOut, .cancelled, .redirectRefused, .tooLarge, .status: nil
        }
    }

    /// Whether the same request may succeed if it is sent again.
    ///
    /// True for the following errors:
    /// - A connection that was refused or lost, a name without an address, and no network.
    /// - The timeout of an attempt.
    /// - The statuses 408, 425, 429, 500, 502, 503 and 504, and those of proxies in front of servers: 520 to 524, 527
    ///   and 530.
    /// - An interceptor's failure, if its cause is such an error, like a 503 of a token server. Without a response, the
    ///   interceptor's call must not have reached the server.
    public var isTransient: Bool {
        switch self {
        case .connection(let failure): failure.kind.isTransient
        case .timedOut(let timeout): timeout.limit == .attempt
        case .status(let response):
            switch response.statusCode {
            case 408, 425, 429, 500, 502...504, 520...524, 527, 530: true
            default: false
            }
        case .interceptor(let failure): failure.isTransient
        case .invalidRequest, .cancelled, .redirectRefused, .badResponse, .tooLarge, .decoding, .file: false
        }
    }

    /// Whether the server may have acted on the request. False only if it certainly hasn't.
    public var mayHaveReachedServer: Bool {
        switch self {
        case .invalidRequest(let failure): failure.mayHaveReachedServer
        case .connection(let failure): failure.mayHaveReachedServer
        case .timedOut(let timeout): timeout.mayHaveReachedServer
        case .interceptor(let failure): failure.mayHaveReachedServer
        case .cancelled, .redirectRefused, .badResponse, .tooLarge, .status, .decoding, .file: true
        }
    }

    /// Returns this error for a call that may have reached a server before.
    func afterReachingServer() -> NetworkError {
        switch self {
        case .invalidRequest(var failure):
            failure.mayHaveReachedServer = true
            return .invalidRequest(failure)
        case .connection(var failure):
            failure.mayHaveReachedServer = true
            return .connection(failure)
        case .timedOut(var timeout):
            timeout.mayHaveReachedServer = true
            return .timedOut(timeout)
        case .interceptor(var failure):
            failure.mayHaveReachedServer = true
            return .interceptor(failure)
        case .cancelled, .redirectRefused, .badResponse, .tooLarge, .status, .decoding, .file: return self
        }
    }

    /// A short description for logs.
    var label: String {
        switch self {
        case .invalidRequest: "invalid request"
        case .interceptor(let failure): "ended by \(failure.interceptor)"
        case .connection(let failure): failure.label
        case .timedOut: "timed out"
        case .cancelled: "cancelled"
        case .redirectRefused: "redirect refused"
        case .badResponse: "invalid HTTP"
        case .tooLarge: "too large"
        case .status(let response): "\(response.statusCode)"
        case .decoding: "unexpected content"
        case .file: "file not stored"
        }
    }
}

extension NetworkError: TextConvertible {
    /// A description of what happened, why, and what to do.
    ///
    /// Redacts URLs, and quotes no value of a body. The server's explanation is in ``NetworkResponse/problem``.
    var text: String {
        switch self {
        case .invalidRequest(let failure): failure.text
        case .interceptor(let failure): failure.text
        case .connection(let failure): failure.text
        case .timedOut(let timeout): timeout.text
        case .cancelled: "The call was cancelled."
        case .redirectRefused(let refusal): refusal.text
        case .badResponse(let failure): failure.text
        case .tooLarge(let failure): failure.text
        case .status(let response):
            "The server refused the request: \(response)"
                + (response.explanation.map { "; \(PlainText.printable($0, onOneLine: true))." } ?? ".")
        case .decoding(let failure): failure.text
        case .file(let failure): failure.text
        }
    }
}

/// A domain's error type that can be created from any ``NetworkError``.
///
/// ```swift
/// enum InventoryError: NetworkFailure {
///     case notFound
///     case network(NetworkError)
///
///     init(_ error: NetworkError) {
///         self = error.response?.statusCode == 404 ? .notFound : .network(error)
///     }
/// }
/// ```
///
/// `localizedDescription` is the `errorDescription` that the type implements. By default, that is its own
/// `description`, otherwise the description of the ``NetworkError`` in its payload, otherwise the name of its case in
/// words.
public protocol NetworkFailure: LocalizedError {
    /// Creates a domain error from a failure that is not specific to the domain.
    init(_ error: NetworkError)
}

extension NetworkError: NetworkFailure {
    /// Creates a copy of the error.
    public init(_ error: NetworkError) {
        self = error
    }
}
