import RecordKit

/// Says with `--verbose` what is asked and what is answered.
struct CallTrace: NetworkInterceptor {
    let console: Console

    func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        guard console.verbosity == .verbose else { return try await next(call) }
        let start = call.clock.now()
        func time() -> String { "in \((call.clock.now() - start) / Duration.milliseconds(1)) ms" }
        do {
            let response = try await next(call)
            console.detail("\(call): \(response.statusCode), \(response.body.count) bytes \(time())")
            if let alert = response.headers["Alert"] { console.detail("The server says: \(alert)") }
            return response
        } catch {
            console.detail("\(call): \(error) \(time())")
            throw error
        }
    }
}
