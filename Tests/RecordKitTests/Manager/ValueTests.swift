import RecordKit
import RecordKitTesting
import Synchronization
import TestSupport
import XCTest

final class ValueTests: TimedTestCase {
    func testAValueComesOverTheWire() async throws {
        let server = try LoopbackServer(responses: [.json(#"{"sku": "LP/42", "quantity": 3}"#)])
        let manager = NetworkManager<Shop.One>(NetworkConfiguration(server.url.appending(path: "v1")))

        let item = try await manager.value(for: .fetch(sku: "LP/42"))

        XCTAssertEqual(item, Item(sku: "LP/42", quantity: 3))
        let request = try XCTUnwrap(server.requests.first)
        XCTAssertEqual(request.method, .get)
        XCTAssertEqual(request.target, "/v1/items/LP%2F42")
        XCTAssertEqual(request.header("Accept"), "application/json, */*;q=0.5")
        XCTAssertNotNil(request.header("Accept-Language"))
        XCTAssertEqual(request.header("User-Agent")?.contains("RecordKit/"), true)
    }

    func testABodyAndItsTypeAreSent() async throws {
        let server = try LoopbackServer { request in .status(201, body: request.body) }
        let manager = NetworkManager<Shop.One>(NetworkConfiguration(server.url))

        let item = try await manager.value(for: .create(Item(sku: "a", quantity: 1)))

        XCTAssertEqual(item, Item(sku: "a", quantity: 1))
        XCTAssertEqual(server.requests.first?.method, .post)
        XCTAssertEqual(server.requests.first?.header("Content-Type"), "application/json")
    }

    func testTheStatusIsReadBeforeTheBody() async throws {
        let server = try LoopbackServer(responses: [.json(#"{"sku": "a", "quantity": 1}"#, status: 404)])
        let manager = NetworkManager<Shop.One>(NetworkConfiguration(server.url))

        let error = await failure { () async throws(ShopError) in try await manager.value(for: .fetch(sku: "a")) }

        guard case .notFound = error else { return XCTFail("\(String(describing: error))") }
    }

    func testAnErrorBodyThatIsNoJSONStillGivesItsStatus() async throws {
        let server = try LoopbackServer(responses: [.text("<html>oops", status: 500)])
        let manager = NetworkManager<Shop.One>(NetworkConfiguration(server.url))

        let error = await failure { () async throws(ShopError) in try await manager.value(for: .fetch(sku: "a")) }

        let response = error?.network?.response
        XCTAssertEqual(response?.statusCode, 500)
        XCTAssertEqual(response.map { String(decoding: $0.body, as: UTF8.self) }, "<html>oops")
    }

    func testAnEmptyBodySuitsVoid() async throws {
        let server = try LoopbackServer(responses: [.status(204)])

        try await NetworkSession(NetworkConfiguration(server.url)).value(for: Shop.Nothing.delete(sku: "a"))

        XCTAssertEqual(server.requests.first?.method, .delete)
    }

    func testARequestThatCannotBeBuiltSendsNothing() async throws {
        let stub = StubServer()

        let error = await failure { () async throws(ShopError) in
            try await NetworkSession(stub.configuration).value(for: Shop.One.broken)
        }

        guard case .invalidRequest(let invalid) = error?.network else { return XCTFail("\(String(describing: error))") }
        XCTAssertEqual(invalid.request, "Shop.One.broken")
        XCTAssertEqual(invalid.member, .path)
        XCTAssertTrue(stub.requests.isEmpty)
    }

    func testTheRequestsHeadersWinOverTheConfigurationsOverTheDefaults() async throws {
        let stub = StubServer()
        stub.respond(to: "/ask", with: .status(200))
        var configuration = stub.configuration
        configuration.headers = ["accept": "text/csv", "X-Shop": "1", "User-Agent": "till"]
        let request = Ask<String>(headers: ["x-shop": "2"], content: nil)

        _ = try await NetworkSession(configuration).value(for: request)

        let headers = try XCTUnwrap(stub.requests.first).headers
        XCTAssertEqual(headers["Accept"], "text/csv")
        XCTAssertEqual(headers.values(for: "X-Shop"), ["2"])
        XCTAssertEqual(headers["User-Agent"], "till")
    }

    func testInterceptorsRunInOrderOutermostFirst() async throws {
        struct Tag: NetworkInterceptor {
            let name: String

            func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
                var call = call
                call.headers.add("X-Tag", name)
                var response = try await next(call)
                response.headers.add("X-Tag", name)
                return response
            }
        }
        let stub = StubServer()
        stub.respond(to: "/ask", with: .status(200))
        var configuration = stub.configuration
        configuration.interceptors = [Tag(name: "outer"), Tag(name: "inner")]

        let response = try await NetworkSession(configuration).value(for: Ask<NetworkResponse>())

        XCTAssertEqual(stub.requests.first?.headers.values(for: "X-Tag"), ["outer", "inner"])
        XCTAssertEqual(response.headers.values(for: "X-Tag"), ["inner", "outer"])
    }

    func testTheCallOfARequestHasWhatItsConfigurationAdds() throws {
        let book = Mutex<[NetworkEvent.Kind]>([])
        struct Observer: NetworkObserver {
            let report: @Sendable (NetworkEvent.Kind) -> Void
            func observe(_ event: NetworkEvent, of call: NetworkCall) { report(event.kind) }
        }
        let network = NetworkSession(
            NetworkConfiguration(
                environment: "https://store.example", headers: ["X-Till": "4"],
                options: RequestOptions(timeout: .seconds(7)),
                observers: [Observer { kind in book.withLock { $0.append(kind) } }]))

        let call = try network.call(for: Shop.One.fetch(sku: "a"))

        XCTAssertEqual(call.url.absoluteString, "https://store.example/items/a")
        XCTAssertEqual(call.headers["X-Till"], "4")
        XCTAssertEqual(call.timeout, .seconds(7))
        // No event began that an observer would wait for.
        XCTAssertTrue(book.withLock { $0 }.isEmpty)
    }
}
