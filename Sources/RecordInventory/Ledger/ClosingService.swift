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

        var path: RequestPath { "buckets/\(bucket)/collections/\(collection)/records/\(id)" }
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
    struct One<Value: Decodable & Sendable>: InventoryEndpoint {
        typealias ValueType = Value

        let id: String
        let collection: String
        let bucket: String

        var path: RequestPath { "buckets/\(bucket)/collections/\(collection)/records/\(id)" }

        func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
            accept(response) { try $0.value(as: Wrapped<Value>.self, using: decoder).data }
        }
    }

    /// Lists the objects of a till by their numbers, so that one that is created meanwhile comes last.
    struct Many<Value: Decodable & Sendable>: InventoryEndpoint {
        typealias ValueType = (values: [Value], next: RecordPage.Token?)

        let till: String
        let collection: String
        let bucket: String
        var next: RecordPage.Token?

        var path: RequestPath { "buckets/\(bucket)/collections/\(collection)/records" }

        var query: RequestQuery {
            if let next { return next.query }
            var query = RequestQuery()
            query.add("till", JSONValue.string(till).text())
            query.add("_sort", "number")
            // A close may have half a megabyte.
            query.add("_limit", 20)
            return query
        }

        func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
            accept(response) { response in
                let values = try response.value(as: Wrapped<[Value]>.self, using: decoder).data
                return (values, response.headers["Next-Page"].flatMap { RecordPage.Token(url: $0) })
            }
        }
    }
}
