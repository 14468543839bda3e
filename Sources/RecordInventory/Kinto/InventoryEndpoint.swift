import Foundation
import RecordKit
import RecordKitStreaming
import RecordKitInterceptors

/// The requests of the tool, which share their error.
protocol InventoryEndpoint: NetworkRequest where ErrorType == InventoryError {}

extension NetworkResponse {
    /// Reads the member `data`, in which Kinto wraps what it returns.
    func data<Value: JSONReadable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONObject(json: JSONReader.read(Array(body))).value("data")
    }
}

/// The request for a page of objects of one collection. Fails if one of them cannot be read.
struct ObjectList<Value: JSONReadable & Sendable>: InventoryEndpoint, PagedRequest {
    typealias ValueType = Page

    struct Page: Sendable {
        let values: [Value]
        let next: RequestQuery?
        /// The version of the list.
        let version: Int64?
    }

    let path: RequestPath
    let query: RequestQuery

    func handleResponse(_ response: NetworkResponse) -> Result<Page, InventoryError> {
        accept(response) { response in
            Page(
                values: try response.data(), next: response.nextQuery,
                version: response.headers["ETag"].flatMap { Int64($0.trimmed { !$0.isNumber }) })
        }
    }

    func items(of page: Page) -> [Value] { page.values }

    func next(after page: NetworkReply<Page>) -> NextPage<Self>? {
        page.value.next.map { .request(ObjectList(path: path, query: $0)) }
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
