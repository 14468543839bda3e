import Foundation

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

    /// What the library, and a transport around this one, must know of it. Default: nothing special.
    var traits: TransportTraits { get }
}

extension NetworkTransport {
    /// The default: nothing special.
    public var traits: TransportTraits { TransportTraits() }
}

/// A response body that is collected up to the size limit of its call.
struct BodyCollector {
    private(set) var data = Data()
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Appends a chunk. Returns false, and discards the body, if it exceeds the limit.
    mutating func append(_ chunk: Data) -> Bool {
        guard chunk.count <= limit - data.count else {
            data = Data()
            return false
        }
        // Most bodies arrive in one chunk. Assigning it avoids a copy.
        if data.isEmpty { data = chunk } else { data.append(chunk) }
        return true
    }
}

extension NetworkResponse {
    /// Returns the response with its body as data, for a transport that wraps another one.
    ///
    /// - Parameter call: The call, with its size limit.
    /// - Returns: The response, unchanged if its body is already data.
    /// - Throws: ``NetworkError/tooLarge(_:)`` if the body exceeds the size limit, or the error that ended the
    ///   transfer.
    public func collected(for call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        guard let stream else { return self }
        var collector = BodyCollector(limit: call.sizeLimit)
        var iterator = stream.makeAsyncIterator()
        let total = isSuccess ? try? announcedLength(for: call) : nil
        while let chunk = try await iterator.next() {
            if !collector.append(chunk) {
                stream.cancel()
                throw call.tooLarge
            }
            if isSuccess { call.report(.receiving, bytes: collector.data.count, of: total) }
        }
        var response = self
        response.trailers = stream.trailers
        response.body = collector.data
        return response
    }
}
