import Foundation
import RecordKit

/// What every request of the tool shares: how it fails.
protocol InventoryEndpoint: NetworkRequest where ErrorType == InventoryError {}

/// The requests for the records of one shop, an enum for each kind of answer. Their environment is the collection.
enum RecordService {}

/// Kinto wraps every record that it sends in an object with the one member `data`.
struct Wrapped<Data: Decodable & Sendable>: Decodable, Sendable {
    let data: Data
}

extension JSONValue: NetworkEncodable {
    /// Written as it is: a third of the time that an encoder takes, which an import of many records feels.
    func encoded(using encoder: any NetworkEncoder) -> EncodedBody {
        EncodedBody(Data(JSONWriter.bytes(self)), contentType: "application/json")
    }

    /// As Kinto wants it sent.
    static func wrapped(_ data: JSONValue) -> JSONValue {
        ["data": data]
    }
}

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
