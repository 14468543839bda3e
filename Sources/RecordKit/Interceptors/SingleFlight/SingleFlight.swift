import Foundation
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
/// Put it behind ``Authorization``: what calls are signed with is a header too, and so nobody is given the answer that
/// was meant for somebody else.
public struct SingleFlight: NetworkInterceptor {
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
        let shared = withoutDeadline(call)
        let key = Key(shared, ignoring: ignoredHeaders, since: changes.count.load(ordering: .relaxed))
        do throws(NetworkError) {
            let response = try await flights.value(of: key, endsWithLast: true) {
                call.recordJoining()
            } work: {
                do throws(NetworkError) {
                    return .success(try await next(shared))
                } catch {
                    // Those who share it do not know of the attempts before the last.
                    return .failure(shared.withEarlierAttempts(error))
                }
            }
            call.recorder.markReached()
            return response
        } catch {
            // What comes after it must not forget it: the attempt is on the record of the call that began it alone.
            if error.mayHaveReachedServer { call.recorder.markReached() }
            throw error
        }
    }

    /// The deadline is each caller's own, and ends only its waiting.
    @inline(never)
    private func withoutDeadline(_ call: NetworkCall) -> NetworkCall {
        if call.deadline == nil, call.options.deadline == nil { return call }
        var call = call
        call.deadline = nil
        call.options.deadline = nil
        return call
    }

    /// What equal calls have in common; by reference, as it is handed on much.
    private final class Key: Hashable, Sendable {
        private let url: URL
        private let fields: [HTTPHeaders.Field]
        private let ignoredHeaders: [String]
        private let secretNames: Set<String>
        private let options: RequestOptions
        private let way: ObjectIdentifier?
        private let change: Int
        private let hash: Int

        @inline(never)
        init(_ call: NetworkCall, ignoring ignoredHeaders: [String], since change: Int) {
            fields = call.headers.fields
            secretNames = call.headers.secretNames
            self.change = change
            self.ignoredHeaders = ignoredHeaders
            url = call.url
            options = call.options
            way = call.way
            // The address nearly always tells.
            hash = url.absoluteString.hashValue
        }

        static func == (one: Key, other: Key) -> Bool {
            one === other
                || one.change == other.change && one.way == other.way && one.url == other.url
                    && one.headers == other.headers && one.options == other.options
                    && one.secretNames == other.secretNames
        }

        /// Those that count; looked for where two addresses are the same, which they seldom are.
        private var headers: [HTTPHeaders.Field] {
            fields.filter { field in !ignoredHeaders.contains { HTTPHeaders.matches($0, field.name) } }
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(hash)
        }
    }
}
