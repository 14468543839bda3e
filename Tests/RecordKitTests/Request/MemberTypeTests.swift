import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// Members whose types aren't the defaults. The compiler rejects others; see `Tests/CompileErrors`.
final class MemberTypeTests: TimedTestCase {
    private let environment = NetworkEnvironment("https://api.example")
    private let item = Item(sku: "a", quantity: 1)

    private func sent(_ request: some NetworkRequest) throws -> String? {
        let call = try request.call(in: environment)
        guard case .data(let data) = call.body?.content else { return nil }
        return String(decoding: data, as: UTF8.self)
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
