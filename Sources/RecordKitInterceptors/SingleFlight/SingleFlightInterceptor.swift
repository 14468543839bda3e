import Foundation
public import RecordKit
import Synchronization

/// Shares one attempt between equal GET calls that are in flight at the same time.
///
/// Calls are equal if they have the same URL, options and header fields. Fields that differ from call to call without
/// changing the response are ignored. Streamed calls and calls with a body are never shared. Calls of two
/// configurations are shared only if one is a copy of the other with the same transport and interceptors.
///
/// A call whose method isn't safe (RFC 9110 section 9.2.1) may change something. After it has ended, no later call gets
/// a response that was requested before.
///
/// Cancelling one caller, or reaching its deadline, doesn't affect the others. When the last caller is gone, the
/// attempt is cancelled.
///
/// Place it after ``AuthorizationInterceptor``. The credential is part of the header then, so a caller never gets the
/// response to another user.
public struct SingleFlightInterceptor: NetworkInterceptor {
    private let ignoredHeaders: [String]
    private let flights = Flights<Key, NetworkResponse>()
    private let changes = Changes()

    /// The number of unsafe calls that have ended.
    private final class Changes: Sendable {
        let count = Atomic<Int>(0)
    }

    /// Creates an interceptor that shares attempts.
    ///
    /// - Parameter ignoredHeaders: The names of the header fields in which equal calls may differ.
    public init(ignoring ignoredHeaders: Set<String> = ["X-Request-ID", "traceparent", "tracestate"]) {
        self.ignoredHeaders = Array(ignoredHeaders)
    }

    /// Sends the call, or waits for the response to an equal call.
    public func intercept(_ call: NetworkCall, next: @escaping NetworkCall.Next) async throws(NetworkError)
        -> NetworkResponse
    {
        guard call.method == .get, call.delivery == .buffered, call.body == nil else {
            defer { if !call.method.isSafe { changes.count.add(1, ordering: .relaxed) } }
            return try await next(call)
        }
        var shared = call
        // Each caller has its own deadline, which ends only its own wait.
        shared.options.deadline = nil
        let key = Key(shared, ignoring: ignoredHeaders, since: changes.count.load(ordering: .relaxed))
        return try await flights.value(of: key, endsWithLast: true) {
            call.report(.joined, since: call.clock.now())
        } work: { [shared] in
            do throws(NetworkError) {
                return .success(try await next(shared))
            } catch {
                return .failure(error)
            }
        }
    }

    /// The properties that equal calls have in common.
    private struct Key: Hashable {
        private let session: NetworkCall.SessionID?
        private let url: URL
        private let headers: HTTPHeaders
        private let options: RequestOptions
        private let change: Int

        init(_ call: NetworkCall, ignoring ignoredHeaders: [String], since change: Int) {
            session = call.sessionID
            url = call.url
            var headers = call.headers
            for name in ignoredHeaders { headers[name] = nil }
            self.headers = headers
            options = call.options
            self.change = change
        }

        static func == (one: Key, other: Key) -> Bool {
            one.url == other.url && one.change == other.change && one.session == other.session
                && one.headers == other.headers && one.options == other.options
                && one.headers.sensitiveNames == other.headers.sensitiveNames
        }

        func hash(into hasher: inout Hasher) {
            // The URL is nearly always enough.
            hasher.combine(url)
        }
    }
}
