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
/// An interceptor that waits does so with ``NetworkCall/sleep(for:)``, which ends with the call. One that gives up for a
/// reason of its own throws ``NetworkError/interceptor(_:)``.
public protocol NetworkInterceptor: Sendable {
    /// Sends the call on with `next`, which may be called any number of times, also by a task that outlives this one;
    /// only there does it have to be declared `@escaping`.
    func intercept(_ call: NetworkCall, next: @escaping NetworkCall.Next) async throws(NetworkError) -> NetworkResponse
}

extension NetworkTransport {
    /// Sends the call through the interceptors, the first of them outermost.
    func send(
        _ call: NetworkCall, through interceptors: ArraySlice<any NetworkInterceptor>
    ) async throws(NetworkError) -> NetworkResponse {
        guard let first = interceptors.first else { return try await attempt(call).get() }
        return try await first.intercept(call) { (call) async throws(NetworkError) in
            try await send(call, through: interceptors.dropFirst())
        }
    }

    private func attempt(_ call: NetworkCall) async -> Result<NetworkResponse, NetworkError> {
        let start = call.clock.now()
        let outcome: Result<NetworkResponse, NetworkError>
        do throws(NetworkError) {
            outcome = call.checkingType(of: try await send(call))
        } catch {
            outcome = .failure(error)
        }
        call.recordAttempt(since: start, outcome)
        return outcome
    }
}
