/// A client for requests of every kind: a ``NetworkSession``, or a wrapper or a fake of one.
///
/// A service that uses it has one dependency for all kinds of requests:
///
/// ```swift
/// struct Inventory {
///     let network: any NetworkClient
///
///     func title(of sku: String) async throws(InventoryError) -> String {
///         try await network.value(for: RecordService.One.fetch(sku: sku)).title
///     }
/// }
/// ```
///
/// A fake implements ``outcome(of:)``. That is enough for values, results, completions and pages. One that also
/// implements ``open(_:)`` has streams, too.
///
/// ```swift
/// struct Offline: NetworkClient {
///     func outcome<Request>(
///         of outgoing: OutgoingRequest<Request>
///     ) async -> NetworkOutcome<Request> {
///         NetworkOutcome(.failure(.cancelled), of: outgoing.request)
///     }
/// }
/// ```
///
/// A wrapper passes what it was given to the client that it wraps, and looks at the outcome.
public protocol NetworkClient: Sendable {
    /// Sends a request, and returns its result with the response and the failure behind it.
    ///
    /// - Parameter outgoing: The request to send. A wrapper passes it on, once or several times.
    /// - Returns: The outcome of the call.
    func outcome<Request: NetworkRequest>(of outgoing: OutgoingRequest<Request>) async -> NetworkOutcome<Request>

    /// Sends a request whose response is a stream, and returns it as soon as its head has arrived.
    ///
    /// See ``NetworkManager/open(_:configure:)``. The default implementation fails with
    /// ``NetworkError/invalidRequest(_:)``: the client can't stream.
    ///
    /// - Parameter outgoing: The request to send. A wrapper passes it on, once or several times.
    /// - Returns: The response or the error, with the call that was sent.
    func open<Request: NetworkRequest>(_ outgoing: OutgoingRequest<Request>) async -> NetworkOpening

    /// The session that counts and cancels the calls of this client. Default: `nil`.
    ///
    /// A wrapper returns the session of the client that it wraps.
    var session: NetworkSession? { get }
}

extension NetworkClient {
    /// The default: no session.
    public var session: NetworkSession? { nil }

    /// The default: fails with ``NetworkError/invalidRequest(_:)``.
    public func open<Request: NetworkRequest>(_ outgoing: OutgoingRequest<Request>) async -> NetworkOpening {
        .failure(
            .invalidRequest(
                NetworkError.InvalidRequest(
                    request: CaseName.of(outgoing.request), member: .transport,
                    reason: "\(type(of: self)) can't stream; implement `open(_:)`, or use another client")), nil)
    }

    /// Sends a request, and returns its result with the response and the failure behind it.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - configure: Changes the call before the interceptors.
    /// - Returns: The outcome of the call.
    public func outcome<Request: NetworkRequest>(
        of request: Request, configure: @escaping NetworkCall.Change = { _ in }
    ) async -> NetworkOutcome<Request> {
        await outcome(of: OutgoingRequest(request, configure: configure))
    }

    /// Sends a request and returns its value. See ``NetworkManager/value(for:configure:)``.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - configure: Changes the call before the interceptors.
    /// - Returns: The value of the response.
    /// - Throws: The error of the request.
    public func value<Request: NetworkRequest>(
        for request: Request, configure: @escaping NetworkCall.Change = { _ in }
    ) async throws(Request.ErrorType) -> Request.ValueType {
        try await outcome(of: request, configure: configure).result.get()
    }

    /// Sends a request, and returns its value and response. See ``NetworkManager/reply(for:configure:)``.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - configure: Changes the call before the interceptors.
    /// - Returns: The value and the response.
    /// - Throws: The error of the request.
    public func reply<Request: NetworkRequest>(
        for request: Request, configure: @escaping NetworkCall.Change = { _ in }
    ) async throws(Request.ErrorType) -> NetworkReply<Request.ValueType> {
        let outcome = await outcome(of: request, configure: configure)
        return NetworkReply(value: try outcome.result.get(), response: outcome.response)
    }

    /// Sends a request and returns its result. The error keeps its type in a `Task` and an `async let`.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - configure: Changes the call before the interceptors.
    /// - Returns: The value or the error.
    public func result<Request: NetworkRequest>(
        for request: Request, configure: @escaping NetworkCall.Change = { _ in }
    ) async -> Request.ResultType {
        await outcome(of: request, configure: configure).result
    }

    /// Sends a request, and returns its response with a stream. See ``NetworkManager/open(_:configure:)``.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - configure: Changes the call before the interceptors.
    /// - Returns: The response.
    /// - Throws: The error that ended the call.
    public func open<Request: NetworkRequest>(
        _ request: Request, configure: @escaping NetworkCall.Change = { _ in }
    ) async throws(NetworkError) -> NetworkResponse {
        switch await open(OutgoingRequest(request, configure: configure)) {
        case .response(let response, _): return response
        case .failure(let error, _): throw error
        }
    }
}
