import RecordKit

extension RecordService {
    /// Requests whose answer says no more than that it was done.
    enum Nothing: InventoryEndpoint {
        typealias ValueType = Void

        /// Fails with a conflict when the record is not of that version.
        case delete(SKU, Version)

        var path: RequestPath {
            switch self {
            case .delete(let sku, _): "records/\(sku.recordID)"
            }
        }

        var method: HTTPMethod { .delete }

        var headers: HTTPHeaders {
            switch self {
            case .delete(_, let version): .ifUnchanged(since: version)
            }
        }
    }
}
