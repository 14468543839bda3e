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

extension NetworkTransport {
    /// What sends a call through the interceptors, the first of them outermost.
    func chain(_ interceptors: [any NetworkInterceptor]) -> NetworkCall.Next {
        var next: NetworkCall.Next = { (call) async throws(NetworkError) in try await attempt(call).get() }
        for interceptor in interceptors.reversed() {
            next = { [next] (call) async throws(NetworkError) in try await interceptor.intercept(call, next: next) }
        }
        return next
    }

    private func attempt(_ call: NetworkCall) async -> NetworkCall.Outcome {
        // An interceptor that waited may wake before the deadline ends its waiting: both have passed after a machine's
        // sleep.
        if call.timeLeft == .zero { return .failure(call.cancelledUnsent) }
        let start = call.clock.now()
        let outcome: NetworkCall.Outcome
        do throws(NetworkError) {
            var response = try await send(call)
            response.markSensitive(call.headers.sensitiveNames)
            outcome = call.checkingType(of: response)
        } catch {
            outcome = .failure(call.deadlineIfPassed(error))
        }
        call.recordAttempt(since: start, outcome)
        return outcome
    }
}
