import Foundation
import RecordKit
import RecordKitStreaming
import RecordKitInterceptors

/// The requests of the tool, which share their error.
protocol InventoryEndpoint: NetworkRequest where ErrorType == InventoryError {}

/// The requests for the records of a shop: an enum for each kind of response. Their environment is the collection.
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
            accept(response) { try StoredRecord($0.data()) }
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
            accept(response) { try RecordPage($0) }
        }

        func items(of page: RecordPage) -> [StoredRecord] { page.records }

        func next(after page: NetworkReply<RecordPage>) -> NextPage<Self>? {
            page.value.next.map { .request(.next($0)) }
        }
    }
}
