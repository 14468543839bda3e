import Foundation
import RecordKit
import RecordKitStreaming
import RecordKitInterceptors

/// The requests of the tool, which share their error.
protocol InventoryEndpoint: NetworkRequest where ErrorType == InventoryError {}

/// The requests for the records of a shop: an enum for each kind of response. Their environment is the collection.
enum RecordService {}

/// The object with the member `data` in which Kinto wraps each record.
struct Wrapped<Data: Decodable & Sendable>: Decodable, Sendable {
    let data: Data
}

/// JSON text as the body of a request.
struct JSONText: NetworkEncodable {
    private let data: Data

    init(_ bytes: [UInt8]) {
        data = Data(bytes)
    }

    func encoded(using encoder: any NetworkEncoder) -> EncodedBody {
        EncodedBody(data, contentType: "application/json")
    }
}

extension JSONValue: NetworkEncodable {
    /// Encodes the JSON text without `encoder`, in a third of the time.
    func encoded(using encoder: any NetworkEncoder) -> EncodedBody {
        JSONText(JSONWriter.bytes(self)).encoded(using: encoder)
    }

    /// Wraps a value for a request to Kinto.
    static func wrapped(_ data: JSONValue) -> JSONValue {
        ["data": data]
    }
}

extension RecordService {
    /// Requests whose response is one record.
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
    /// The request for the currency of the first record.
    struct Currencies: InventoryEndpoint {
        typealias ValueType = String?

        let filter: RecordFilter

        var path: RequestPath { "records" }
        var query: RequestQuery { filter.query }

        func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
            accept(response) { try $0.value(as: Wrapped<[Priced]>.self, using: decoder).data.first?.price?.currency }
        }

        private struct Priced: Decodable {
            let price: Price?

            private enum Name: String, CodingKey { case price }

            struct Price: Decodable {
                let currency: String?
            }

            init(from decoder: any Decoder) throws {
                price = try? decoder.container(keyedBy: Name.self).decode(Price.self, forKey: .price)
            }
        }
    }
}

extension RecordService {
    /// The request for the number of objects in a collection, or `nil` if the server does not say it.
    struct Count: InventoryEndpoint {
        typealias ValueType = Int?

        var path: RequestPath { "records" }
        var method: HTTPMethod { .head }

        func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
            accept(response) { $0.headers["Total-Objects"].flatMap { Int($0) } }
        }
    }
}

extension RecordService {
    /// The request for a page of ids, in order.
    struct IDs: InventoryEndpoint {
        typealias ValueType = [String]

        /// The last id of the page before.
        let last: String?

        static let pageSize = 5_000

        var path: RequestPath { "records" }

        var query: RequestQuery {
            var query: RequestQuery = ["_fields": "id", "_sort": "id", "_limit": "\(Self.pageSize)"]
            query.add("gt_id", last.map { "\"\($0)\"" })
            return query
        }

        func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
            accept(response) { try $0.value(as: Wrapped<[Identified]>.self, using: decoder).data.map(\.id) }
        }

        private struct Identified: Decodable {
            let id: String
        }
    }
}

extension RecordService {
    /// Requests whose response is a page of records.
    enum Many: InventoryEndpoint, PagedRequest {
        typealias ValueType = RecordPage

        /// The first page of the matching records, ordered by id.
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

        func items(of page: RecordPage) -> [StoredRecord] { page.records }

        func next(after page: NetworkReply<RecordPage>) -> NextPage<Self>? {
            page.value.next.map { .request(.next($0)) }
        }
    }
}
