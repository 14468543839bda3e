public import RecordKit

/// An interceptor that only changes the call.
public struct Changing: NetworkInterceptor {
    public let change: @Sendable (inout NetworkCall) -> Void

    public init(change: @escaping @Sendable (inout NetworkCall) -> Void) { self.change = change }

    public func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        var call = call
        change(&call)
        return try await next(call)
    }
}
