import Foundation
import RecordKit

/// What every request of the tool shares: how it fails.
protocol InventoryEndpoint: NetworkRequest where ErrorType == InventoryError {}

/// The requests for the records of one shop, an enum for each kind of answer. Their environment is the collection.
enum RecordService {}

/// Kinto wraps every record, sent and received, in an object with the one member `data`.
struct Wrapped<Data> {
    let data: Data
}

extension Wrapped: Encodable, NetworkEncodable where Data: Encodable {}
extension Wrapped: Decodable where Data: Decodable {}
extension Wrapped: Sendable where Data: Sendable {}
