import RecordKit

/// The requests that create a shop: its bucket and the collections in it. The environment is the server.
enum ShopService: InventoryEndpoint {
    typealias ValueType = Void

    case makeBucket(String)
    case makeRecords(in: String)
    case makeLocks(in: String)
    case makeMovements(in: String)
    /// Creates the object that is later than every movement.
    case makeAnchor(in: String)
    /// Checks that the account may write movements.
    case touchAnchor(in: String)

    var path: RequestPath {
        switch self {
        case .makeBucket(let bucket): "buckets/\(bucket)"
        case .makeRecords(let bucket): "buckets/\(bucket)/collections/records"
        case .makeLocks(let bucket): "buckets/\(bucket)/collections/\(Ledger.lockCollection)"
        case .makeMovements(let bucket): "buckets/\(bucket)/collections/\(Ledger.collection)"
        case .makeAnchor(let bucket), .touchAnchor(let bucket):
            ShopPath.object(Ledger.anchorID, of: Ledger.collection, in: bucket)
        }
    }

    var method: HTTPMethod { .put }
    var headers: HTTPHeaders { if case .touchAnchor = self { [:] } else { .ifNew } }

    var body: (any NetworkEncodable)? {
        if case .makeAnchor = self { return JSONValue.wrapped(["last_modified": .integer(Ledger.anchorVersion)]) }
        return JSONValue.wrapped([:])
    }

    /// Succeeds if the object exists already. In another account's bucket, the account may still be allowed to create
    /// the collection of the records, or to write a lock where it may not create one. A later request reports it if
    /// not.
    func handleError(_ error: NetworkError) -> Result<ValueType, InventoryError> {
        let error = InventoryError(error)
        return switch (error, self) {
        case (.conflict, _), (.noShop, .makeBucket), (.noShop, .makeLocks): .success(())
        default: .failure(error)
        }
    }
}

/// The request for the settings of a server.
struct ServerService: InventoryEndpoint {
    typealias ValueType = ServerSettings

    /// The root of Kinto, which ends with a slash.
    var path: RequestPath { "/" }

    func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
        accept(response) { response in
            let settings: JSONObject = try JSONObject(json: JSONReader.read(Array(response.body))).value("settings")
            return ServerSettings(batchLimit: try settings.optional("batch_max_requests") ?? 25)
        }
    }
}

/// The request to check the file of the embedded store. The environment is the server.
struct StoreCheck: InventoryEndpoint {
    typealias ValueType = Void

    var path: RequestPath { "check" }
}

struct ServerSettings: Sendable {
    /// The maximum number of requests in a batch.
    let batchLimit: Int
}
