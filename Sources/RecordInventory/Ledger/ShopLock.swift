import RecordKit

/// The record that every batch writes first. The environment is the server.
///
/// Kinto 26.5.0 compares `If-Match` and writes in two steps, and other requests come in between. But a batch is one
/// transaction, and PostgreSQL lets no other transaction write a record before the first is committed. So each batch
/// waits for the one before, and compares with its result.
struct ShopLock: InventoryEndpoint {
    /// Whether the lock was written. It was not if another program wrote it at the same moment.
    typealias ValueType = Bool

    let bucket: String
    let isLedgerComplete: Bool

    static func path(in bucket: String) -> RequestPath {
        ShopPath.object(Ledger.lockID, of: Ledger.lockCollection, in: bucket)
    }

    /// Returns the request for a batch.
    static func json(in bucket: String, isComplete: Bool) -> JSONValue {
        .batched(.put, path(in: bucket), body: .wrapped(.object(Ledger.lockData(isComplete: isComplete))))
    }

    var path: RequestPath { Self.path(in: bucket) }
    var method: HTTPMethod { .put }
    var body: (any NetworkEncodable)? {
        JSONValue.wrapped(.object(Ledger.lockData(isComplete: isLedgerComplete)))
    }

    func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
        accept(response) { _ in true }
    }

    func handleError(_ error: NetworkError) -> Result<ValueType, InventoryError> {
        let error = InventoryError(error)
        if case .conflict = error { return .success(false) }
        return .failure(error)
    }
}

/// Reads the lock, or the anchor of the ledger, to find out whether the account may write there. The environment is the
/// server.
struct AccessLook: InventoryEndpoint {
    typealias ValueType = State

    struct State: Sendable {
        /// Whether the object was found. A shop without one may be missing itself.
        var exists = false
        /// Whether the account is known to be allowed to write the object. It is once it has written it.
        var isWritable = false
        /// Whether each record has its movements. An older version of the tool writes the lock without this.
        var isLedgerComplete = false
    }

    let path: RequestPath

    func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
        accept(response) { response in
            let object = try JSONObject(json: JSONReader.read(Array(response.body)))
            // Kinto shows permissions only to accounts that have one.
            return State(
                exists: true, isWritable: object.value(at: "permissions.write")?.array?.isEmpty == false,
                isLedgerComplete: object.value(at: "data.ledger") == 1)
        }
    }

    func handleError(_ error: NetworkError) -> Result<ValueType, InventoryError> {
        let error = InventoryError(error)
        switch error {
        case .notFound, .noShop, .notAllowed: return .success(State())
        default: return .failure(error)
        }
    }
}
