import RecordKit

/// Hands on what a Kinto server has to say to its users, such as that it goes out of service.
struct ServerAlert: NetworkInterceptor {
    let console: Console

    func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        let response = try await next(call)
        if let alert = response.headers["Alert"] { console.detail("The server says: \(alert)") }
        return response
    }
}
