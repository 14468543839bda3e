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
        // The deadline is each caller's own, and ends only its waiting.
        var shared = call
        shared.deadline = nil
        shared.options.deadline = nil
        let key = Key(url: call.url, headers: counted(call.headers), options: shared.options)
        let start = call.clock.now()
        return try await flights.value(of: key, endsWithLast: true) {
            call.record(.joined, since: start)
        } work: { [shared] in
            do throws(NetworkError) {
                return .success(try await next(shared))
            } catch {
                return .failure(error)
            }
        }
    }

    /// The headers that matter, as they are sent.
    private func counted(_ headers: HTTPHeaders) -> [HTTPHeaders.Field] {
        headers.fields.filter { field in !ignoredHeaders.contains { HTTPHeaders.matches($0, field.name) } }
    }

    private struct Key: Hashable, Sendable {
        let url: URL
        let headers: [HTTPHeaders.Field]
        let options: RequestOptions

        /// The address nearly always tells; the rest is compared.
        func hash(into hasher: inout Hasher) {
            hasher.combine(url)
        }
    }
}
