import RecordKit

/// The record that every batch of changes writes first. Its environment is the server.
///
/// Kinto 26.5.0 compares `If-Match` and writes in two steps, and other requests come in between. A batch is one
/// transaction, though, and PostgreSQL lets no other transaction write a record until the first is committed: so every
/// batch waits for the one before it, and compares with what that one has left.
enum ShopLock: InventoryEndpoint {
    /// Whether the account can be seen to be allowed to write the lock.
    typealias ValueType = Bool

    /// Writes nothing. An account that has written the lock once is seen to be allowed to.
    case look(in: String)
    case write(in: String)

    static let collection = "locks"

    static func path(in bucket: String) -> RequestPath {
        "/buckets/\(bucket)/collections/\(collection)/records/stock"
    }

    /// As a batch has it.
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
        // While it was made, somebody else made it.
        case (.notFound, .look), (.noShop, .look), (.conflict, .write): .success(false)
        default: .failure(error)
        }
    }

    /// Kinto shows the permissions to those alone who are among them.
    private struct Lock: Decodable {
        let permissions: Permissions?

        struct Permissions: Decodable {
            let write: [String]?
        }
    }
}
