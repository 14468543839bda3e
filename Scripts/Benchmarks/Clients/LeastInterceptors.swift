import Foundation
import RecordKit

// What each of the library's six interceptors, built as it is, cannot do without, and nothing that it decides: how cheap
// the six together could be.

/// The least that an interceptor can be; that of ``Retry`` while all goes well.
struct PassOn: NetworkInterceptor {
    func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        try await next(call)
    }
}

/// The least of ``Authorization`` and ``Identity``.
struct AddHeader: NetworkInterceptor {
    let name: String

    init(_ name: String) {
        self.name = name
    }

    func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        var call = call
        call.headers[name] = "0123456789abcdef"
        return try await next(call)
    }
}

/// The least of ``SingleFlight``: an attempt that the caller can leave, and others could join.
struct RunApart: NetworkInterceptor {
    func intercept(_ call: NetworkCall, next: @escaping NetworkCall.Next) async throws(NetworkError)
        -> NetworkResponse
    {
        let outcome = await withUnsafeContinuation { continuation in
            Task {
                let outcome: Result<NetworkResponse, NetworkError>
                do throws(NetworkError) {
                    outcome = .success(try await next(call))
                } catch {
                    outcome = .failure(error)
                }
                continuation.resume(returning: outcome)
            }
        }
        return try outcome.get()
    }
}

/// The least of ``RateLimit``: a look at what the server says of its limits.
struct ReadHeaders: NetworkInterceptor {
    func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        let response = try await next(call)
        precondition(response.headers["Retry-After"] == nil)
        return response
    }
}

/// The least of ``Logging``: a line.
struct MakeLine: NetworkInterceptor {
    func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        let response = try await next(call)
        let line = "GET \(call.url.absoluteString): \(response.statusCode), \(response.body.count) bytes"
        precondition(!line.isEmpty)
        return response
    }
}
