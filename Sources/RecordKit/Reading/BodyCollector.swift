import Foundation

/// A response body that is collected up to the size limit of its call.
struct BodyCollector {
    private(set) var data = Data()
    let limit: Int

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
