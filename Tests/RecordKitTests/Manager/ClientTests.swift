import RecordKit
import RecordKitCurl
import RecordKitStreaming
import RecordKitTesting
import TestSupport
import XCTest

/// Sessions, clients that wrap them, and fakes.
final class ClientTests: TimedTestCase {
    private let stub = StubServer()

    /// Passes requests on, and repeats one whose attempt ends with 503.
    private struct Repeating: NetworkClient {
        let inner: any NetworkClient
        var session: NetworkSession? { inner.session }

        func outcome<Request>(of outgoing: OutgoingRequest<Request>) async -> NetworkOutcome<Request> {
            let outcome = await inner.outcome(of: outgoing)
            guard outcome.failure?.response?.statusCode == 503 else { return outcome }
            return await inner.outcome(of: outgoing)
        }

        func open<Request>(_ outgoing: OutgoingRequest<Request>) async -> NetworkOpening { await inner.open(outgoing) }
    }

    /// Responds to every request with one body, without a session.
    private struct Fake: NetworkClient {
        var body = "[1,2]"

        private var response: NetworkResponse {
            NetworkResponse(statusCode: 200, body: Data(body.utf8), url: URL(filePath: "/"))
        }

        func outcome<Request>(of outgoing: OutgoingRequest<Request>) async -> NetworkOutcome<Request> {
            NetworkOutcome(.success(response), of: outgoing.request)
        }

        func open<Request>(_ outgoing: OutgoingRequest<Request>) async -> NetworkOpening {
            .response(response, NetworkCall(url: response.url))
        }
    }

    /// Has no streams.
    private struct Plain: NetworkClient {
        let inner = Fake()

        func outcome<Request>(of outgoing: OutgoingRequest<Request>) async -> NetworkOutcome<Request> {
            await inner.outcome(of: outgoing)
        }
    }

    private struct Numbers: PagedRequest {
        typealias ValueType = [Int]
        typealias Item = Int

        var path: RequestPath = "numbers"
    }

    // MARK: Tracking

