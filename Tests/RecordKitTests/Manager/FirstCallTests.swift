import RecordKit
import RecordKitStreaming
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The shortest ways to make a session and to send a request.
final class FirstCallTests: TimedTestCase {
    /// A type that is no body by itself.
    private struct Draft: Codable, Sendable { var skuOfShop: String }

    private let transport = CannedTransport { call throws(NetworkError) in
        NetworkResponse(
            statusCode: 200, headers: ["Content-Type": "application/json"],
            body: Data(#"{"sku": "a", "quantity": 1}"#.utf8), url: call.url)
    }

    func testASessionIsMadeFromAStringAndTheUsualSettings() async throws {
        let session = NetworkSession(
            "https://store.example/v1", transport: transport, headers: ["X-Shop": "7"],
            options: RequestOptions(timeout: .seconds(5)))
        _ = try await session.value(for: Shop.One.fetch(sku: "a"))
        let call = try XCTUnwrap(transport.calls.first)
        XCTAssertEqual(call.url.absoluteString, "https://store.example/v1/items/a")
        XCTAssertEqual(call.headers["X-Shop"], "7")
        XCTAssertEqual(call.timeout, .seconds(5))
        XCTAssertNil(NetworkSession().configuration.environment)
        let configuration = NetworkConfiguration(environment: "https://store.example")
        XCTAssertEqual(configuration.environment, NetworkEnvironment("https://store.example"))
        let invalid: NetworkEnvironment = "store.example"
        XCTAssertNotNil(invalid.invalidReason)
    }

    /// The values are inferred from what the caller expects.
    func testTheValueOfAnEndpointIsInferred() async throws {
        let session = NetworkSession("https://store.example", transport: transport)
        let sku = "a"
        let item: Item = try await session.value(for: Endpoint(path: "items/\(sku)"))
        XCTAssertEqual(item, Item(sku: "a", quantity: 1))
        let text: String = try await session.value(for: Endpoint(path: "items/\(sku)"))
        XCTAssertTrue(text.hasPrefix("{"))
        let wrapped: Item? = try await session.value(for: Endpoint(path: "items/\(sku)"))
        XCTAssertEqual(wrapped, item)
        try await session.value(for: Endpoint(.delete, path: "items/\(sku)"))
        let reply = try await session.reply(for: Endpoint<Item, NetworkError>(path: "items"))
        XCTAssertEqual(reply.value, item)
        XCTAssertEqual(reply.response?.statusCode, 200)
        let client: any NetworkClient = session
        let other: Item = try await client.value(for: Endpoint(path: "items/b")) { $0.headers["X-Shop"] = "7" }
        XCTAssertEqual(other, item)
        XCTAssertEqual(transport.calls.last?.headers["X-Shop"], "7")
        XCTAssertEqual(transport.calls.map(\.method), [.get, .get, .get, .delete, .get, .get])
    }

    func testAReplyAndAStreamNeedNoConfigure() async throws {
        let client: any NetworkClient = NetworkSession("https://store.example", transport: transport)
        assertEqual(try await client.reply(for: Shop.One.fetch(sku: "a")).value.sku, "a")
        let response = try await client.open(Shop.One.fetch(sku: "a"))
        XCTAssertNotNil(response.stream)
        XCTAssertEqual(transport.calls.map(\.delivery), [.buffered, .streamed])
    }

    func testAnyEncodableValueIsABody() throws {
        let draft = Draft(skuOfShop: "a")
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let coded = Endpoint<Void, NetworkError>(.post, path: "items", body: JSONBody(draft), encoder: encoder)
        let call = try coded.call(in: "https://store.example")
        XCTAssertEqual(call.headers["Content-Type"], "application/json")
        guard case .data(let data) = call.body?.content else { return XCTFail("no data") }
        XCTAssertEqual(String(decoding: data, as: UTF8.self), #"{"sku_of_shop":"a"}"#)
        let list = Endpoint<Void, NetworkError>(
            .post, path: "items", body: JSONBody([draft]), encoder: PropertyListEncoder())
        XCTAssertEqual(try list.call(in: "https://store.example").headers["Content-Type"], "application/x-plist")
    }

    // MARK: Tenants

    func testATenantsCallsAreThoseOfTheSession() async throws {
        let gate = ResponseGate()
        let transport = CannedTransport { call throws(NetworkError) in
            do { try await gate.wait() } catch { throw .cancelled }
            return NetworkResponse(statusCode: 200, url: call.url)
        }
        let session = NetworkSession("https://store.example", transport: transport)
        let tenant = session.at("https://seven.example/shops/7")
        let items = NetworkManager<Ask<String>>(tenant)
        let calls = [
            Task { await items.result(for: Ask()) },
            Task { await session.result(for: Ask<String>()) },
            Task { await tenant.result(for: Ask<String>(baseURL: "https://other.example")) },
        ]
        await until { session.inFlight == 3 && tenant.inFlight == 3 && transport.calls.count == 3 }
        XCTAssertEqual(items.inFlight, 1)
        XCTAssertEqual(
            Set(transport.calls.map(\.url.absoluteString)),
            ["https://seven.example/shops/7/ask", "https://store.example/ask", "https://other.example/ask"])
        XCTAssertEqual(Set(transport.calls.map(\.sessionID)).count, 1)
        session.cancelAll()
        for call in calls {
            guard case .failure(.cancelled) = await call.value else { return XCTFail("not cancelled") }
        }
        XCTAssertEqual(session.inFlight, 0)
    }

    func testADataTaskOfATenantIsSentToIt() async throws {
        let counted = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { _ in
            counted.wait()
            return .text("x")
        }
        let session = NetworkSession(NetworkConfiguration(server.url))
        let tenant = session.at(NetworkEnvironment(server.url).appending("shops/\("7/8")"))
        let result = await withCheckedContinuation { continuation in
            NetworkManager<Ask<String>>(tenant).dataTask(for: Ask()) { continuation.resume(returning: $0) }
            XCTAssertEqual(session.inFlight, 1)
            counted.signal()
        }
        XCTAssertEqual(try result.get(), "x")
        XCTAssertEqual(server.requests.map(\.target), ["/shops/7%2F8/ask"])
    }

    func testATenantSharesTheCookiesByTheirURL() async throws {
        let server = try LoopbackServer { request in
            var headers: HTTPHeaders = ["Content-Type": "text/plain"]
            if request.path == "/sign-in" { headers["Set-Cookie"] = "id=1; Path=/shops/7" }
            return .status(200, headers: headers, body: Data((request.header("Cookie") ?? "none").utf8))
        }
        var configuration = NetworkConfiguration(server.url)
        configuration.cookies = URLSessionConfiguration.ephemeral.httpCookieStorage
        let session = NetworkSession(configuration)
        _ = try await session.value(for: Ask<String>(path: "sign-in"))
        let base = NetworkEnvironment(server.url)
        let seven = try await session.at(base.appending("shops/7")).value(for: Ask<String>())
        let eight = try await session.at(base.appending("shops/8")).value(for: Ask<String>())
        XCTAssertEqual([seven, eight], ["id=1", "none"])
    }
}
