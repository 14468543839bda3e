import Foundation
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

    func testACompletionGetsAWholeCall() async throws {
        stub.respond(to: "/items/*") { _ in .json(#"{"sku": "a", "quantity": 1}"#) }

        let result = await withCheckedContinuation { continuation in
            items.send(.fetch(sku: "a")) { continuation.resume(returning: $0) }
        }

        XCTAssertEqual(try result.get(), Item(sku: "a", quantity: 1))
        XCTAssertEqual(stub.requests.first?.headers["X-Signature"], "signed")
    }

    func testACompletionIsCalledOnTheQueueOfTheConfiguration() async throws {
        stub.respond(to: "/items/*") { _ in .json(#"{"sku": "a", "quantity": 1}"#) }
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "completions")
        queue.setSpecific(key: key, value: true)
        var network = stub.configuration
        network.completionQueue = queue

        let isOnQueue = await withCheckedContinuation { continuation in
            NetworkManager<Shop.One>(network).send(.fetch(sku: "a")) { _ in
                continuation.resume(returning: DispatchQueue.getSpecific(key: key) ?? false)
            }
        }

        XCTAssertTrue(isOnQueue)
    }

    @MainActor
    func testACompletionOnTheMainActorChangesItsState() async throws {
        stub.respond(to: "/items/*") { _ in .json(#"{"sku": "a", "quantity": 1}"#) }
        let screen = Screen()

        await withCheckedContinuation { continuation in
            items.send(.fetch(sku: "a"), on: .main) { result in
                screen.item = try? result.get()
                continuation.resume()
            }
        }

        XCTAssertEqual(screen.item, Item(sku: "a", quantity: 1))
    }

    func testAHandleCancelsItsCall() async throws {
        let gate = ResponseGate()
        defer { gate.open() }
        stub.respond(to: "/plain") { _ in .status(200).after(gate) }
        let network = NetworkSession(stub.configuration)
        let (results, continuation) = AsyncStream.makeStream(of: Result<NetworkResponse, NetworkError>.self)

        let task = NetworkManager<Plain>(network).send(Plain()) { continuation.yield($0) }
        _ = try await stub.request(at: 0)
        task.cancel()

        var iterator = results.makeAsyncIterator()
        let result = await iterator.next()
        guard case .failure(let error) = result else { return XCTFail("\(String(describing: result))") }
        XCTAssertTrue(error.isCancelled, "\(error)")
        XCTAssertFalse(
            NetworkError.timedOut(NetworkError.Timeout(limit: .attempt, after: .seconds(1), host: "a.example"))
                .isCancelled)
        XCTAssertEqual(network.inFlight, 0)
    }

    func testAResultKeepsTheTypeOfItsError() async throws {
        stub.respond(to: "/items/*") { _ in .status(404) }

        let task = Task { [items] in await items.result(for: .fetch(sku: "a")) }

        let result = await task.value
        guard case .failure(.notFound) = result else { return XCTFail("\(result)") }
    }

    func testOneCallIsChangedBeforeTheInterceptorsSeeIt() async throws {
        stub.respond(to: "/items/*") { _ in .json(#"{"sku": "a", "quantity": 1}"#) }

        _ = try await items.value(for: .fetch(sku: "a")) { $0.headers["X-Signature"] = "own" }
        _ = try await items.value(for: .fetch(sku: "a"))

        XCTAssertEqual(stub.requests.map { $0.headers["X-Signature"] }, ["own, signed", "signed"])
    }

    func testAServiceTakesOneClientForAllItsRequests() async throws {
        struct Service {
            let network: any NetworkClient

            func quantity(of sku: String) async throws -> Int {
                try await network.value(for: Shop.One.fetch(sku: sku)).quantity
                    + network.value(for: Plain()).statusCode
            }
        }
        struct Fake: NetworkClient {
            func reply<Request: NetworkRequest>(
                for request: Request, configure: @escaping NetworkCall.Change
            ) async throws(Request.ErrorType) -> NetworkReply<Request.ValueType> {
                if let item = Item(sku: "a", quantity: 3) as? Request.ValueType { return NetworkReply(value: item) }
                return NetworkReply(value: try request.handleError(.cancelled).get())
            }
        }
        stub.respond(to: "/items/*") { _ in .json(#"{"sku": "a", "quantity": 2}"#) }
        stub.respond(to: "/plain") { _ in .status(200) }

        let quantity = try await Service(network: NetworkSession(stub.configuration)).quantity(of: "a")
        XCTAssertEqual(quantity, 202)
        let error = await failure { try await Service(network: Fake()).quantity(of: "a") }
        XCTAssertEqual((error as? NetworkError)?.isCancelled, true)
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
    }
}

@MainActor
private final class Screen {
    var item: Item?
}

/// A request with the default error type.
private struct Plain: NetworkRequest {
    typealias ValueType = NetworkResponse

    var path: RequestPath { "plain" }
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
