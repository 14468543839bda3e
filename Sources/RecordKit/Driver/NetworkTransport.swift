/// A transport for requests: URLSession by default, or a stub, an in-process store or another HTTP client.
///
/// A transport performs one exchange. RecordKit does the rest for every transport: it validates the call, waits for a
/// slot, applies the timeout, follows redirects, keeps cookies, and limits and collects the body.
///
/// The following transport is useful in a test:
///
/// ```swift
/// struct Canned: NetworkTransport {
///     func exchange(
///         _ call: NetworkCall
///     ) async throws(NetworkError) -> NetworkResponse {
///         NetworkResponse(
///             statusCode: 200, body: Data(#"{"sku": "LP-0042"}"#.utf8),
///             url: call.url)
///     }
/// }
/// ```
public protocol NetworkTransport: Sendable {
    /// Performs one exchange, and returns when the head of the response has arrived.
    ///
    /// An implementation follows no redirects, retries nothing and applies no timeout. It returns the body as `.data`
    /// or as `.stream`; see ``NetworkBytes/makeStream(bufferLimit:onDrained:onCancel:)``. Cancelling the task ends the
    /// exchange with ``NetworkError/cancelled``. Cancelling or releasing the stream ends the transfer.
    ///
    /// - Parameter call: The call to send.
    /// - Returns: The response with its body.
    /// - Throws: The error, if there is no response.
    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse

    /// What the library, and a transport around this one, need of it. Default: nothing special.
    ///
    /// A session reads them once.
    var traits: TransportTraits { get }
}

extension NetworkTransport {
    /// The default: nothing special.
    public var traits: TransportTraits { TransportTraits() }
}
