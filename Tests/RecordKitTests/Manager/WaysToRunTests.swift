import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// The ways to run a whole call, other than `value(for:)`.
final class WaysToRunTests: TimedTestCase {
    private let stub = StubServer()
    private var items: NetworkManager<Shop.One> {
        var network = stub.configuration
        network.interceptors = [Signature()]
        return NetworkManager(network)
    }

    func testACompletionIsCalledOnTheQueueOfTheConfiguration() async throws {
        stub.respond(to: "/items/*") { _ in .json(#"{"sku": "a", "quantity": 1}"#) }
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "completions")
        queue.setSpecific(key: key, value: true)
        var network = stub.configuration
        network.completionQueue = queue
        let items = NetworkManager<Shop.One>(network)

        for way in ["sent", "data task"] {
            let isOnQueue = await withCheckedContinuation { continuation in
                let completion: @Sendable (Shop.One.ResultType) -> Void = { _ in
                    continuation.resume(returning: DispatchQueue.getSpecific(key: key) ?? false)
                }
                if way == "sent" {
                    items.send(.fetch(sku: "a"), completion: completion)
                } else {
                    XCTAssertNotNil(items.dataTask(for: .fetch(sku: "a"), completion: completion))
                }
            }
            XCTAssertTrue(isOnQueue, way)
        }
    }

    func testOneCallIsChangedBeforeTheInterceptorsSeeIt() async throws {
        stub.respond(to: "/items/*") { _ in .json(#"{"sku": "a", "quantity": 1}"#) }

        _ = try await items.value(for: .fetch(sku: "a")) { $0.headers["X-Signature"] = "own" }
        _ = try await items.value(for: .fetch(sku: "a"))

        XCTAssertEqual(stub.requests.map { $0.headers["X-Signature"] }, ["own, signed", "signed"])
    }

    func testAnEndpointThrowsItsOwnError() async throws {
        stub.respond(to: "/items/*") { _ in .status(404) }

        let error = await NetworkSession(stub.configuration).failure(of: .item("a"))

        guard case .notFound = error else { return XCTFail("\(String(describing: error))") }
    }

    func testAcceptFollowsTheTypeOfTheValue() throws {
        func accept(_ request: some NetworkRequest) throws -> String? {
            try request.call(in: NetworkEnvironment("https://api.example")).headers["Accept"]
        }

        XCTAssertEqual(try accept(Endpoint<Data, NetworkError>(path: "a")), "*/*")
        XCTAssertEqual(try accept(Endpoint<String, NetworkError>(path: "a")), "text/*, */*;q=0.5")
        XCTAssertEqual(try accept(Endpoint<Item, NetworkError>(path: "a")), "application/json, */*;q=0.5")
        XCTAssertEqual(try accept(Endpoint<Item?, NetworkError>(path: "a")), "application/json, */*;q=0.5")
        XCTAssertEqual(try accept(Endpoint<Rows, NetworkError>(path: "a")), "text/csv, */*;q=0.5")
        XCTAssertEqual(try accept(Endpoint<Rows?, NetworkError>(path: "a")), "text/csv, */*;q=0.5")
    }
}

private struct Rows: NetworkValue {
    static var contentType: String? { "text/csv" }

    static func read(_ response: NetworkResponse, using decoder: (any NetworkDecoder)?) -> Rows { Rows() }
}

private struct Signature: NetworkInterceptor {
    func intercept(
        _ call: NetworkCall, next: NetworkCall.Next
    ) async throws(NetworkError) -> NetworkResponse {
        var call = call
        call.headers.add("X-Signature", "signed")
        return try await next(call)
    }
}

extension NetworkRequest where Self == Endpoint<Item, ShopError> {
    fileprivate static func item(_ sku: String) -> Self { Endpoint(path: "items/\(sku)") }
}
