import RecordKit
import RecordKitInterceptors

extension RecordService {
    /// Requests that a page of records answers.
    enum Many: InventoryEndpoint {
        typealias ValueType = RecordPage

        /// The first page of those that fit, in the order of the SKUs' ids.
        case list(RecordFilter)
        case next(RecordPage.Token)

        var path: RequestPath { "records" }

        var query: RequestQuery {
            switch self {
            case .list(let filter): filter.query
            case .next(let token): token.query
            }
        }

        func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
            accept(response) { try RecordPage($0, using: decoder) }
        }
    }
}
