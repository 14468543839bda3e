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

    /// Returns the whole body of a stream.
    static func body(of bytes: NetworkBytes, _ call: NetworkCall) async throws(NetworkError) -> Data {
        var collector = BodyCollector(limit: call.sizeLimit)
        var iterator = bytes.makeAsyncIterator()
        while let chunk = try await iterator.next() {
            if !collector.append(chunk) {
                bytes.cancel()
                throw call.tooLarge
            }
        }
        return collector.data
    }
}
