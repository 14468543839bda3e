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
}
