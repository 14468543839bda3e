import Foundation

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
    /// - Throws: ``NetworkError/tooLarge(limit:host:)`` if the body is past the size limit of the call, or what ended the transfer
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
