import RecordKitJSON
import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitStreaming

/// The requests of the tool, which share their error. Their environment is the server.
protocol InventoryEndpoint: NetworkRequest where ErrorType == InventoryError {}

extension InventoryEndpoint where ValueType: KintoReadable {
    func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
        accept(response) { try ValueType(KintoResponse($0)) }
    }
}

/// Reads an object, or what else the type of the value says.
struct Get<Value: KintoReadable>: InventoryEndpoint {
    typealias ValueType = Value

    let path: RequestPath
}

/// Reads a list, page by page.
struct List<Page: KintoPage>: InventoryEndpoint, PagedRequest {
    typealias ValueType = Page

    let path: RequestPath
    let query: RequestQuery

    func items(of page: Page) -> [Page.Item] { page.items }

    func next(after page: NetworkReply<Page>) -> NextPage<Self>? {
        page.value.next.map { .request(List(path: path, query: $0)) }
    }
}

/// Reads the number of objects in a list, or `nil` if the server does not say it.
struct Count: InventoryEndpoint {
    typealias ValueType = Int?

    let path: RequestPath

    var method: HTTPMethod { .head }

    func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
        accept(response) { $0.headers["Total-Objects"].flatMap { Int($0) } }
    }
}

/// Writes an object: with `PUT` the whole, with `PATCH` some members.
struct Write: InventoryEndpoint {
    typealias ValueType = Void

    let path: RequestPath
    let data: JSONValue
    var method = HTTPMethod.put
    /// The condition, such as `.ifNew`.
    var headers: HTTPHeaders = [:]
    /// Whether a lost response is reported as ``InventoryError/unanswered(_:)``.
    var asksIfLost = false

    var body: (any NetworkEncodable)? { JSONValue.wrapped(data) }

    func handleError(_ error: NetworkError) -> Result<Void, InventoryError> {
        .failure(asksIfLost && error.mayHaveChanged ? .unanswered(error) : InventoryError(error))
    }
}

/// Sends several requests at once. The value is their responses, in order.
struct Batch: InventoryEndpoint {
    typealias ValueType = BatchResults

    let requests: [BatchRequest]
    /// Whether the batch changes nothing but the lock, so that it may be repeated.
    var isRead = false

    var path: RequestPath { ShopPath.batch }
    var method: HTTPMethod { .post }
    /// Asks for responses without the objects that were just sent (RFC 7240). Kinto sends them anyway.
    var headers: HTTPHeaders { isRead ? [:] : ["Prefer": "return=minimal"] }
    var options: RequestOptions { isRead ? RequestOptions { $0.retry = .always } : RequestOptions() }

    var body: (any NetworkEncodable)? { BatchRequest.body(requests) }

    func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
        accept(response) { try BatchResults($0, count: requests.count) }
    }
}

/// A request within a batch, as JSON text: that takes a fifth of the memory of the value.
struct BatchRequest: Sendable {
    private let json: [UInt8]

    init(_ method: HTTPMethod, _ path: RequestPath, _ headers: HTTPHeaders = [:], body: JSONValue? = nil) {
        self.init(method, path.encodedForBatch, headers, body?.bytes())
    }

    /// - Parameter object: The object to store.
    init(_ method: HTTPMethod, _ path: RequestPath, _ headers: HTTPHeaders, storing object: some Encodable) {
        var body = JSONText()
        body.raw(#"{"data":"#)
        body.raw((try? JSONWriter().encode(object)) ?? Data())
        body.raw("}")
        self.init(method, path.encodedForBatch, headers, body.bytes)
    }

    /// Creates the request that reads what another one reads.
    init(_ request: some InventoryEndpoint) {
        let path = request.path.encodedForBatch
        let query: RequestQuery = request.query
        let encoded = query.encoded
        self.init(.get, (path.hasPrefix("/") ? "" : "/") + path + (encoded.isEmpty ? "" : "?" + encoded), [:], nil)
    }

    private init(_ method: HTTPMethod, _ path: String, _ headers: HTTPHeaders, _ body: [UInt8]?) {
        var writer = JSONText()
        writer.raw(#"{"method":"#)
        writer.write(method.rawValue)
        writer.raw(#","path":"#)
        writer.write(path)
        if let body {
            writer.raw(#","body":"#)
            writer.raw(body)
        }
        if !headers.isEmpty {
            let fields = headers.map { JSONObject.Member(name: $0.name, value: .string($0.value)) }
            writer.raw(#","headers":"#)
            writer.write(.object(JSONObject(fields)))
        }
        writer.raw("}")
        json = writer.bytes
    }

    static func body(_ requests: [BatchRequest]) -> some NetworkEncodable {
        var writer = JSONText()
        writer.raw(#"{"requests":["#)
        writer.list(requests) { $1.raw($0.json) }
        writer.raw("]}")
        return JSONBytes(data: Data(writer.bytes))
    }
}

/// JSON text as the body of a request.
private struct JSONBytes: NetworkEncodable {
    let data: Data

    func encoded(using encoder: any NetworkEncoder) -> EncodedBody {
        EncodedBody(data, contentType: "application/json")
    }
}

extension JSONValue {
    /// Wraps a value for a request to Kinto.
    static func wrapped(_ data: JSONValue) -> JSONValue {
        ["data": data]
    }
}
