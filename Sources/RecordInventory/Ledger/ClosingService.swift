import RecordKit

/// The requests for the closes of the tills, and for the floats. The environment is the server.
enum ClosingService {
    /// Creates an object, in `closings` or in `cash`. Refused with a conflict if it exists. Nothing is ever changed there.
    struct Creation: InventoryEndpoint {
        typealias ValueType = Void

        let id: String
        let data: JSONValue
        let collection: String
        let bucket: String

        var path: RequestPath { ShopPath.object(id, of: collection, in: bucket) }
        var method: HTTPMethod { .put }
        var headers: HTTPHeaders { .ifNew }
        var body: (any NetworkEncodable)? { JSONValue.wrapped(data) }

        /// Returns `unanswered` if the object may have been created.
        func handleError(_ error: NetworkError) -> Result<ValueType, InventoryError> {
            switch error {
            case .connection, .timedOut, .cancelled, .badResponse, .tooLarge:
                .failure(error.mayHaveReachedServer ? .unanswered(error, nil) : InventoryError(error))
            case .status(let response) where response.statusCode >= 500: .failure(.unanswered(error, nil))
            default: .failure(InventoryError(error))
            }
        }
    }

    /// Reads one object.
    struct One<Value: JSONReadable & Sendable>: InventoryEndpoint {
        typealias ValueType = Value

        let id: String
        let collection: String
        let bucket: String

        var path: RequestPath { ShopPath.object(id, of: collection, in: bucket) }

        func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
            accept(response) { try $0.data() }
        }
    }
}
