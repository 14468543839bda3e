#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// Builds, starts, tracks and returns the data tasks of one kind of request.
///
/// An immutable value that holds a configuration and nothing else; make as many as there are kinds of requests.
public struct NetworkManager<Request: NetworkRequest>: NetworkManagerProtocol {
    let configuration: NetworkConfiguration
    private let scope: UInt64

    public init(_ configuration: NetworkConfiguration = .default) {
        self.configuration = configuration
        scope = configuration.tracker.makeID()
    }

    /// Starts one data task and returns it. Redirects, cookies, challenges, timeouts and the size limit follow the rules
    /// of a whole call; no interceptor runs.
    ///
    /// The task may still be suspended, if its host has no slot free; it starts by itself. To end it, call
    /// ``cancelAll()``, or its `cancel()`. RecordKit cancels only what is not being cancelled already; on Linux (Swift 6.3.1), a
    /// `cancel()` of the app's at the very moment of another, or of a timeout, can still end the process in Foundation.
    /// Calls of ``value(for:)`` are cancelled in one place, where that cannot happen.
    ///
    /// A redirect that would have to send a body again ends as ``NetworkError/redirectRefused(_:)``. On Linux the task of
    /// a call that was redirected shows the first response only; the completion gets the last.
    ///
    /// - Parameters:
    ///   - request: The request. Its body is encoded before this returns.
    ///   - session: `nil` takes the session of the configuration's transport. Another must not be invalidated, nor be a
    ///     background session, which ends the process, and on Linux have no `urlCache`; see <doc:LinuxLimits>. Its body
    ///     is held whole before the size limit is applied. On Apple's systems its own delegate handles challenges.
    ///   - completion: Called exactly once, on the configuration's `completionQueue`, by default a global concurrent
    ///     queue; also if there is no task. Never called from within this method, but possibly before it has returned.
    /// - Returns: `nil` if the request could not be built, or if no session is given and the transport has none; the
    ///   completion says which.
    @discardableResult
    public func dataTask(
        for request: Request, in session: URLSession? = nil,
        completion: @escaping @Sendable (Request.ResultType) -> Void
    ) -> URLSessionDataTask? {
        configuration.dataTask(for: request, in: session, scope: scope, completion: completion)
    }

    /// A whole call: through the interceptors, the transport, and the request's own reading.
    ///
    /// A task that is cancelled ends its call as ``NetworkError/cancelled``, handed to
    /// ``NetworkRequest/handleError(_:)`` like any other; one that was cancelled before starts nothing. Nothing runs on
    /// the caller's actor.
    ///
    /// - Throws: what the request's handlers make of the failure, and nothing else.
    public func value(for request: Request) async throws(Request.ErrorType) -> Request.ValueType {
        try await configuration.result(of: request, scope: scope).get()
    }

    /// Runs a whole call that is changed first: a header field, an option, the delivery.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - configure: Changes the call before any interceptor sees it.
    public func value(
        for request: Request, configure: @Sendable (inout NetworkCall) -> Void
    ) async throws(Request.ErrorType) -> Request.ValueType {
        try await configuration.result(of: request, scope: scope, configure).get()
    }

    /// Runs a whole call, and returns the response beside the value.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - configure: Changes the call before any interceptor sees it.
    public func reply(
        for request: Request, configure: @Sendable (inout NetworkCall) -> Void = { _ in }
    ) async throws(Request.ErrorType) -> NetworkReply<Request.ValueType> {
        try await configuration.reply(of: request, scope: scope, configure)
    }

    /// How many calls and data tasks of this manager and its copies are under way.
    public var inFlight: Int { configuration.tracker.count(in: scope) }

    /// Cancels all of them. Each ends once, mostly as ``NetworkError/cancelled``.
    public func cancelAll() {
        configuration.tracker.cancelAll(in: scope)
    }
}
