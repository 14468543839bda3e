import Foundation
import RecordKit
import RecordKitStreaming
import RecordKitTesting
import TestSupport
import XCTest

/// Sessions, clients that wrap them, and fakes.
final class ClientTests: TimedTestCase {
    /// Passes requests on, and repeats one whose attempt ends with 503.
    private struct Repeating: NetworkClient {
        let inner: NetworkSession
        var session: NetworkSession? { inner }

        func reply<Request: NetworkRequest>(
            for request: Request, configure: @escaping NetworkCall.Change
        ) async throws(Request.ErrorType) -> NetworkReply<Request.ValueType> {
            do throws(Request.ErrorType) {
                return try await inner.reply(for: request, configure: configure)
            } catch {
                guard (error as? NetworkError)?.response?.statusCode == 503 else { throw error }
                return try await inner.reply(for: request, configure: configure)
            }
        }

        func open<Request: NetworkRequest>(
            _ request: Request, configure: @escaping NetworkCall.Change
        ) async throws(NetworkError) -> NetworkResponse {
            try await inner.open(request, configure: configure)
        }
    }

    /// Responds to every request with one body, without a session.
    private struct Fake: NetworkClient {
        var body = "[1,2]"

        private func response(_ request: some NetworkRequest) -> NetworkResponse {
            NetworkResponse(statusCode: 200, body: Data(body.utf8), url: URL(filePath: "/"))
        }

        func reply<Request: NetworkRequest>(
            for request: Request, configure: @escaping NetworkCall.Change
        ) async throws(Request.ErrorType) -> NetworkReply<Request.ValueType> {
            let response = response(request)
            return NetworkReply(value: try request.handleResponse(response).get(), response: response)
        }

        func open<Request: NetworkRequest>(
            _ request: Request, configure: @escaping NetworkCall.Change
        ) async throws(NetworkError) -> NetworkResponse { response(request) }
    }

    /// Has no streams.
    private struct Plain: NetworkClient {
        let inner = Fake()

        func reply<Request: NetworkRequest>(
            for request: Request, configure: @escaping NetworkCall.Change
        ) async throws(Request.ErrorType) -> NetworkReply<Request.ValueType> {
            try await inner.reply(for: request, configure: configure)
        }
    }

    private struct Numbers: PagedRequest {
        typealias ValueType = [Int]
        typealias Item = Int

        var path: RequestPath = "numbers"
    }

    // MARK: Tracking

    func testASentCallIsTrackedBeforeSendReturns() async throws {
        let stub = StubServer()
        stub.respond(to: "/ask", with: .never)
        for round in 0..<300 {
            let session = NetworkSession(stub.configuration)
            let manager = NetworkManager<Ask<String>>(session)
            let (results, continuation) = AsyncStream.makeStream(of: Result<String, NetworkError>.self)
            let handle = manager.send(Ask()) { continuation.yield($0) }
            XCTAssertEqual(session.inFlight, 1)
            switch round % 3 {
            case 0: manager.cancelAll()
            case 1: session.cancelAll()
            default: handle.cancel()
            }
            var iterator = results.makeAsyncIterator()
            guard case .failure(.cancelled) = await iterator.next() else { return XCTFail("round \(round)") }
            await until { session.inFlight == 0 }
            continuation.finish()
            let second = await iterator.next()
            XCTAssertNil(second.map { "\($0)" }, "a second completion")
        }
    }

    func testADataTaskIsTrackedBeforeItIsReturned() async throws {
        let server = try LoopbackServer(responses: [.never])
        for _ in 0..<20 {
            let session = NetworkSession(NetworkConfiguration(server.url))
            let manager = NetworkManager<Ask<String>>(session)
            let result = await withCheckedContinuation { continuation in
                manager.dataTask(for: Ask()) { continuation.resume(returning: $0) }
                XCTAssertEqual(manager.inFlight, 1)
                session.cancelAll()
            }
            guard case .failure(.cancelled) = result else { return XCTFail("\(result)") }
            XCTAssertEqual(session.inFlight, 0)
        }
    }

