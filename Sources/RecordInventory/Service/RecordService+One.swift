import RecordKit

extension RecordService {
    /// Requests that one record answers.
    enum One: InventoryEndpoint {
        typealias ValueType = StoredRecord

        case fetch(SKU)

        var path: RequestPath {
            switch self {
            case .fetch(let sku): "records/\(sku.recordID)"
            }
        }

        func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
            accept(response) { try $0.value(as: Wrapped<StoredRecord>.self, using: decoder).data }
        }
    }
}
