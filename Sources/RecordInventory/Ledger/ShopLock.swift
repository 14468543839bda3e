import RecordKit

/// The record that every batch writes first. The environment is the server.
///
/// Kinto 26.5.0 compares `If-Match` and writes in two steps, and other requests come in between. But a batch is one
/// transaction, and PostgreSQL lets no other transaction write a record before the first is committed. So each batch
/// waits for the one before, and compares with its result.
enum ShopLock: InventoryEndpoint {
    typealias ValueType = State

    struct State: Sendable {
        /// Whether the lock was found. A shop without one may be missing itself.
        var exists = false
        /// Whether the account is known to be allowed to write the lock.
        var isWritable = false
        /// Whether each record has its movements. An older version of the tool writes the lock without this.
        var isLedgerComplete = false
    }

    /// Reads the lock. An account that has written it once is known to be allowed to.
    case look(in: String)
    case write(in: String, isLedgerComplete: Bool)

    static func path(in bucket: String) -> RequestPath {
        "/buckets/\(bucket)/collections/\(Ledger.lockCollection)/records/\(Ledger.lockID)"
    }

    /// Returns the request for a batch.
    static func json(in bucket: String, isComplete: Bool) -> JSONValue {
        .batched(.put, path(in: bucket), body: .wrapped(.object(Ledger.lockData(isComplete: isComplete))))
    }

    var path: RequestPath {
        switch self {
        case .look(let bucket), .write(let bucket, _): Self.path(in: bucket)
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
        case .write(_, let isComplete): JSONValue.wrapped(.object(Ledger.lockData(isComplete: isComplete)))
        }
    }

    func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
        accept(response) { response in
            switch self {
            case .look:
                let lock = try response.value(as: Lock.self, using: decoder)
                return State(
                    exists: true, isWritable: lock.permissions?.write?.isEmpty == false,
                    isLedgerComplete: lock.data.ledger == 1)
            case .write(_, let isComplete): return State(exists: true, isWritable: true, isLedgerComplete: isComplete)
            }
        }
    }

    func handleError(_ error: NetworkError) -> Result<ValueType, InventoryError> {
        let error = InventoryError(error)
        return switch (error, self) {
        // Another program wrote the lock at the same moment.
        case (.notFound, .look), (.noShop, .look), (.conflict, .write): .success(State())
        default: .failure(error)
        }
    }

    /// The lock as read. Kinto shows its permissions only to accounts that have one.
    private struct Lock: Decodable {
        let permissions: Permissions?
        let data: Data

        struct Permissions: Decodable {
            let write: [String]?
        }

        struct Data: Decodable {
            let ledger: Int?
        }
    }
}
