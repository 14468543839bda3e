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
    var body: (any NetworkEncodable)? { Wrapped(data: [String: String]()) }

    /// One that is there already is as good as one that was made.
    func handleError(_ error: NetworkError) -> Result<ValueType, InventoryError> {
        let error = InventoryError(error)
        if case .conflict = error { return .success(()) }
        return .failure(error)
    }
}
