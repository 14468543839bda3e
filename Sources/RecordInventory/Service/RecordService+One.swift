import RecordKit

extension RecordService {
    /// Requests that one record answers.
    enum One: InventoryEndpoint {
        typealias ValueType = StoredRecord

        case fetch(SKU)
        /// Fails with a conflict when the SKU is taken.
        case create(Record)
        /// Fails with a conflict when the record is not of that version.
        case replace(Record, Version)
        /// Changes the quantity alone; fails with a conflict when the record is not of that version.
        case setQuantity(SKU, Int, Version)

        var path: RequestPath { "records/\(sku.recordID)" }

        var method: HTTPMethod {
            switch self {
            case .fetch: .get
            case .create, .replace: .put
            case .setQuantity: .patch
            }
        }

        var headers: HTTPHeaders {
            switch self {
            case .fetch: [:]
            case .create: .ifNew
            case .replace(_, let version), .setQuantity(_, _, let version): .ifUnchanged(since: version)
            }
        }

        var body: (any NetworkEncodable)? {
            switch self {
            case .fetch: nil
            case .create(let record), .replace(let record, _): OrderedJSON.wrapped(record.json)
            case .setQuantity(_, let quantity, _): OrderedJSON.wrapped(["quantity": OrderedJSON(quantity)])
            }
        }

        func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
            accept(response) { try $0.value(as: Wrapped<StoredRecord>.self, using: decoder).data }
        }

        private var sku: SKU {
            switch self {
            case .fetch(let sku), .setQuantity(let sku, _, _): sku
            case .create(let record), .replace(let record, _): record.sku
            }
        }
    }
}
