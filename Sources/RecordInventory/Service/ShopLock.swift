import RecordKit

/// The record that every batch writes first. The environment is the server.
///
/// Kinto 26.5.0 compares `If-Match` and writes in two steps, and other requests come in between. But a batch is one
/// transaction, and PostgreSQL lets no other transaction write a record before the first is committed. So each batch
/// waits for the one before, and compares with its result.
enum ShopLock: InventoryEndpoint {
    /// Whether the account is known to be allowed to write the lock.
    typealias ValueType = Bool

    /// Reads the lock. An account that has written it once is known to be allowed to.
    case look(in: String)
    case write(in: String)

    static let collection = "locks"

    static func path(in bucket: String) -> RequestPath {
        "/buckets/\(bucket)/collections/\(collection)/records/stock"
    }

    /// Returns the request for a batch.
    static func json(in bucket: String) -> JSONValue {
        .batched(.put, path(in: bucket), body: .wrapped([:]))
    }

    var path: RequestPath {
        switch self {
        case .look(let bucket), .write(let bucket): Self.path(in: bucket)
        }
    }

    var method: HTTPMethod {
        switch self {
        case .look: .get
        case .write: .put
        }
    }

    var body: (any NetworkEncodable)? {
        switch self {
        case .look: nil
        case .write: JSONValue.wrapped([:])
        }
    }

    func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
        accept(response) { response in
            switch self {
            case .look: try response.value(as: Lock.self, using: decoder).permissions?.write?.isEmpty == false
            case .write: true
            }
        }
    }

    func handleError(_ error: NetworkError) -> Result<ValueType, InventoryError> {
        let error = InventoryError(error)
        return switch (error, self) {
        // Another program wrote the lock at the same moment.
        case (.notFound, .look), (.noShop, .look), (.conflict, .write): .success(false)
        default: .failure(error)
        }
    }

    /// The lock as read. Kinto shows its permissions only to accounts that have one.
    private struct Lock: Decodable {
        let permissions: Permissions?

        struct Permissions: Decodable {
            let write: [String]?
        }
    }
}
