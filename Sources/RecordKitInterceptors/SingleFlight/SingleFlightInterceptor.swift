import Foundation
public import RecordKit
import Synchronization

/// Lets equal GETs that are in flight at the same time share one attempt.
///
/// Equal are calls with the same address, options and headers; a header that differs from call to call and does not
/// change the answer is ignored. Streamed calls, and calls with a body, are never shared; nor are those of two
/// configurations, which may have different transports, unless one is a copy of the other with the same transport and
/// interceptors.
///
/// Once a call has ended that may have changed something, one whose method is not safe (RFC 9110 section 9.2.1), no
/// call after it is given an answer that was asked for before.
///
/// A caller who is cancelled, or whose deadline passes, leaves the others alone; the last one out ends the attempt.
///
/// Put it behind ``AuthorizationInterceptor``: what calls are signed with is a header too, and so nobody is given the answer that
/// was meant for somebody else.
public struct SingleFlightInterceptor: NetworkInterceptor {
    private let ignoredHeaders: [String]
    private let flights = Flights<Key, NetworkResponse>()
    private let changes = Changes()

    /// How many calls that may have changed something have ended.
    private final class Changes: Sendable {
        let count = Atomic<Int>(0)
    }

    /// - Parameter ignoredHeaders: the names of headers in which equal calls may differ.
    public init(ignoring ignoredHeaders: Set<String> = ["X-Request-ID", "traceparent", "tracestate"]) {
        self.ignoredHeaders = Array(ignoredHeaders)
    }

    public func intercept(_ call: NetworkCall, next: @escaping NetworkCall.Next) async throws(NetworkError)
        -> NetworkResponse
    {
        guard call.method == .get, call.delivery == .buffered, call.body == nil else {
            defer { if !call.method.isSafe { changes.count.add(1, ordering: .relaxed) } }
            return try await next(call)
        }
        var shared = call
        // The deadline is each caller's own, and ends only its wait.
        shared.deadline = nil
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

    /// What equal calls have in common.
    private struct Key: Hashable {
        private let route: NetworkCall.Route?
        private let url: URL
        private let headers: HTTPHeaders
        private let options: RequestOptions
        private let change: Int

        init(_ call: NetworkCall, ignoring ignoredHeaders: [String], since change: Int) {
            route = call.route
            url = call.url
            var headers = call.headers
            for name in ignoredHeaders { headers.remove(name) }
            self.headers = headers
            var options = call.options
            options.deadline = nil
            self.options = options
            self.change = change
        }

        static func == (one: Key, other: Key) -> Bool {
            one.url == other.url && one.change == other.change && one.route == other.route
                && one.headers == other.headers && one.options == other.options
                && one.headers.sensitiveNames == other.headers.sensitiveNames
        }

        func hash(into hasher: inout Hasher) {
            // The address nearly always tells.
            hasher.combine(url)
        }
    }
}
