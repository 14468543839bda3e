import RecordKit

/// The requests that make a shop: its bucket and the collections in it. Their environment is the server.
enum ShopService: InventoryEndpoint {
    typealias ValueType = Void

    case makeBucket(String)
    case makeRecords(in: String)
    case makeLocks(in: String)

    var path: RequestPath {
        switch self {
        case .makeBucket(let bucket): "buckets/\(bucket)"
        case .makeRecords(let bucket): "buckets/\(bucket)/collections/records"
        case .makeLocks(let bucket): "buckets/\(bucket)/collections/\(ShopLock.collection)"
        }
    }

    var method: HTTPMethod { .put }
    var headers: HTTPHeaders { .ifNew }
    var body: (any NetworkEncodable)? { JSONValue.wrapped([:]) }

    /// One that is there already is as good as one that was made. In a bucket of somebody else the account may still be
    /// allowed to make the collection of the records, which says so if it is not; and to write a lock where it may not
    /// make one.
    func handleError(_ error: NetworkError) -> Result<ValueType, InventoryError> {
        let error = InventoryError(error)
        return switch (error, self) {
        case (.conflict, _), (.noShop, .makeBucket), (.noShop, .makeLocks): .success(())
        default: .failure(error)
        }
    }
}

/// What a server says of itself.
enum ServerService: InventoryEndpoint {
    typealias ValueType = ServerSettings

    case settings

    /// Kinto's root ends with a slash.
    var path: RequestPath { "/" }
}

struct ServerSettings: Decodable, Sendable {
    /// How many requests one batch may hold.
    let batchLimit: Int

    private enum Name: String, CodingKey {
        case settings
        case batchLimit = "batch_max_requests"
    }

    init(from decoder: any Decoder) throws {
        let settings = try decoder.container(keyedBy: Name.self).nestedContainer(keyedBy: Name.self, forKey: .settings)
        batchLimit = try settings.decodeIfPresent(Int.self, forKey: .batchLimit) ?? 25
    }
}
