/// A request on its way through a ``NetworkClient``, with what its sender asks of the call.
public struct OutgoingRequest<Request: NetworkRequest>: Sendable {
    /// The request to send.
    public let request: Request
    /// Changes the call before the interceptors.
    public var configure: NetworkCall.Change
    /// The manager that sends the request. 0 for none.
    var scope: UInt64 = 0
    /// The transfer that is tracked since before the call was built. See ``NetworkTask``.
    var transfer: Transfer?

    /// Creates an outgoing request, such as for a client that sends others by itself.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - configure: Changes the call before the interceptors.
    public init(_ request: Request, configure: @escaping NetworkCall.Change = { _ in }) {
        self.request = request
        self.configure = configure
    }
}

/// The outcome of a call: the result of its request, and the response and the failure behind it.
///
/// A wrapper that tries again, or an app that shows a banner, decides by ``failure``, whatever the request's error is:
///
/// ```swift
/// let outcome = await network.outcome(of: RecordService.One.fetch(sku: sku))
/// banner.isHidden = outcome.failure?.isTransient != true
/// ```
public struct NetworkOutcome<Request: NetworkRequest>: Sendable {
    /// The value or the error of the request.
    public var result: Request.ResultType
    /// The response. `nil` if there was none.
    public var response: NetworkResponse?
    /// The failure of the call, even if the request has made a value or its own error of it.
    ///
    /// It is ``NetworkError/status(_:)`` for any response other than 2xx. For a 2xx response, it is the error of
    /// ``result`` if that is a ``NetworkError``, such as of a body that can't be read; otherwise `nil`.
    public var failure: NetworkError?

    /// Creates the outcome that a request makes of a response or a failure.
    ///
    /// - Parameters:
    ///   - received: The response, or the failure of the call.
    ///   - request: The request, which reads it.
    public init(_ received: Result<NetworkResponse, NetworkError>, of request: Request) {
        switch received {
        case .failure(let error):
            (result, response, failure) = (request.handleError(error), error.response, error)
        case .success(let response):
            result = request.handleResponse(response)
            self.response = response
            if !response.isSuccess {
                failure = .status(response)
            } else if case .failure(let error) = result {
                failure = error as? NetworkError
            }
        }
    }
}

/// A value and the response that it was read from.
public struct NetworkReply<Value: Sendable>: Sendable {
    /// The value.
    public var value: Value
    /// The response. `nil` if ``NetworkRequest/handleError(_:)`` returned a value for an error without a response.
    public var response: NetworkResponse?
}

/// The outcome of ``NetworkClient/open(_:)``, with the call that was sent. There will be no other cases.
public enum NetworkOpening: Sendable {
    /// The response whose head has arrived: 2xx with a stream, or 101.
    case response(NetworkResponse, NetworkCall)
    /// The error that ended the call. The call is `nil` if it could not be made.
    case failure(NetworkError, NetworkCall?)
}