    func testASessionCountsAndCancelsWhatAClientAroundItSends() async throws {
        let gate = ResponseGate()
        let stub = StubServer()
        stub.respond(to: "/ask") { _ in .text("x").after(gate) }
        let session = NetworkSession(stub.configuration)
        let manager = NetworkManager<Ask<String>>(Repeating(inner: session))
        for cancel in [manager.cancelAll, session.cancelAll] {
            let call = Task { await manager.result(for: Ask()) }
            let opened = Task { () async -> NetworkError? in
                await failure { () async throws(NetworkError) in try await manager.open(Ask()) }
            }
            await until { session.inFlight == 2 }
            XCTAssertEqual(manager.inFlight, 2)
            cancel()
            guard case .failure(.cancelled) = await call.value, case .cancelled = await opened.value else {
                return XCTFail("not cancelled")
            }
            XCTAssertEqual(session.inFlight, 0)
        }
    }

    func testAClientMayRepeatWhatIsSent() async throws {
        let stub = StubServer()
        stub.respond(to: "/ask", with: .status(503), .text("x"))
        let session = NetworkSession(stub.configuration)
        let manager = NetworkManager<Ask<String>>(Repeating(inner: session))
        let result = await manager.sentResult(for: Ask())
        XCTAssertEqual(try result.get(), "x")
        await until { session.inFlight == 0 }
    }

    func testAResponseWithAStreamIsInFlightUntilItsEnd() async throws {
        let stub = StubServer()
        stub.respond(to: "/ask", with: .stream([.chunk("a"), .hold]))
        let manager = NetworkManager<Ask<NetworkResponse>>(stub.configuration)
        let response = await withCheckedContinuation { continuation in
            manager.send(Ask(), configure: { $0.delivery = .streamed }) { continuation.resume(returning: $0) }
        }
        let stream = try XCTUnwrap(response.get().stream)
        XCTAssertEqual(manager.inFlight, 1)
        stream.cancel()
        XCTAssertEqual(manager.inFlight, 0)
    }

    // MARK: Changes

    func testAChangeThatThrowsEndsTheCallBeforeItIsSent() async throws {
        struct Closed: Error {}
        let stub = StubServer()
        let spy = EventSpy()
        var configuration = stub.configuration
        configuration.observers = [spy]
        let manager = NetworkManager<Ask<String>>(configuration)
        let refusal = NetworkError.interceptor(
            NetworkError.InterceptorFailure(interceptor: "Till", reason: "it is closed", cause: Closed()))
        let error = await failure { () async throws(NetworkError) in
            try await manager.value(for: Ask()) { _ throws(NetworkError) in throw refusal }
        }
        XCTAssertTrue(error?.cause is Closed)
        let line = await failure { () async throws(NetworkError) in
            try await manager.lines(for: Ask()) { _ throws(NetworkError) in throw refusal }.first()
        }
        XCTAssertTrue(line?.cause is Closed)
        XCTAssertEqual(stub.requests.count, 0)
        XCTAssertEqual(spy.count(of: .read), 2)
        XCTAssertEqual(manager.inFlight, 0)
    }

