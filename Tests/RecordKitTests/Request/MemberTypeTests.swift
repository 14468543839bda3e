import Foundation
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// Members whose types aren't the defaults. Each is sent, or refused by name.
final class MemberTypeTests: TimedTestCase {
    private let environment = NetworkEnvironment("https://api.example")
    private let item = Item(sku: "a", quantity: 1)

    private func sent(_ request: some NetworkRequest) throws -> String? {
        let call = try request.call(in: environment)
        guard case .data(let data) = call.body?.content else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    private func refusal(_ request: some NetworkRequest) -> NetworkError.InvalidRequest? {
        do {
            _ = try request.call(in: environment)
        } catch {
            if case .invalidRequest(let refusal) = error { return refusal }
        }
        return nil
    }

    func testABodyOfAConcreteTypeIsSent() throws {
        struct Create: Post { let body: FormBody }

        XCTAssertEqual(try sent(Create(body: FormBody(["sku": "a"]))), "sku=a")
    }

    func testAnOptionalBodyIsSentOrLeftOut() throws {
        struct Create: Post { var body: FormBody? }

        XCTAssertEqual(try sent(Create(body: FormBody(["sku": "a"]))), "sku=a")
        XCTAssertNil(try Create(body: nil).call(in: environment).body)
    }

    func testABodyOfAGenericTypeIsSent() throws {
        struct Create<Body: NetworkEncodable & Sendable>: Post { let body: Body }

        XCTAssertEqual(try sent(Create(body: ["sku": "a"])), #"{"sku":"a"}"#)
        XCTAssertEqual(try sent(Create(body: "text")), "text")
    }

    func testAnOpaqueBodyIsSent() throws {
        struct Create: Post {
            let sku: String
            var body: some NetworkEncodable { ["sku": sku] }
        }

        XCTAssertEqual(try sent(Create(sku: "a")), #"{"sku":"a"}"#)
    }

    func testABodyOfAnyTypeIsSent() throws {
        struct Create: Post {
            let item: Item?
            var body: (any NetworkEncodable)? { item }
        }

        XCTAssertNotNil(try sent(Create(item: item)))
        XCTAssertNil(try Create(item: nil).call(in: environment).body)
    }

    func testABodyThatCannotBeSentIsRefused() {
        struct Plain: Encodable { var sku = "a" }
        struct Stored: Post { let body = Plain() }
        struct Generic<P: Encodable & Sendable>: Post { let body: P }
        struct Computed: Post { var body: Plain { Plain() } }

        for refusal in [refusal(Stored()), refusal(Generic(body: Date.now)), refusal(Computed())] {
            XCTAssertEqual(refusal?.member, .body)
            XCTAssertEqual(refusal?.reason.contains("NetworkEncodable"), true, "\(String(describing: refusal))")
        }
    }

    func testHeadersAndAQueryOfAnotherTypeAreRefused() {
        struct Headers: Get { let headers = ["X-Key": "1"] }
        struct Query: Get { var query: [String: String] { ["page": "1"] } }
        struct Pairs: Get { let query: [(String, Int)] = [("page", 1)] }

        XCTAssertEqual(refusal(Headers())?.member, .headers)
        XCTAssertEqual(refusal(Query())?.member, .query)
        XCTAssertEqual(refusal(Pairs())?.member, .query)
        XCTAssertEqual(
            refusal(Headers())?.reason,
            "its type, Dictionary<String, String>, cannot be sent; declare it as HTTPHeaders")
    }

    func testMembersOfAnotherTypeAreRefused() {
        struct Method: Get { var method: String { "POST" } }
        struct Base: Get { let baseURL = URL(string: "https://b.example") }
        struct Options: Get { var options: RequestOptions? { nil } }
        struct Encoding: Post {
            let body = ["a": 1]
            let encoder = "JSON"
        }
        struct Decoding: NetworkRequest {
            typealias ValueType = [Int]
            let path: RequestPath = "a"
            let decoder = "JSON"
        }

        XCTAssertEqual(refusal(Method())?.member, .method)
        XCTAssertEqual(refusal(Method())?.reason, "its type, String, cannot be sent; declare it as HTTPMethod")
        XCTAssertEqual(refusal(Base())?.member, .baseURL)
        XCTAssertEqual(refusal(Options())?.member, .options)
        XCTAssertEqual(refusal(Encoding())?.member, .encoder)
        XCTAssertEqual(refusal(Decoding())?.member, .decoder)
    }

    func testCodersOfAConcreteTypeAreUsed() throws {
        struct Sold: Codable, NetworkEncodable, Equatable { var soldOn: Int }
        struct Sell: NetworkRequest {
            typealias ValueType = Sold

            var path: RequestPath { "a" }
            var method: HTTPMethod { .post }
            var body: Sold { Sold(soldOn: 1) }
            var encoder: JSONEncoder {
                let encoder = JSONEncoder()
                encoder.keyEncodingStrategy = .convertToSnakeCase
                return encoder
            }
            var decoder: JSONDecoder {
                let decoder = JSONDecoder()
                decoder.keyDecodingStrategy = .convertFromSnakeCase
                return decoder
            }
        }

        XCTAssertEqual(try sent(Sell()), #"{"sold_on":1}"#)
        let url = try Sell().call(in: environment).url
        let response = NetworkResponse(statusCode: 200, body: Data(#"{"sold_on":2}"#.utf8), url: url)
        XCTAssertEqual(try Sell().handleResponse(response).get(), Sold(soldOn: 2))
    }

    /// The names of the associated types do not collide with names that a domain would use for its own types.
    func testARequestMayHaveTypesOfTheseNames() throws {
        struct Search: Post {
            struct Body: Encodable, NetworkEncodable { var title: String }
            struct Query { var page: Int }
            struct Headers {}

            var query: RequestQuery { ["page": Query(page: 2).page] }
            var body: Body { Body(title: "Blue") }
        }

        XCTAssertEqual(try sent(Search()), #"{"title":"Blue"}"#)
        XCTAssertEqual(try Search().call(in: environment).url.query(), "page=2")
    }

    func testNothingIsSentByDefault() throws {
        struct Fetch: Get {}

        let call = try Fetch().call(in: environment)

        XCTAssertNil(call.body)
        XCTAssertEqual(call.url.absoluteString, "https://api.example/a")
    }
}

private protocol Get: NetworkRequest where ValueType == Data {}

extension Get {
    fileprivate var path: RequestPath { "a" }
}

private protocol Post: Get {}

extension Post {
    fileprivate var method: HTTPMethod { .post }
}
