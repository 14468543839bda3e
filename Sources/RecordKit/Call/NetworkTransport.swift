/// How bytes travel: URLSession by default; a store in the process, a stub or another HTTP client otherwise.
///
/// A transport performs one exchange and nothing else. The library does the rest around every transport: it validates the
/// call, waits for a slot, keeps the timeout, follows redirects, keeps cookies, limits and collects the body. A transport
/// for a test:
///
/// ```swift
/// struct Canned: NetworkTransport {
///     func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
///         NetworkResponse(statusCode: 200, body: Data(#"{"sku": "LP-0042"}"#.utf8), url: call.url)
///     }
/// }
/// ```
public protocol NetworkTransport: Sendable {
    /// Performs one exchange, and returns when the head of the response has arrived.
    ///
    /// Follows no redirect, retries nothing, applies no timeout: the library does that around every transport. Return
    /// the body as `.data` or as `.stream`, whichever is natural; see ``NetworkBytes/makeStream(onDrained:onCancel:)``.
    /// Cancelling the task ends the exchange with ``NetworkError/cancelled``; cancelling or releasing the stream ends the
    /// transfer.
    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse

    /// How many exchanges may run at once per host. Default: `nil`, no limit.
    var slots: HostSlots? { get }
}

extension NetworkTransport {
    public var slots: HostSlots? { nil }
}
