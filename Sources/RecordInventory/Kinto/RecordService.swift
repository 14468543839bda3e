import Foundation
import RecordKit
import RecordKitStreaming
import RecordKitInterceptors

/// The requests of the tool, which share their error.
protocol InventoryEndpoint: NetworkRequest where ErrorType == InventoryError {}

/// The requests for the records of a shop: a type for each kind of response. Their environment is the server.
enum RecordService {}

extension NetworkResponse {
    /// Reads the member `data`, in which Kinto wraps what it returns.
    func data<Value: JSONReadable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONObject(json: JSONReader.read(Array(body))).value("data")
    }
}

/// The request for a page of objects as they are stored.
struct ObjectList: InventoryEndpoint {
    typealias ValueType = [JSONObject]

    let path: RequestPath
    let query: RequestQuery

    func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
        accept(response) { try $0.data() }
    }
}

/// A batch of requests whose responses do not matter. The environment is the server.
struct PlainBatch: InventoryEndpoint {
    typealias ValueType = Void

    let requests: [JSONValue]

    var path: RequestPath { "batch" }
    var method: HTTPMethod { .post }
    var body: (any NetworkEncodable)? { ["requests": .array(requests)] as JSONValue }
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
    /// The request for one record.
    struct One: InventoryEndpoint {
        typealias ValueType = StoredRecord

        let sku: SKU
        let bucket: String

        var path: RequestPath { ShopPath.record(sku, in: bucket) }

        func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
            accept(response) { try StoredRecord($0.data()) }
        }
    }

    /// The request for the number of objects in a collection, or `nil` if the server does not say it.
    struct Count: InventoryEndpoint {
        typealias ValueType = Int?

        let collection: String
        let bucket: String

        var path: RequestPath { ShopPath.list(collection, in: bucket) }
        var method: HTTPMethod { .head }

        func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
            accept(response) { $0.headers["Total-Objects"].flatMap { Int($0) } }
        }
    }

    /// The request for a page of records.
    struct Many: InventoryEndpoint, PagedRequest {
        typealias ValueType = RecordPage

        let query: RequestQuery
        let bucket: String

        var path: RequestPath { ShopPath.list(ShopPath.records, in: bucket) }

        func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
            accept(response) { try RecordPage($0) }
        }

        func items(of page: RecordPage) -> [StoredRecord] { page.records }

        func next(after page: NetworkReply<RecordPage>) -> NextPage<Self>? {
            page.value.next.map { .request(Many(query: $0, bucket: bucket)) }
        }
    }
}

extension NetworkResponse {
    /// The query of the next page. Takes only the query of the URL, so that credentials are never sent to another server.
    var nextQuery: RequestQuery? {
        guard let url = headers["Next-Page"], let mark = url.firstIndex(of: "?") else { return nil }
        // Kinto encodes a space as a plus sign, as in forms, and a plus sign as `%2B`.
        return RequestQuery(parsing: String(url[mark...].dropFirst()))
    }
}
