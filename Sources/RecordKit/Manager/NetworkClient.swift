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
/// A fake implements `reply(for:configure:)`. That is enough for values, results, completions and pages. One that also
/// implements ``open(_:configure:)`` has streams, too.
public protocol NetworkClient: Sendable {
    /// Sends a request, and returns its value and response. See ``NetworkManager/reply(for:configure:)``.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - configure: Changes the call before the interceptors. A wrapper passes it on.
    /// - Returns: The value and the response.
    /// - Throws: The error of the request.
    func reply<Request: NetworkRequest>(
        for request: Request, configure: @escaping NetworkCall.Change
    ) async throws(Request.ErrorType) -> NetworkReply<Request.ValueType>

    /// Sends a request, and returns its response with a stream. See ``NetworkManager/open(_:configure:)``.
    ///
    /// The default implementation throws ``NetworkError/invalidRequest(_:)``: the client can't stream.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - configure: Changes the call before the interceptors. A wrapper passes it on.
    /// - Returns: The response.
    /// - Throws: The error that ended the call.
    func open<Request: NetworkRequest>(
        _ request: Request, configure: @escaping NetworkCall.Change
    ) async throws(NetworkError) -> NetworkResponse

    /// The session that counts and cancels the calls of this client. Default: `nil`.
    ///
    /// A wrapper returns the session of the client that it wraps.
    var session: NetworkSession? { get }
}

extension NetworkClient {
    /// The default: no session.
    public var session: NetworkSession? { nil }

    /// The default: throws ``NetworkError/invalidRequest(_:)``.
    public func open<Request: NetworkRequest>(
        _ request: Request, configure: @escaping NetworkCall.Change
    ) async throws(NetworkError) -> NetworkResponse {
        throw .invalidRequest(
            NetworkError.InvalidRequest(
                request: CaseName.of(request), member: .transport,
                reason: "\(type(of: self)) can't stream; implement `open(_:configure:)`, or use another client"))
    }

    /// Sends a request, and returns its value and response. See ``NetworkManager/reply(for:configure:)``.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The value and the response.
    /// - Throws: The error of the request.
    public func reply<Request: NetworkRequest>(
        for request: Request
    ) async throws(Request.ErrorType) -> NetworkReply<Request.ValueType> {
        try await reply(for: request, configure: { _ in })
    }

    /// Sends a request, and returns its response with a stream. See ``NetworkManager/open(_:configure:)``.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The response.
    /// - Throws: The error that ended the call.
    public func open<Request: NetworkRequest>(_ request: Request) async throws(NetworkError) -> NetworkResponse {
        try await open(request, configure: { _ in })
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
        try await reply(for: request, configure: configure).value
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
        do throws(Request.ErrorType) {
            return .success(try await value(for: request, configure: configure))
        } catch {
            return .failure(error)
        }
    }
}

/// A value and the response that it was read from.
public struct NetworkReply<Value: Sendable>: Sendable {
    /// The value.
    public var value: Value
    /// The response. `nil` if ``NetworkRequest/handleError(_:)`` returned a value for an error without a response.
    public var response: NetworkResponse?

    /// Creates a reply.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - response: The response that the value was read from.
    public init(value: Value, response: NetworkResponse? = nil) {
        self.value = value
        self.response = response
    }
}
