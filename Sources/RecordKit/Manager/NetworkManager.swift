/// A manager that builds, starts, tracks and returns the calls and data tasks of one type of request.
///
/// ```swift
/// let records = NetworkManager<RecordService.One>(network)
/// let record = try await records.value(for: .fetch(sku: "LP-0042"))
/// ```
///
/// A manager is an immutable value over a client, usually a ``NetworkSession`` that it shares with others. It knows the
/// type of its requests, so that `.fetch(sku:)` is enough. All else is as in the client.
public struct NetworkManager<Request: NetworkRequest>: Sendable {
    /// The client that sends the requests. Its calls count as those of this manager.
    public let client: any NetworkClient
    /// The state of the client's session, or an own one for a client without a session.
    let state: SessionState
    let scope: UInt64

    /// Creates a manager.
    ///
    /// - Parameter client: The client that sends the requests.
    public init(_ client: any NetworkClient = NetworkSession.shared) {
        state = client.session?.state ?? SessionState()
        scope = state.makeScope()
        self.client = ManagedClient(client: client, scope: scope)
    }

    /// Creates a manager with its own session.
    ///
    /// Two managers with one configuration have two sessions: counts, `cancelAll()` and what interceptors share are
    /// separate. Pass both the same ``NetworkSession`` to share them.
    ///
    /// - Parameter configuration: The configuration of the session.
    public init(_ configuration: NetworkConfiguration) {
        self.init(NetworkSession(configuration))
    }

    /// The number of calls and data tasks in flight, in this manager and its copies.
    ///
    /// Over a client without a session, only those of ``send(_:onProgress:configure:completion:)`` count.
    public var inFlight: Int { state.count(in: scope) }

    /// Cancels all calls and data tasks in flight, in this manager and its copies. Each ends once, usually with
    /// ``NetworkError/cancelled``.
    ///
    /// Over a client without a session, only those of ``send(_:onProgress:configure:completion:)`` are cancelled.
    public func cancelAll() {
        state.cancelAll(in: scope)
    }

    /// Sends a request and returns its value.
    ///
    /// The call passes the interceptors and the transport. The request then reads the response. Nothing runs on the
    /// caller's actor.
    ///
    /// Cancelling the task ends the call with ``NetworkError/cancelled``, which ``NetworkRequest/handleError(_:)``
    /// handles like any other error. A task that is already cancelled sends nothing.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - configure: Changes the call before the interceptors, such as a header field, an option or the delivery. An
    ///     error that it throws ends the call before it is sent.
    /// - Returns: The value of the response.
    /// - Throws: The error that the request creates for the failure, and no other.
    public func value(
        for request: Request, configure: @escaping NetworkCall.Change = { _ in }
    ) async throws(Request.ErrorType) -> Request.ValueType {
        try await client.value(for: request, configure: configure)
    }

    /// Sends a request, and returns its value and response.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - configure: Changes the call before the interceptors.
    /// - Returns: The value and the response.
    /// - Throws: The error of the request.
    public func reply(
        for request: Request, configure: @escaping NetworkCall.Change = { _ in }
    ) async throws(Request.ErrorType) -> NetworkReply<Request.ValueType> {
        try await client.reply(for: request, configure: configure)
    }

    /// Sends a request, and returns its result with the response and the failure behind it.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - configure: Changes the call before the interceptors.
    /// - Returns: The outcome of the call.
    public func outcome(
        of request: Request, configure: @escaping NetworkCall.Change = { _ in }
    ) async -> NetworkOutcome<Request> {
        await client.outcome(of: request, configure: configure)
    }

    /// Sends a request and returns its result. The error keeps its type in a `Task` and an `async let`.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - configure: Changes the call before the interceptors.
    /// - Returns: The value or the error.
    public func result(
        for request: Request, configure: @escaping NetworkCall.Change = { _ in }
    ) async -> Request.ResultType {
        await client.result(for: request, configure: configure)
    }

    /// Sends a request, and returns its response as soon as the head has arrived.
    ///
    /// The response has a 2xx status and a stream, or the status 101: the connection has switched to another protocol
    /// (RFC 9110 section 7.8), and the transport decides what the stream contains. The request's `handleResponse` isn't
    /// called.
    ///
    /// ``inFlight`` includes the call until the stream ends or is released. ``cancelAll()`` and the deadline end the
    /// stream with their error. The timeout applies to the head, and for a 2xx response to each wait for a chunk.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - configure: Changes the call before the interceptors.
    /// - Returns: The response.
    /// - Throws: ``NetworkError/status(_:)`` with the collected body for any other status, or the error that ended the
    ///   call.
    public func open(
        _ request: Request, configure: @escaping NetworkCall.Change = { _ in }
    ) async throws(NetworkError) -> NetworkResponse {
        try await client.open(request, configure: configure)
    }
}

/// A client whose calls are those of a manager.
private struct ManagedClient: NetworkClient {
    let client: any NetworkClient
    let scope: UInt64

    var session: NetworkSession? { client.session }

    func outcome<Request: NetworkRequest>(of outgoing: OutgoingRequest<Request>) async -> NetworkOutcome<Request> {
        await client.outcome(of: managed(outgoing))
    }

    func open<Request: NetworkRequest>(_ outgoing: OutgoingRequest<Request>) async -> NetworkOpening {
        await client.open(managed(outgoing))
    }

    /// Returns the request as one of the manager, unless another manager sends it with the client of this one.
    private func managed<Request: NetworkRequest>(_ outgoing: OutgoingRequest<Request>) -> OutgoingRequest<Request> {
        var outgoing = outgoing
        if outgoing.scope == 0 { outgoing.scope = scope }
        return outgoing
    }
}
