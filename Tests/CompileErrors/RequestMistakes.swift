// The mistakes that are likeliest in a request, each with the errors that the compiler reports. Scripts/compile-errors
// compares them.

import Foundation
import RecordKit

struct Item: Codable {
    var sku: String
}

struct HeadersOfADictionary: NetworkRequest {
    typealias ValueType = Item

    var path: RequestPath { "items" }
    let headers: [String: String] = ["X-Key": "1"]
}

struct MethodOfAString: NetworkRequest {
    typealias ValueType = Item

    var path: RequestPath { "items" }
    var method: String { "POST" }
}

struct QueryOfADictionary: NetworkRequest {
    typealias ValueType = Item

    var path: RequestPath { "items" }
    var query: [String: String] { ["page": "1"] }
}

struct BaseURLOfAURL: NetworkRequest {
    typealias ValueType = Item

    let baseURL: URL
    var path: RequestPath { "items" }
}

struct BodyThatCannotBeSent: NetworkRequest {
    typealias ValueType = Item

    var path: RequestPath { "items" }
    var method: HTTPMethod { .post }
    let body: Item
}

struct DecoderOfAnotherType: NetworkRequest {
    typealias ValueType = Item

    var path: RequestPath { "items" }
    var decoder: String { "JSON" }
}

struct HandlerOfAnyError: NetworkRequest {
    typealias ValueType = Item

    var path: RequestPath { "items" }
    func handleError(_ error: any Error) -> Result<Item, NetworkError> { .failure(.cancelled) }
}

struct HandlerOfAnotherValue: NetworkRequest {
    typealias ValueType = Item

    var path: RequestPath { "items" }
    func handleResponse(_ response: NetworkResponse) -> Result<String, NetworkError> { .success("") }
}

struct NoValueType: NetworkRequest {
    var path: RequestPath { "items" }
}

struct NoPath: NetworkRequest {
    typealias ValueType = Item
}

struct PathOfAString: NetworkRequest {
    typealias ValueType = Item

    var path: String { "items" }
}

struct OwnError: Error {}

struct ErrorThatCannotBeCreated: NetworkRequest {
    typealias ValueType = Item
    typealias ErrorType = OwnError

    var path: RequestPath { "items" }
}

struct EncoderOfAnotherType: NetworkRequest {
    typealias ValueType = Item

    var path: RequestPath { "items" }
    var encoder: String { "JSON" }
}

struct Unreadable {}

struct ValueThatCannotBeRead: NetworkRequest {
    typealias ValueType = Unreadable

    var path: RequestPath { "items" }
}

struct DateInAPath: NetworkRequest {
    typealias ValueType = Item

    let day: Date
    let number: Int?
    var path: RequestPath { "days/\(day)/\(number)" }
}

func environmentOfAString(_ base: String) {
    _ = NetworkSession(base)
    _ = NetworkSession("https://store.example", interceptors: [])
    _ = NetworkConfiguration(environment: base, headers: [:])
}

struct Codec: NetworkDecoder {
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value { fatalError() }
}

func codecsAsClosures(_ configuration: inout NetworkConfiguration) {
    _ = NetworkConfiguration(decoder: { Codec() })
    _ = NetworkConfiguration(encoder: JSONEncoder(), decoder: Codec())
    _ = Endpoint<Item, NetworkError>(path: "items", decoder: { Codec() })
    configuration.decoder = Codec()
}

struct Body: Encodable {
    var sku: String
}

func bodyThatIsNotWrapped(_ body: Body) {
    _ = Endpoint<Item, NetworkError>(.post, path: "items", body: body)
    _ = Endpoint<Item, NetworkError>(.post, path: "items", body: JSONBody(body))
    _ = Endpoint<Item, NetworkError>(.post, path: "items", body: ["sku": body.sku])
}
