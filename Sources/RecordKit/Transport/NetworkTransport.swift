#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// How bytes travel: URLSession by default; a store in the process, a stub or another HTTP client otherwise.
///
/// To write one, answer the call, whatever the status, or throw; end soon after the task is cancelled, with
/// ``NetworkError/cancelled``. Keep the `timeout`, the `sizeLimit` and the `redirects` of the call's options; the others,
/// the deadline too, are kept around the transport. It may give back a redirect as the answer; when it follows one, no
/// sensitive header may go to another origin, and it sets ``NetworkResponse/redirects``. To fake one in a test:
///
/// ```swift
/// struct Canned: NetworkTransport {
///     func send(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
///         NetworkResponse(statusCode: 200, body: Data(#"{"sku": "LP-0042"}"#.utf8), url: call.url)
///     }
/// }
/// ```
public protocol NetworkTransport: Sendable {
    /// Sends one attempt and gives the answer, whatever its status.
    ///
    /// For ``NetworkCall/Delivery/streamed`` a 2xx is answered with its head at once and ``NetworkResponse/stream``
    /// set, any other status whole. A transport that cannot stream may always answer whole.
    func send(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse

    /// The session whose data tasks `request(_:in:completion:)` hands back. Default: nil, for a transport without one;
    /// also that of ``URLSessionTransport``, which makes them in its own and keeps that to itself.
    var session: URLSession? { get }
}

extension NetworkTransport {
    public var session: URLSession? { nil }
}
