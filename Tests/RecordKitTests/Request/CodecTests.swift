import RecordKit
import RecordKitStreaming
import RecordKitTesting
import TestSupport
import XCTest

/// The codec of a request, or else of the configuration, or else Foundation's.
final class CodecTests: TimedTestCase {
    /// Reads and writes keys in snake case.
    private var snake: NetworkConfiguration {
        var configuration = NetworkConfiguration(transport)
        configuration.encoder = .snake
        configuration.decoder = .snake
        return configuration
    }

    private let transport = CannedTransport { call throws(NetworkError) in
        let item = #"{"sku_of_shop":"a"}"#
        let path = call.url.path
        return NetworkResponse(
            statusCode: path == "/refused" ? 409 : 200,
            headers: ["Content-Type": path == "/events" ? "text/event-stream" : "application/json"],
            body: Data((path == "/items" ? "[\(item)]" : path == "/events" ? "data: \(item)\n\n" : item).utf8),
            url: call.url)
    }

    private func sent(_ index: Int = 0) -> String? {
        guard transport.calls.count > index, case .data(let data) = transport.calls[index].body?.content else {
            return nil
        }
        return String(decoding: data, as: UTF8.self)
    }

    func testTheCodecOfTheConfigurationIsThatOfRequestsWithoutOne() async throws {
        let network = NetworkSession(snake)
        let item = Sold(skuOfShop: "a")
        assertEqual(try await network.value(for: Plain(item)), item)
        assertEqual(try await NetworkManager(network).value(for: Plain(item)), item)
        assertEqual(try await network.value(for: Logged(request: Plain(item))), item)
        let endpoint = Endpoint<Sold, NetworkError>(.post, path: "item", body: JSONBody(item))
        assertEqual(try await network.value(for: endpoint), item)
        assertEqual(try await network.value(for: Logged(request: endpoint)), item)
        for index in 0..<5 { XCTAssertEqual(sent(index), #"{"sku_of_shop":"a"}"#) }
        assertEqual(try await network.value(for: Endpoint<Sold?, NetworkError>(path: "item")), item)
        assertEqual(try await network.elements(for: Endpoint<[Sold], NetworkError>(path: "items")).collect(), [item])
        let event = try await network.events(for: Endpoint<Data, NetworkError>(path: "events")).first()
        XCTAssertEqual(try event?.value(as: Sold.self), item)
        let tenant = network.at("https://tenant.example")
        assertEqual(try await tenant.value(for: Plain(item)), item)
    }

    func testWithoutOneFoundationsIsUsed() async throws {
        let network = NetworkSession(NetworkConfiguration(transport))
        guard case .decoding? = await network.failure(of: Plain(Sold(skuOfShop: "a"))) else { return XCTFail() }
        XCTAssertEqual(sent(), #"{"skuOfShop":"a"}"#)
    }

    /// Each way in which a request may declare a codec.
    func testTheRequestsOwnCodecWins() async throws {
        let network = NetworkSession(snake)
        func check(_ request: some NetworkRequest, line: UInt = #line) async {
            guard case .decoding? = await network.failure(of: request) as? NetworkError else {
                return XCTFail("its decoder wasn't used", line: line)
            }
            XCTAssertEqual(sent(transport.calls.count - 1), #"{"skuOfShop":"a"}"#, line: line)
        }
        await check(OfConcreteType())
        await check(OfAnyType())
        await check(OfOptionalType())
        await check(OfSendableType(encoder: JSONEncoder(), decoder: JSONDecoder()))
        let endpoint = Endpoint<Sold, NetworkError>(
            .post, path: "item", body: Sold(skuOfShop: "a"), encoder: JSONEncoder(), decoder: JSONDecoder())
        await check(endpoint)
        await check(Logged(request: endpoint))
        await check(Logged(request: OfConcreteType()))
    }

    func testErrorsAreReadWithIt() async throws {
        let network = NetworkSession(snake)
        assertEqual(await network.failure(of: Endpoint<Data, Refusal>(path: "refused"))?.item, Sold(skuOfShop: "a"))
        let later = await network.failure(of: Endpoint<Data, NetworkError>(path: "refused"))
        XCTAssertEqual(try later?.response?.value(as: Sold.self), Sold(skuOfShop: "a"))
        // An interceptor's own response, and one whose type is refused.
        var configuration = snake
        configuration.interceptors = [Answering()]
        let own = await NetworkSession(configuration).failure(of: Endpoint<Data, Refusal>(path: "refused"))
        XCTAssertEqual(own?.item, Sold(skuOfShop: "b"))
        let made = NetworkResponse(
            statusCode: 200, body: Data(#"{"sku_of_shop":"a"}"#.utf8), url: try XCTUnwrap(URL(string: "https://a.test"))
        )
        XCTAssertNil(made.decoder)
        XCTAssertThrowsError(try made.value(as: Sold.self))
    }

    func testAcceptIsThatOfTheDecoder() throws {
        var configuration = snake
        let request = Endpoint<Sold, NetworkError>(baseURL: "https://a.test", path: "item")
        XCTAssertEqual(try request.call(in: configuration).headers["Accept"], "application/json, */*;q=0.5")
        configuration.decoder = Binary()
        XCTAssertEqual(try request.call(in: configuration).headers["Accept"], "application/octet-stream, */*;q=0.5")
    }

    func testAStubServerEncodesByTheSameRule() async throws {
        let stub = StubServer(encoder: .snake, decoder: .snake)
        let item = Sold(skuOfShop: "a")
        try stub.respond(to: Plain(item), with: item)
        assertEqual(try await NetworkSession(stub.configuration).value(for: Plain(item)), item)
        XCTAssertEqual(stub.requests.first?.text, #"{"sku_of_shop":"a"}"#)
    }
}

private struct Sold: Codable, NetworkEncodable, Equatable, Sendable { var skuOfShop: String }

private protocol Selling: NetworkRequest where ValueType == Sold, ErrorType == NetworkError {}

extension Selling {
    var path: RequestPath { "item" }
    var method: HTTPMethod { .post }
    var body: (any NetworkEncodable)? { Sold(skuOfShop: "a") }
}

private struct Plain: Selling {
    let body: Sold

    init(_ body: Sold) { self.body = body }
}

private struct OfConcreteType: Selling {
    let encoder = JSONEncoder()
    var decoder: JSONDecoder { JSONDecoder() }
}

private struct OfAnyType: Selling {
    var encoder: any NetworkEncoder { JSONEncoder() }
    var decoder: any NetworkDecoder { JSONDecoder() }
}

private struct OfOptionalType: Selling {
    var encoder: (any NetworkEncoder)? { JSONEncoder() }
    var decoder: (any NetworkDecoder)? { JSONDecoder() }
}

private struct OfSendableType: Selling {
    let encoder: (any NetworkEncoder & Sendable)?
    let decoder: (any NetworkDecoder & Sendable)?
}

/// Passes on all members of another request.
private struct Logged<Request: NetworkRequest>: NetworkRequest {
    typealias ValueType = Request.ValueType
    typealias ErrorType = Request.ErrorType

    let request: Request

    var baseURL: String { request.baseURL }
    var path: RequestPath { request.path }
    var method: HTTPMethod { request.method }
    var query: RequestQuery { request.query }
    var headers: HTTPHeaders { request.headers }
    var body: (any NetworkEncodable)? { request.body }
    var options: RequestOptions { request.options }
    var encoder: (any NetworkEncoder)? { request.encoder }
    var decoder: (any NetworkDecoder)? { request.decoder }

    func handleResponse(_ response: NetworkResponse) -> ResultType { request.handleResponse(response) }
    func handleError(_ error: NetworkError) -> ResultType { request.handleError(error) }
}

private struct Refusal: NetworkFailure {
    let item: Sold?

    init(_ error: NetworkError) { item = try? error.response?.value() }
}

private struct Answering: NetworkInterceptor {
    func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        NetworkResponse(statusCode: 409, body: Data(#"{"sku_of_shop":"b"}"#.utf8), url: call.url)
    }
}

private struct Binary: NetworkDecoder {
    var contentType: String { "application/octet-stream" }

    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        throw CocoaError(.coderReadCorrupt)
    }
}

extension NetworkEncoder where Self == JSONEncoder {
    fileprivate static var snake: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return encoder
    }
}

extension NetworkDecoder where Self == JSONDecoder {
    fileprivate static var snake: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }
}
