import Foundation

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

/// Collects a response body under the size limit of its call.
struct BodyCollector {
    private(set) var data = Data()
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes a chunk. Returns false, and keeps nothing, if the body is past the limit.
    mutating func append(_ chunk: Data) -> Bool {
        guard chunk.count <= limit - data.count else {
            data = Data()
            return false
        }
        // The first chunk is mostly the only one; taking it as it is copies nothing.
        if data.isEmpty { data = chunk } else { data.append(chunk) }
        return true
    }
}

extension NetworkResponse {
    /// Returns the response with its body as data, for a transport that wraps another one.
    ///
    /// - Throws: ``NetworkError/tooLarge(_:)`` if the body is past the size limit of the call, or what ended the transfer
    ///   early.
    public func collected(for call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        guard let stream else { return self }
        var collector = BodyCollector(limit: call.sizeLimit)
        var iterator = stream.makeAsyncIterator()
        while let chunk = try await iterator.next() {
            if !collector.append(chunk) {
                stream.cancel()
                throw call.tooLarge
            }
        }
        var response = self
        response.body = collector.data
        return response
    }
}
