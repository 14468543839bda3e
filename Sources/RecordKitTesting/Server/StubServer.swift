public import RecordKit
import Synchronization

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// Answers requests in the process, for managers and for URLSessions alike, from one set of stubs.
///
/// ```swift
/// let stub = StubServer()
/// try stub.answer(RecordService.One.fetch(sku: "LP-0042"), with: record)
/// stub.answer("POST /records", with: .storm(503, times: 2, then: .json("{}", status: 201)))
///
/// let records = NetworkManager<RecordService.One>(stub.configuration)
/// …
/// try stub.verify()
/// ```
///
/// Nothing is shared between servers: any number of them work at the same time, in tests that run in parallel.
///
/// It is strict. A request that no stub expects ends in an ``UnexpectedRequest``, which names the nearest stub and how
/// it differs; ``verify()`` throws for that, and for stubs that were not asked. Of several stubs that fit, the one
/// added last answers. A call follows a redirect, as through any other transport, to what another stub answers; to a
/// task of a URLSession the redirect itself is the answer.
public final class StubServer: DataTaskTransport {
    /// Where the configuration's requests go, and what request values are matched in.
    public let environment: NetworkEnvironment
    let book: StubBook
    private let clock: NetworkClock
    private let sessionStub: SessionStub
    private let ownTransport = Mutex<URLSessionTransport?>(nil)

    /// - Parameters:
    ///   - environment: give another when the app's own configuration is tested. Default: `https://stub.test`.
    ///   - clock: the time of ``configuration``, and the one by which answers to URLSessions wait.
    ///   - report: told of each request that no stub expects, where it comes in, and by ``verify()``, which then does
    ///     not throw: `{ XCTFail($0) }`, or `{ Issue.record(Comment(rawValue: $0)) }`. Of what comes through a
    ///     URLSession Swift Testing does not know the test; leave it out there.
    public init(
        environment: NetworkEnvironment = NetworkEnvironment("https://stub.test"), clock: NetworkClock = .continuous,
        report: (@Sendable (String) -> Void)? = nil
    ) {
        self.environment = environment
        self.clock = clock
        let book = StubBook(report: report)
        self.book = book
        sessionStub = SessionStub(clock: clock) { request in
            guard let request = StubRequest(request) else { throw URLError(.badURL) }
            return try book.answer(to: request)
        }
    }

    /// A configuration whose calls this server answers, without interceptors. Each has a count of its own of what is in
    /// flight.
    public var configuration: NetworkConfiguration {
        NetworkConfiguration(environment: environment, transport: self, clock: clock)
    }

    /// A configuration for URLSessions of one's own that this server answers, as long as it lives.
    public var sessionConfiguration: URLSessionConfiguration { sessionStub.sessionConfiguration }

    /// What makes the data tasks.
    public var dataTasks: URLSessionTransport {
        ownTransport.withLock { transport in
            if let transport { return transport }
            let new = URLSessionTransport(sessionConfiguration)
            transport = new
            return new
        }
    }

    public func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        if Task.isCancelled { throw .cancelled }
        let answer: StubAnswer
        do {
            answer = try book.answer(to: await StubRequest(call))
        } catch let error as NetworkError {
            throw error
        } catch let error as UnexpectedRequest {
            throw .unexpected(error, by: "StubServer")
        } catch {
            answer = .failure(error)
        }
        return try await answer.response(to: call)
    }
}

extension StubServer {
    /// The requests received so far, in order, the unexpected ones too.
    public var requests: [StubRequest] { book.journal.entries.requests }

    /// The requests received so far that fit the pattern, in order.
    public func requests(matching pattern: StubPattern) -> [StubRequest] {
        requests.filter { pattern.differences(to: $0).isEmpty }
    }

    /// The requests received so far that are this very one, in order.
    ///
    /// - Throws: `NetworkError.invalidRequest` when the request cannot be built.
    public func requests(for request: some NetworkRequest) throws(NetworkError) -> [StubRequest] {
        requests(matching: try StubPattern(request, in: environment))
    }

    /// The request with this index in ``requests``, as soon as it has arrived.
    ///
    /// - Throws: `.timedOut` if it does not come within the limit, `.cancelled` if the task is cancelled first.
    public func request(
        at index: Int, within limit: Duration = .seconds(30)
    ) async throws(WaitingError) -> StubRequest {
        try await book.journal.entries("request \(index)", within: limit) { $0.requests.indices.contains(index) }
            .requests[index]
    }

    /// Checks that every stub has given all its answers, but those that a later one took over, and that no request came
    /// that none expects.
    ///
    /// - Throws: ``UnmetStubs``; nothing when the server has a reporter, which is told instead.
    public func verify() throws(UnmetStubs) {
        try book.verify()
    }
}

/// Runs a test with a stub server, and verifies it at the end.
///
/// ```swift
/// try await withStubs { stub in
///     try stub.answer(RecordService.One.fetch(sku: "LP-0042"), with: record)
///     …
/// }
/// ```
///
/// - Parameters:
///   - environment: see ``StubServer/init(environment:clock:report:)``.
///   - clock: see there.
///   - report: see there.
///   - isolation: the actor that the test runs on; that of the caller.
///   - test: is given the server.
/// - Returns: what the test returns.
/// - Throws: what the test throws, and ``UnmetStubs``. When the test throws after a request that no stub expects, that
///   is told first, with what the test threw as its cause.
public func withStubs<Value>(
    environment: NetworkEnvironment = NetworkEnvironment("https://stub.test"), clock: NetworkClock = .continuous,
    report: (@Sendable (String) -> Void)? = nil, isolation: isolated (any Actor)? = #isolation,
    _ test: (StubServer) async throws -> Value
) async throws -> Value {
    let stub = StubServer(environment: environment, clock: clock, report: report)
    let value: Value
    do {
        value = try await test(stub)
    } catch {
        try stub.book.verifyFailure(error)
        throw error
    }
    try stub.verify()
    return value
}
