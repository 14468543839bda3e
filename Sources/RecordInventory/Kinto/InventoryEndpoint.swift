import Foundation
import RecordKit
import RecordKitInterceptors

/// The requests of the tool, which share their error.
protocol InventoryEndpoint: NetworkRequest where ErrorType == InventoryError {}

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
