import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class DataTaskTests: TimedTestCase {
    func testADataTaskIsHandedBackStartedAndItsCompletionCalledOnce() async throws {
        let server = try LoopbackServer(responses: [.json(#"{"sku": "a", "quantity": 1}"#)])
        let manager = NetworkManager<Shop.One>(NetworkConfiguration(server.url))
        let calls = Kept(0)

        let result = await withCheckedContinuation { continuation in
            let task = manager.dataTask(for: .fetch(sku: "a")) { result in
                calls.change { $0 += 1 }
                continuation.resume(returning: result)
            }
            XCTAssertNotNil(task)
        }

        XCTAssertEqual(try result.get(), Item(sku: "a", quantity: 1))
        XCTAssertEqual(calls.now, 1)
        XCTAssertEqual(manager.inFlight, 0)
    }

    func testTheCompletionComesAlsoWhenNothingCouldBeBuilt() async throws {
        let manager = NetworkManager<Shop.One>(
            NetworkConfiguration(environment: NetworkEnvironment("https://a.example")))
        let hasReturned = Kept(false)

        let result = await withCheckedContinuation { continuation in
            let queue = DispatchQueue(label: "caller")
            queue.async {
                let configuration = NetworkConfiguration(
                    environment: NetworkEnvironment("https://a.example"), completionQueue: queue)
                let task = NetworkManager<Shop.One>(configuration).dataTask(for: .broken) { result in
                    XCTAssertTrue(hasReturned.now, "called before the task was returned")
                    continuation.resume(returning: result)
                }
                XCTAssertNil(task)
                hasReturned.set(true)
            }
        }

        guard case .failure(.network(.invalidRequest)) = result else { return XCTFail("\(result)") }
        XCTAssertEqual(manager.inFlight, 0)
    }

    func testATransportWithoutASessionSaysSo() async throws {
        let configuration = NetworkConfiguration(CannedTransport())
        let result = await NetworkManager<Shop.One>(configuration).dataTaskResult(for: .fetch(sku: "a"), begins: false)
        guard case .failure(.network(.invalidRequest(let invalid))) = result else { return XCTFail("\(result)") }
        XCTAssertTrue(invalid.description.contains("transport: it has no URLSession"), invalid.description)
    }

    private struct Signing: NetworkInterceptor {
        func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
            var call = call
            call.headers["X-Signed"] = "yes"
            return try await next(call)
        }
    }

    /// Otherwise a request that should be signed would be sent unsigned.
    func testASessionWithInterceptorsStartsNoTaskUnlessTheyAreSkipped() async throws {
        let server = try LoopbackServer(responses: [.text("x")])
        let session = NetworkSession(NetworkConfiguration(server.url, interceptors: [Signing()]))
        let own = URLSession(configuration: .ephemeral)
        for session in [session, session.at(NetworkEnvironment(server.url))] {
            for ownSession in [nil, own] {
                let manager = NetworkManager<Ask<String>>(session)
                let result = await manager.dataTaskResult(for: Ask(), in: ownSession, begins: false)
                guard case .failure(.invalidRequest(let invalid)) = result else { return XCTFail("\(result)") }
                XCTAssertEqual(invalid.member, .interceptors)
                for word in ["Signing", "`send(", "skippingInterceptors: true"] {
                    XCTAssertTrue(invalid.description.contains(word), invalid.description)
                }
            }
        }
        XCTAssertEqual(server.requests.count, 0)
        XCTAssertEqual(session.inFlight, 0)

        let result = await NetworkManager<Ask<String>>(session).dataTaskResult(for: Ask(), skippingInterceptors: true)
        XCTAssertEqual(try result.get(), "x")
        XCTAssertNil(server.requests.first?.header("X-Signed"))
    }

    func testMoreTasksThanSlotsAllEnd() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let configuration = NetworkConfiguration(server.url, transport: URLSessionTransport(exchangesPerHost: 2))
        let manager = NetworkManager<Ask<String>>(configuration)

        let texts = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<20 { group.addTask { try? await manager.dataTaskResult(for: Ask()).get() } }
            return await group.reduce(into: []) { $0.append($1) }
        }

        XCTAssertEqual(texts, Array(repeating: "x", count: 20))
        XCTAssertLessThanOrEqual(server.connectionCount, 2)
    }

    func testATaskInASessionOfTheCallersIsGuarded() async throws {
        let server = try LoopbackServer { request in
            request.path == "/ask"
                ? .status(401, headers: ["WWW-Authenticate": "Basic realm=\"shop\""], body: Data("no".utf8))
                : .text("x")
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration)
        // The transport need not have a session of its own.
        let network = NetworkConfiguration(server.url, transport: CannedTransport())
        let result = await NetworkManager<Ask<NetworkResponse>>(network).dataTaskResult(for: Ask(), in: session)
        guard case .failure(.status(let response)) = result else { return XCTFail("\(result)") }
        XCTAssertEqual(response.statusCode, 401)
        XCTAssertEqual(response.headers["WWW-Authenticate"], "Basic realm=\"shop\"")
        session.finishTasksAndInvalidate()
    }

    func testSensitiveValuesOfAResponseAreNotPrinted() async throws {
        let server = try LoopbackServer(responses: [.status(404, headers: ["X-Till": "s3cret", "X-Plain": "plain"])])
        var configuration = NetworkConfiguration(server.url)
        configuration.sensitiveNames = ["x-till"]
        for way in HostileBehavior.Way.allCases {
            let result = await HostileBehavior.run(Ask(), configuration, way)
            guard case .failure(.status(let response)) = result else { return XCTFail("\(result)") }
            XCTAssertTrue("\(response.headers)".contains("plain"))
            XCTAssertFalse("\(response.headers)".contains("s3cret"), "\(way)")
        }
    }

    func testAResponseOfAnotherTypeThanExpectedIsAnErrorInEveryWay() async throws {
        let server = try LoopbackServer(responses: [.text("a page")])
        let configuration = NetworkConfiguration(server.url, options: RequestOptions(expectedType: "application/json"))
        for way in HostileBehavior.Way.allCases {
            let result = await HostileBehavior.run(Ask(), configuration, way)
            guard case .failure(.decoding) = result else { return XCTFail("\(way): \(result)") }
        }
    }
}
