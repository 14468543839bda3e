import RecordKit

/// An interceptor that only changes the call.
struct Changing: NetworkInterceptor {
    let change: @Sendable (inout NetworkCall) -> Void

    func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        var call = call
        change(&call)
        return try await next(call)
    }
}
