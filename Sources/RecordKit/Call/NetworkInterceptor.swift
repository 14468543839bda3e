/// What wraps a call: may change it, answer it, hand it on once or several times, and look at what comes back.
///
/// ```swift
/// struct Language: NetworkInterceptor {
///     func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
///         var call = call
///         call.headers["Accept-Language"] = "is"
///         return try await next(call)
///     }
/// }
/// ```
///
/// An interceptor that waits does so with ``NetworkCall/sleep(for:)``, which ends with the call. One that gives up for
/// a reason of its own throws ``NetworkError/interceptor(_:)``.
public protocol NetworkInterceptor: Sendable {
    /// Sends the call on with `next`, which may be called any number of times, also by a task that outlives this one.
    /// An interceptor that does not do the latter may leave out `@escaping`.
    func intercept(_ call: NetworkCall, next: @escaping NetworkCall.Next) async throws(NetworkError) -> NetworkResponse
}
