import RecordKit
import Synchronization

/// Sends nothing more to a server that asks for a longer pause than the timeout.
///
/// To `RateLimitInterceptor` `Backoff` is advice: it waits a part of a long one before each call.
final class LongPause: NetworkInterceptor {
    /// The cause of the error of a call that is not sent.
    struct Remaining: Error {
        let wait: Duration
    }

    private let limit: Duration
    /// The end of the pause on the clock of the calls.
    private let end = Mutex(Duration.zero)

    init(limit: Duration) {
        self.limit = limit
    }

    func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        let wait = end.withLock { $0 } - call.clock.now()
        if wait > limit {
            throw .interceptor(
                NetworkError.InterceptorFailure(
                    interceptor: "LongPause", reason: "the server asked for a pause", cause: Remaining(wait: wait),
                    mayHaveReachedServer: false))
        }
        let response = try await next(call)
        if let seconds = response.headers["Backoff"].flatMap({ Int32($0) }) {
            end.withLock { $0 = max($0, call.clock.now() + .seconds(seconds)) }
        }
        return response
    }
}
