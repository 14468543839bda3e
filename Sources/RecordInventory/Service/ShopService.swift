import RecordKit

/// The requests that make a shop: its bucket and the collection in it. Their environment is the server.
enum ShopService: InventoryEndpoint {
    typealias ValueType = Void

    case makeBucket(String)
    case makeCollection(bucket: String)

    var path: RequestPath {
        switch self {
        case .makeBucket(let bucket): "buckets/\(bucket)"
        case .makeCollection(let bucket): "buckets/\(bucket)/collections/records"
        }
    }

    var method: HTTPMethod { .put }
    var headers: HTTPHeaders { .ifNew }
    var body: (any NetworkEncodable)? { OrderedJSON.wrapped([:]) }

    /// One that is there already is as good as one that was made. In a bucket of somebody else the account may still be
    /// allowed to make the collection, which says so if it is not.
    func handleError(_ error: NetworkError) -> Result<ValueType, InventoryError> {
        let error = InventoryError(error)
        return switch (error, self) {
        case (.conflict, _), (.noShop, .makeBucket): .success(())
        default: .failure(error)
        }
    }
}