    func testASentCallIsTrackedBeforeSendReturns() async throws {
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
        stub.respond(to: "/ask") { _ in .text("x").after(gate) }
        let session = NetworkSession(stub.configuration)
        let manager = NetworkManager<Ask<String>>(Repeating(inner: session))
        for cancel in [manager.cancelAll, session.cancelAll] {
            let call = Task { await manager.result(for: Ask()) }
            let opened = Task { () async -> NetworkError? in
                await networkError { try await manager.open(Ask()) }
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

    func testStreamsThroughAClientAreCountedAndCancelled() async throws {
        let stub = StubServer()
        for (path, type) in [
            ("/ask", "text/plain"), ("/numbers", "application/json"), ("/events", "text/event-stream"),
        ] { stub.respond(to: "\(path)", with: StubResponse([.chunk("[1,\n"), .hold], contentType: type)) }
        let session = NetworkSession(stub.configuration)
        let manager = NetworkManager<Ask<Data>>(Repeating(inner: session))
        let folder = try TemporaryFolder()
        let numbers = NetworkManager<Numbers>(Repeating(inner: session))
        let reads: [@Sendable () async -> NetworkError?] = [
            { await networkError { try await manager.chunks(for: Ask()).collect() } },
            { await networkError { try await manager.lines(for: Ask()).collect() } },
            { await networkError { try await manager.events(for: Ask(path: "events")).collect() } },
            {
                await networkError { try await manager.download(Ask(), to: folder.url.appending(path: "file")) }
            },
            { await networkError { try await numbers.elements(for: Numbers()).collect() } },
            { await networkError { try await numbers.items(for: Numbers()).collect() } },
        ]
        for (index, read) in reads.enumerated() {
            for cancelsSession in [true, false] {
                let error = Task { await read() }
                let count = { index < 4 ? manager.inFlight : numbers.inFlight }
                await until { count() == 1 }
                XCTAssertEqual(session.inFlight, 1)
                if cancelsSession { session.cancelAll() } else { index < 4 ? manager.cancelAll() : numbers.cancelAll() }
                guard case .cancelled = await error.value else { return XCTFail("\(index)") }
                await until { session.inFlight == 0 }
            }
        }
    }

    func testACallBelongsToTheManagerThatSendsIt() async throws {
        stub.respond(to: "/ask", with: .never)
        let inner = NetworkManager<Ask<Data>>(stub.configuration)
        let outer = NetworkManager<Ask<Data>>(inner.client)
        let call = Task { await outer.result(for: Ask()) }
        await until { outer.inFlight == 1 }
        XCTAssertEqual(inner.inFlight, 0)
        outer.cancelAll()
        guard case .failure(.cancelled) = await call.value else { return XCTFail("not cancelled") }
    }

    func testAClientMayRepeatWhatIsSent() async throws {
        stub.respond(to: "/ask", with: .status(503), .text("x"))
        let session = NetworkSession(stub.configuration)
        let manager = NetworkManager<Ask<String>>(Repeating(inner: session))
        let result = await manager.sentResult(for: Ask())
        XCTAssertEqual(try result.get(), "x")
        await until { session.inFlight == 0 }
    }

    func testAResponseWithAStreamIsInFlightUntilItsEnd() async throws {
        stub.respond(to: "/ask", with: [.chunk("a"), .hold])
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
        let spy = EventSpy()
        var configuration = stub.configuration
        configuration.observers = [spy]
        let manager = NetworkManager<Ask<String>>(configuration)
        let refusal = NetworkError.interceptor(
            NetworkError.InterceptorFailure(interceptor: "Till", reason: "it is closed", cause: Closed()))
        let error = await networkError {
            try await manager.value(for: Ask()) { _ throws(NetworkError) in throw refusal }
        }
        XCTAssertTrue(error?.cause is Closed)
        let line = await networkError {
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

    // MARK: Outcomes

    /// The error of a shop, which hides what it was made of.
    private enum Refusal: NetworkFailure {
        case closed, unknown

        init(_ error: NetworkError) { self = .unknown }
    }

    /// Reads a missing number as 0, and 7 as a refusal of the API.
    private struct Number: NetworkRequest {
        typealias ValueType = Int
        typealias ErrorType = Refusal

        var path: RequestPath

        func handleResponse(_ response: NetworkResponse) -> ResultType {
            accept(response) { response in
                let number = try response.value(as: Int.self, using: decoder)
                if number == 7 { throw Refusal.closed }
                return number
            }
        }

        func handleError(_ error: NetworkError) -> ResultType {
            error.response?.statusCode == 404 ? .success(0) : .failure(Refusal(error))
        }
    }

    func testAnOutcomeHasTheFailureBehindTheResult() async throws {
        stub.respond(to: "/fine", with: .text("1"))
        stub.respond(to: "/closed", with: .text("7"))
        stub.respond(to: "/broken", with: .text("x"))
        stub.respond(to: "/missing", with: .status(404))
        stub.respond(to: "/denied", with: .status(401))
        stub.respond(to: "/offline", with: .failure(.notConnectedToInternet))
        let session = NetworkSession(stub.configuration)
        let expected: [(path: RequestPath, value: Int?, error: Refusal?, status: Int?, failure: String?)] = [
            ("fine", 1, nil, 200, nil), ("closed", nil, .closed, 200, nil),
            ("broken", nil, .unknown, 200, nil), ("missing", 0, nil, 404, "status"),
            ("denied", nil, .unknown, 401, "status"), ("offline", nil, .unknown, nil, "connection"),
            ("..", nil, .unknown, nil, "invalidRequest"),
        ]
        for client in [session, Repeating(inner: session)] as [any NetworkClient] {
            for (path, value, error, status, failure) in expected {
                let outcome = await client.outcome(of: Number(path: path))
                XCTAssertEqual(try? outcome.result.get(), value, "\(path)")
                if case .failure(let thrown) = outcome.result { XCTAssertEqual(thrown, error, "\(path)") }
                XCTAssertEqual(outcome.response?.statusCode, status, "\(path)")
                let kind = outcome.failure.flatMap { Mirror(reflecting: $0).children.first?.label }
                XCTAssertEqual(kind, failure, "\(path)")
            }
            let untyped = await client.outcome(of: Endpoint<Int, NetworkError>(path: "broken"))
            guard case .decoding? = untyped.failure else { return XCTFail("\(untyped)") }
        }
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
        let error = await networkError { try await NetworkManager(network).lines(for: Ask<String>()).first() }
        guard case .invalidRequest(let failure) = error else { return XCTFail("\(String(describing: error))") }
        XCTAssertTrue(failure.reason.contains("Plain can't stream"), failure.reason)
    }

    func testEveryClientReadsAllStreams() async throws {
        let server = try LoopbackServer { request in
            let isEvents = request.path == "/events"
            let body = isEvents ? "data: [1,2]\n\n" : "[1,2]"
            return .data(Data(body.utf8), contentType: isEvents ? "text/event-stream" : "application/json")
        }
        let sessions = [URLSessionTransport(), CurlTransport()].map { (transport: any NetworkTransport) in
            NetworkSession(NetworkEnvironment(server.url), transport: transport)
        }
        for client in sessions + sessions.map({ Repeating(inner: $0) }) + [Fake(), Repeating(inner: Fake())]
            as [any NetworkClient]
        {
            assertEqual(try await client.lines(for: Ask<String>()).collect(), ["[1,2]"])
            assertEqual(try await client.elements(for: Numbers()).collect(), [1, 2])
            assertEqual(try await client.items(for: Numbers()).collect(), [1, 2])
            assertEqual(try await client.pages(for: Numbers()).collect().map(\.items), [[1, 2]])
            assertEqual(
                try await client.chunks(for: Ask<String>()).reduce(into: Data()) { $0.append($1) }, Data("[1,2]".utf8))
            let folder = try TemporaryFolder()
            assertEqual(try await client.download(Ask<String>(), to: folder.url.appending(path: "file")).size, 5)
            let source = client.session == nil ? Fake(body: "data: [1,2]\n\n") : client
            let events = source.events(for: Ask<String>(path: "events"), reconnect: .never)
            assertEqual(try await events.collect().map(\.data), ["[1,2]"])
        }
    }

    func testASentCallOfAFakeIsCancelled() async throws {
        struct Slow: NetworkClient {
            func outcome<Request>(of outgoing: OutgoingRequest<Request>) async -> NetworkOutcome<Request> {
                try? await Task.sleep(for: .seconds(3600))
                return NetworkOutcome(.failure(.cancelled), of: outgoing.request)
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
