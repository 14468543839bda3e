import RecordKit
import RecordKitStreaming

/// Sends requests to a Kinto server, or to the embedded store. Nothing else in the tool sends requests.
struct KintoServer: Sendable {
    private let network: NetworkSession

    /// - Parameter network: The configuration, with the server as its environment: `http://127.0.0.1:8888/v1`.
    init(_ network: NetworkConfiguration) {
        self.network = NetworkSession(network)
    }

    @discardableResult
    func value<Request: NetworkRequest>(
        for request: Request
    ) async throws(Request.ErrorType) -> Request.ValueType {
        try await network.value(for: request)
    }

    func result<Request: NetworkRequest>(
        for request: Request
    ) async -> Result<Request.ValueType, Request.ErrorType> {
        await network.result(for: request)
    }

    /// Passes the pages of a list to `body`, until the end or until `body` returns false.
    func eachPage<Request: PagedRequest>(
        of request: Request, _ body: (Request.ValueType) async throws -> Bool
    ) async throws {
        for try await page in NetworkManager(network).pages(for: request) {
            guard try await body(page.reply.value) else { return }
        }
    }
}

/// The paths of what a shop has: lists of objects, one in each collection of its bucket.
enum ShopPath {
    /// The collection of the records.
    static let records = "records"

    static func list(_ collection: String, in bucket: String) -> RequestPath {
        "/buckets/\(bucket)/collections/\(collection)/records"
    }

    static func object(_ id: String, of collection: String, in bucket: String) -> RequestPath {
        "/buckets/\(bucket)/collections/\(collection)/records/\(id)"
    }

    static func record(_ sku: SKU, in bucket: String) -> RequestPath {
        object(sku.recordID, of: records, in: bucket)
    }
}
