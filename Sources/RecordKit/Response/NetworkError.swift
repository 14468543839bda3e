public import Foundation

/// Everything that can go wrong outside a domain, by phase, with its cause.
///
/// ```
/// building      invalidRequest    mostly nothing was sent
/// interceptors  interceptor       one of them gave up
/// travelling    connection        no connection, or it broke
///               timedOut          an attempt or the whole call took too long
///               cancelled         somebody ended the call
///               redirectRefused   a redirect that is not followed
///               badResponse       what came back is no valid HTTP
///               tooLarge          the body is past its limit
/// reading       status            an answer with a status that is no success
///               decoding          an answer that cannot be read as the value
/// ```
public indirect enum NetworkError: Error, Sendable {
    /// The request could not be built, or not be sent as it was built. Nothing was sent, unless
    /// ``NetworkError/InvalidRequest/mayHaveReachedServer`` says otherwise.
    case invalidRequest(NetworkError.InvalidRequest)
    /// An interceptor ended the call for a reason of its own.
    case interceptor(NetworkError.InterceptorFailure)
    /// There was no connection, or it broke.
    case connection(NetworkError.ConnectionFailure)
    /// An attempt, or the call as a whole, took longer than it may.
    case timedOut(NetworkError.Timeout)
    /// The call was cancelled: its task, its data task, or `cancelAll()`.
    case cancelled
    /// The server sent a redirect that is not followed.
    case redirectRefused(NetworkError.RedirectRefusal)
    /// The server sent something that is not an HTTP response.
    case badResponse(NetworkError.BadResponse)
    /// The body is larger than the size limit of the request; the transfer was stopped.
    case tooLarge(NetworkError.TooLarge)
    /// The server answered with a status that was not accepted: anything but a 2xx, unless the request says otherwise.
    case status(NetworkResponse)
    /// The status was accepted, and the answer could not be read as the value.
    case decoding(NetworkError.DecodingFailure)
}

extension NetworkError {
    /// Where on its way the call ended.
    public enum Phase: Sendable, Hashable {
        case building, intercepting, travelling, reading
    }

    public var phase: Phase {
        switch self {
        case .invalidRequest: .building
        case .interceptor: .intercepting
        case .connection, .timedOut, .cancelled, .redirectRefused, .badResponse, .tooLarge: .travelling
        case .status, .decoding: .reading
        }
    }

    /// Whether the call was cancelled.
    public var isCancelled: Bool {
        if case .cancelled = self { true } else { false }
    }

    /// The answer, when there was one: its status, headers and body.
    public var response: NetworkResponse? {
        switch self {
        case .status(let response): response
        case .decoding(let failure): failure.response
        case .redirectRefused(let refusal): refusal.response
        case .interceptor(let failure): failure.response
        case .invalidRequest, .connection, .timedOut, .cancelled, .badResponse, .tooLarge: nil
        }
    }

    /// What another library reported, when this error stems from that. Errors of URLSession's come without addresses.
    public var cause: (any Error)? {
        switch self {
        case .invalidRequest(let failure): failure.cause
        case .interceptor(let failure): failure.cause
        case .connection(let failure): failure.cause
        case .badResponse(let failure): failure.cause
        case .decoding(let failure): failure.cause
        case .timedOut, .cancelled, .redirectRefused, .tooLarge, .status: nil
        }
    }

    /// Whether the same request may succeed when it is sent again: after a connection that was lost, refused or not to
    /// be had (no network, no address for the name), timeouts of an attempt, and 408, 425, 429, 500, 502, 503, 504.
    ///
    /// So may one that an interceptor ended for such an error of a call of its own, such as a 503 of the server that
    /// renews a token; but not when that call may have been done without an answer.
    public var isTransient: Bool {
        switch self {
        case .connection(let failure): failure.kind.isTransient
        case .timedOut(let timeout): timeout.limit == .attempt
        case .status(let response): Self.isTransient(response.statusCode)
        case .interceptor(let failure): failure.isTransient
        case .invalidRequest, .cancelled, .redirectRefused, .badResponse, .tooLarge, .decoding: false
        }
    }

    /// Whether the server may have acted on the request. False only when that is certain.
    public var mayHaveReachedServer: Bool {
        switch self {
        case .invalidRequest(let failure): failure.mayHaveReachedServer
        case .connection(let failure): failure.mayHaveReachedServer
        case .timedOut(let timeout): timeout.mayHaveReachedServer
        case .interceptor(let failure): failure.mayHaveReachedServer
        case .cancelled, .redirectRefused, .badResponse, .tooLarge, .status, .decoding: true
        }
    }

    /// This error, of a call that may have reached a server before it.
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
        case .cancelled, .redirectRefused, .badResponse, .tooLarge, .status, .decoding: return self
        }
    }

    static func isTransient(_ statusCode: Int) -> Bool {
        switch statusCode {
        case 408, 425, 429, 500, 502, 503, 504: true
        default: false
        }
    }
}

extension NetworkError: CustomStringConvertible, LocalizedError {
    /// What happened, why, and what to do, for a person. Addresses are redacted, and no value of a body is quoted: what
    /// a server explains is in ``NetworkResponse/problem``.
    public var description: String {
        switch self {
        case .invalidRequest(let failure): failure.description
        case .interceptor(let failure): failure.description
        case .connection(let failure): failure.description
        case .timedOut(let timeout): timeout.description
        case .cancelled: "The call was cancelled."
        case .redirectRefused(let refusal): refusal.description
        case .badResponse(let failure): failure.description
        case .tooLarge(let failure): failure.description
        case .status(let response): "The server refused the request: \(response)."
        case .decoding(let failure): failure.description
        }
    }

    public var errorDescription: String? { description }
}

/// A domain's error type that can be made from any ``NetworkError``.
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
public protocol NetworkFailure: Error {
    init(_ error: NetworkError)
}

extension NetworkError: NetworkFailure {
    public init(_ error: NetworkError) {
        self = error
    }
}
