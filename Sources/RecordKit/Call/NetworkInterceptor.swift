/// A step that calls pass through before the transport.
///
/// An interceptor can change a call, return a response itself, send the call once or several times, and inspect the
/// response.
///
/// ```swift
/// struct Language: NetworkInterceptor {
///     func intercept(
///         _ call: NetworkCall, next: NetworkCall.Next
///     ) async throws(NetworkError) -> NetworkResponse {
///         var call = call
///         call.headers["Accept-Language"] = "is"
///         return try await next(call)
///     }
/// }
/// ```
///
/// To wait, call ``NetworkCall/sleep(for:)``, which ends with the call. To end the call for the interceptor's own
/// reason, throw ``NetworkError/interceptor(_:)``.
public protocol NetworkInterceptor: Sendable {
    /// Handles a call, usually by passing it to `next`.
    ///
    /// `next` may be called any number of times, even by a task that outlives this one. An implementation that doesn't
    /// need the latter may leave out `@escaping`.
    ///
    /// - Parameters:
    ///   - call: The call to handle.
    ///   - next: Passes the call to the next interceptor, or to the transport.
    /// - Returns: The response of the call.
    /// - Throws: The error that ends the call.
    func intercept(_ call: NetworkCall, next: @escaping NetworkCall.Next) async throws(NetworkError) -> NetworkResponse

    /// What the interceptor does to calls, if its place depends on it. Default: ``NetworkInterceptorRole/changes``.
    var role: NetworkInterceptorRole { get }
}

extension NetworkInterceptor {
    /// ``NetworkInterceptorRole/changes``.
    public var role: NetworkInterceptorRole { .changes }
}

/// What an interceptor does to calls. It keeps signatures valid in any order of interceptors.
@nonexhaustive
public enum NetworkInterceptorRole: Sendable {
    /// It may change a call, delay it, or send it several times.
    case changes
    /// It signs each attempt. A session moves it behind all interceptors that change calls, so that a retry gets a
    /// signature of its own, over what is sent.
    case signs
    /// It only looks at calls, such as to log them. It may stand behind those that sign.
    case observes
}

extension [any NetworkInterceptor] {
    /// The interceptors in the order in which they run: one that signs stands behind all that change calls.
    var signingLast: [any NetworkInterceptor] {
        guard let last = lastIndex(where: { $0.role == .changes }) else { return self }
        let head = self[...last]
        return head.filter { $0.role != .signs } + head.filter { $0.role == .signs } + self[(last + 1)...]
    }
}
