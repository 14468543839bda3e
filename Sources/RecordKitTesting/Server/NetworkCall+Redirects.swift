import RecordKit

extension NetworkCall {
    /// The answer that redirects lead to, by the rules of every transport.
    func followingRedirects(
        _ attempt: @Sendable (NetworkCall, inout AttemptTime) async throws(NetworkError) -> NetworkResponse
    ) async throws(NetworkError) -> NetworkResponse {
        var call = try checked()
        var time = AttemptTime(of: call)
        var redirects = Redirects(of: call)
        while true {
            var response = try await attempt(call, &time)
            response.markSensitive(call.headers.sensitiveNames)
            response.redirects = redirects.followed
            guard let next = try redirects.next(after: response, of: call) else { return response }
            call.recordRedirect(response.statusCode)
            call = next
            time.follow(call)
        }
    }
}
