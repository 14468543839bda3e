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