    func testAnInterceptorThatGoesOnAfterTheEndBeginsNoAttempt() async throws {
        struct Holding: NetworkInterceptor {
            let holds = ResponseGate()
            let goesOn = ResponseGate()
            let isOver = ResponseGate()

            func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
                defer { isOver.open() }
                holds.open()
                // Waits in a task of its own, which isn't cancelled.
                await Task { [goesOn] in try? await goesOn.wait() }.value
                return try await next(call)
            }
        }
        let (holding, spy) = (Holding(), EventSpy())
        let network = NetworkSession(CannedTransport(), [holding], observers: [spy])
        let call = Task { await network.result(for: Ask<Data>(baseURL: "https://store.example")) }
        try await holding.holds.wait()
        call.cancel()
        guard case .failure(.cancelled) = await call.value else { return XCTFail("the call must be cancelled") }
        holding.goesOn.open()
        try await holding.isOver.wait()
        XCTAssertEqual(spy.count(of: .read), 1)
        XCTAssertEqual(spy.count(of: .attempt), 0)
    }

    // MARK: Fakes

    func testAFakeWithOneMethod() async throws {
        let network = Plain()
        assertEqual(try await network.value(for: Ask<String>()), "[1,2]")
        let result = await NetworkManager(network).result(for: Ask<String>())
        XCTAssertEqual(try result.get(), "[1,2]")
        assertEqual(try await NetworkManager(network).items(for: Numbers()).collect(), [1, 2])
        let (results, continuation) = AsyncStream.makeStream(of: String?.self)
        NetworkManager<Ask<String>>(network).send(Ask()) { continuation.yield(try? $0.get()) }
        XCTAssertNil(NetworkManager<Ask<String>>(network).dataTask(for: Ask()) { continuation.yield(try? $0.get()) })
        assertEqual(await results.prefix(2).reduce(into: []) { $0.append($1) }, ["[1,2]", "[1,2]"])
        let error = await failure { () async throws(NetworkError) in
            try await NetworkManager(network).lines(for: Ask<String>()).first()
        }
        guard case .invalidRequest(let failure) = error else { return XCTFail("\(String(describing: error))") }
        XCTAssertTrue(failure.reason.contains("Plain can't stream"), failure.reason)
    }

    func testAFakeWithTwoMethods() async throws {
        let network = Fake()
        assertEqual(try await NetworkManager(network).lines(for: Ask<String>()).collect(), ["[1,2]"])
        assertEqual(try await NetworkManager(network).elements(for: Numbers()).collect(), [1, 2])
        assertEqual(try await NetworkManager(network).bytes(for: Ask<String>()).collect(), [Data("[1,2]".utf8)])
        let folder = try TemporaryFolder()
        let target = folder.url.appending(path: "file")
        let file = try await NetworkManager(network).download(Ask<String>(), to: target)
        XCTAssertEqual(file.size, 5)
        let events = try await NetworkManager(Fake(body: "data: a\n\n"))
            .events(for: Ask<String>(), reconnect: .never).collect()
        XCTAssertEqual(events.map(\.data), ["a"])
    }

    func testASentCallOfAFakeIsCancelled() async throws {
        struct Slow: NetworkClient {
            func reply<Request: NetworkRequest>(
                for request: Request, configure: @escaping NetworkCall.Change
            ) async throws(Request.ErrorType) -> NetworkReply<Request.ValueType> {
                try? await Task.sleep(for: .seconds(3600))
                return NetworkReply(value: try request.handleError(.cancelled).get())
            }
        }
        let manager = NetworkManager<Ask<String>>(Slow())
        let result = await withCheckedContinuation { continuation in
            manager.send(Ask()) { continuation.resume(returning: $0) }
            XCTAssertEqual(manager.inFlight, 1)
            manager.cancelAll()
        }
        guard case .failure(.cancelled) = result else { return XCTFail("\(result)") }
        XCTAssertEqual(manager.inFlight, 0)
    }

    // MARK: Endpoints and environments

    func testAnEndpointOfAnyValue() async throws {
        let stub = StubServer(environment: NetworkEnvironment(try XCTUnwrap(URL(string: "https://api.example/v1"))))
        stub.respond(to: "/**", with: .text("fine"))
        let network = NetworkSession(stub.configuration)
        try await network.value(for: .delete("7"))
        assertEqual(try await network.value(for: Endpoint<String, NetworkError>(path: "note")), "fine")
        XCTAssertEqual(
            stub.requests.map(\.description), ["DELETE https://api.example/v1/7", "GET https://api.example/v1/note"])
    }
}

extension NetworkRequest where Self == Endpoint<Void, NetworkError> {
    fileprivate static func delete(_ id: String) -> Self { Endpoint(.delete, path: "\(id)") }
}
