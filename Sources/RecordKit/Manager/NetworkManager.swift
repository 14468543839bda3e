#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// A manager that builds, starts, tracks and returns the data tasks of one type of request.
///
/// A manager is an immutable value that contains only a configuration. Create one for each type of request.
public struct NetworkManager<Request: NetworkRequest>: NetworkManagerProtocol {
    /// The configuration that the manager shares with others. Calls made with it count as calls of the manager.
    public let configuration: NetworkConfiguration

    /// Creates a manager.
    ///
    /// - Parameter configuration: The configuration that the manager shares with others.
    public init(_ configuration: NetworkConfiguration = .default) {
        var configuration = configuration
        configuration.scope = configuration.tracker.makeID()
        self.configuration = configuration
    }

    /// Starts a data task and returns it.
    ///
    /// Redirects, cookies, challenges, timeouts and the size limit follow the rules of ``value(for:)``. No interceptor
    /// runs.
    ///
    /// The returned task may be suspended until its host has a free slot. It then starts by itself. To end it, call
    /// ``cancelAll()`` or its `cancel()`. On Linux (Swift 6.3.1), a `cancel()` in the app can end the process if it
    /// coincides with another one or with a timeout. RecordKit cancels a task only once, and calls of ``value(for:)``
    /// aren't affected.
    ///
    /// A redirect that needs the body again ends with ``NetworkError/redirectRefused(_:)``. On Linux, a task that was
    /// redirected contains only the first response. The completion receives the last one.
    ///
    /// - Parameters:
    ///   - request: The request to send. Its body is encoded before this method returns.
    ///   - session: The session of the task. `nil` uses the transport's session. Don't pass an invalidated session or a
    ///     background session: either ends the process. On Linux, it must not have a `urlCache`; see <doc:LinuxLimits>.
    ///     The whole body is received before the size limit is checked. On Apple platforms, the session's own delegate
    ///     handles challenges.
    ///   - completion: Called exactly once, on the configuration's `completionQueue`, even if there is no task. It may
    ///     be called before this method returns, but never from within it.
    /// - Returns: The task. `nil` if the request can't be built, or if no session is given and the transport has none.
    ///   The completion receives the reason.
    @discardableResult
    public func dataTask(
        for request: Request, in session: URLSession? = nil,
        completion: @escaping @Sendable (Request.ResultType) -> Void
    ) -> URLSessionDataTask? {
        configuration.dataTask(for: request, in: session, completion: completion)
    }

    /// Sends a request and returns its value.
    ///
    /// The call passes the interceptors and the transport. The request then reads the response. Nothing runs on the
    /// caller's actor.
    ///
    /// Cancelling the task ends the call with ``NetworkError/cancelled``, which ``NetworkRequest/handleError(_:)``
    /// handles like any other error. A task that is already cancelled sends nothing.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The value of the response.
    /// - Throws: The error that the request creates for the failure, and no other.
    public func value(for request: Request) async throws(Request.ErrorType) -> Request.ValueType {
        try await configuration.value(for: request)
    }

    /// Changes the call of a request, sends it and returns its value.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - configure: Changes the call before the interceptors, such as a header field, an option or the delivery.
    /// - Returns: The value of the response.
    /// - Throws: The error of the request.
    public func value(
        for request: Request, configure: @Sendable (inout NetworkCall) -> Void
    ) async throws(Request.ErrorType) -> Request.ValueType {
        try await configuration.value(for: request, configure: configure)
    }

    /// Sends a request, and returns its value and response.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - configure: Changes the call before the interceptors.
    /// - Returns: The value and the response.
    /// - Throws: The error of the request.
    public func reply(
        for request: Request, configure: @Sendable (inout NetworkCall) -> Void = { _ in }
    ) async throws(Request.ErrorType) -> NetworkReply<Request.ValueType> {
        try await configuration.reply(for: request, configure: configure)
    }

    /// The number of calls and data tasks in flight, in this manager and its copies.
    public var inFlight: Int { configuration.tracker.count(in: configuration.scope) }

    /// Cancels all calls and data tasks in flight. Each ends once, usually with ``NetworkError/cancelled``.
    public func cancelAll() {
        configuration.tracker.cancelAll(in: configuration.scope)
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
    public init(value: Value, response: NetworkResponse?) {
        self.value = value
        self.response = response
    }
}
