import Foundation

/// Lets equal GETs that are in flight at the same time share one attempt.
///
/// Equal are calls with the same address, options and headers; a header that differs from call to call and does not
/// change the answer is ignored. Streamed calls, and calls with a body, are never shared.
///
/// A caller who is cancelled, or whose deadline passes, leaves the others alone; the last one out ends the attempt.
///
/// Put it behind ``Authorization``: what calls are signed with is a header too, and so nobody is given the answer that
/// was meant for somebody else.
public struct SingleFlight: NetworkInterceptor {
    private let ignoredHeaders: [String]
    private let flights = Flights<Key, NetworkResponse>()

    /// - Parameter ignoredHeaders: the names of headers in which equal calls may differ.
    public init(ignoring ignoredHeaders: Set<String> = ["X-Request-ID", "traceparent", "tracestate"]) {
        self.ignoredHeaders = Array(ignoredHeaders)
    }

    public func intercept(_ call: NetworkCall, next: @escaping NetworkCall.Next) async throws(NetworkError)
        -> NetworkResponse
    {
        guard call.method == .get, call.delivery == .buffered, call.body == nil else { return try await next(call) }
        let shared = withoutDeadline(call)
        return try await flights.value(of: Key(shared, ignoring: ignoredHeaders), endsWithLast: true) {
            call.record(.joined, since: call.clock.now())
        } work: {
            do throws(NetworkError) {
                return .success(try await next(shared))
            } catch {
                return .failure(error)
            }
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
        private let options: RequestOptions
        private let hash: Int

        @inline(never)
        init(_ call: NetworkCall, ignoring ignoredHeaders: [String]) {
            fields = call.headers.fields
            self.ignoredHeaders = ignoredHeaders
            url = call.url
            options = call.options
            // The address nearly always tells.
            hash = url.absoluteString.hashValue
        }

        static func == (one: Key, other: Key) -> Bool {
            one === other || one.url == other.url && one.headers == other.headers && one.options == other.options
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
