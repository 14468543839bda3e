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
            let response: NetworkResponse
            if let id = flights.begin(key, in: call.recorder.run) {
                let outcome = await outcome(of: shared, next)
                flights.end(key, id, outcome)
                response = try outcome.get()
            } else {
                response = try await join(key, shared, next)
            }
            call.recorder.markReached()
            return response
        } catch {
            // What comes after it must not forget it: the attempt is on the record of the call that began it alone.
            if error.mayHaveReachedServer { call.recorder.markReached() }
            throw error
        }
    }

    /// What another call asks for already; where none does, a task that none of them can cancel.
    @inline(never)
    private func join(
        _ key: Key, _ call: NetworkCall, _ next: @escaping NetworkCall.Next
    ) async throws(NetworkError) -> NetworkResponse {
        try await flights.value(of: key, endsWithLast: true) {
            call.recordJoining()
        } work: {
            await outcome(of: call, next)
        }
    }

    private func outcome(of call: NetworkCall, _ next: NetworkCall.Next) async -> NetworkCall.Outcome {
        do throws(NetworkError) {
            return .success(try await next(call))
        } catch {
            // Those who share it do not know of the attempts before the last.
            return .failure(call.withEarlierAttempts(error))
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

    /// What equal calls have in common.
    private struct Key: Hashable {
        private let call: NetworkCall
        private let ignoredHeaders: [String]
        private let change: Int
        private let hash: Int

        @inline(never)
        init(_ call: NetworkCall, ignoring ignoredHeaders: [String], since change: Int) {
            self.call = call
            self.change = change
            self.ignoredHeaders = ignoredHeaders
            // The address nearly always tells.
            hash = call.url.absoluteString.hashValue
        }

        @inline(never)
        static func == (one: Key, other: Key) -> Bool {
            one.hash == other.hash && one.change == other.change
                && (one.call.isUnchanged(from: other.call) || one.asksTheSame(as: other))
        }

        private func asksTheSame(as other: Key) -> Bool {
            call.way == other.call.way && call.url == other.call.url && headers == other.headers
                && call.options == other.call.options
                && call.headers.sensitiveNames == other.call.headers.sensitiveNames
        }

        /// Those that count.
        private var headers: [HTTPHeaders.Field] {
            call.headers.fields.filter { field in !ignoredHeaders.contains { HTTPHeaders.matches($0, field.name) } }
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(hash)
        }
    }
}
