import Dispatch
import Foundation
public import RecordKit
import Synchronization

/// Responds to requests in the process, for managers and for URLSessions, from one set of stubs.
///
/// ```swift
/// let stub = StubServer()
/// try stub.respond(to: RecordService.One.fetch(sku: "LP-0042"), with: record)
/// stub.respond(
///     to: "POST /records",
///     with: .status(503), .status(503), .json("{}", status: 201))
///
/// let records = NetworkManager<RecordService.One>(stub.configuration)
/// // Send the calls of the test.
/// try stub.verify()
/// ```
///
/// Servers share nothing, so any number of them can be used in tests that run in parallel.
///
/// The server is strict. A request that no stub expects fails with ``UnexpectedRequest``, which names the nearest stub
/// and how it differs. ``verify()`` throws for such requests, and for stubs that received no request. If several stubs
/// match, the one added last is used. A call follows redirects to the responses of other stubs, as with any transport.
///
/// A server is for the content of requests and responses. Tasks of a URLSession get a redirect itself as their
/// response. Their uploads from a file or with `uploadTask`, their downloads, and connections that break need a
/// ``LoopbackServer``: on Linux, FoundationNetworking doesn't support them with a stub.
public final class StubServer: NetworkTransport {
    /// The environment of the configuration. Request values are matched in it.
    public let environment: NetworkEnvironment
    let book: StubBook
    let clock: NetworkClock
    private let encoder: (any NetworkEncoder & Sendable)?
    private let decoder: (any NetworkDecoder & Sendable)?
    /// The class that leads from a task of a URLSession to this server.
    let protocolClass = StubRegistry.makeClass()
    let queue = DispatchQueue(label: "RecordKitTesting.StubServer")
    private let ownTransport = Mutex<URLSessionTransport?>(nil)

    /// Creates a server without stubs.
    ///
    /// - Parameters:
    ///   - environment: The environment. Pass another one to test the app's own configuration. Default:
    ///     `https://stub.test`.
    ///   - clock: The clock of ``configuration`` and of delayed responses. Default: the continuous clock.
    ///   - encoder: The encoder of ``configuration``, and of the values that requests without an encoder receive.
    ///     Default: `nil`, a `JSONEncoder`.
    ///   - decoder: The decoder of ``configuration``. Default: `nil`, a `JSONDecoder`.
    ///   - report: A closure that is called for each request that no stub expects, and by ``verify()``, which doesn't
    ///     throw then: `{ XCTFail($0) }`, or `{ Issue.record(Comment(rawValue: $0)) }`. Swift Testing doesn't know the
    ///     test of requests from a URLSession, so pass `nil` for them. Default: `nil`.
    public init(
        environment: NetworkEnvironment = NetworkEnvironment("https://stub.test"), clock: NetworkClock = .continuous,
        encoder: (any NetworkEncoder & Sendable)? = nil, decoder: (any NetworkDecoder & Sendable)? = nil,
        report: (@Sendable (String) -> Void)? = nil
    ) {
        self.environment = environment
        self.clock = clock
        self.encoder = encoder
        self.decoder = decoder
        book = StubBook(report: report)
        StubRegistry.add(self, protocolClass)
    }

    deinit {
        StubRegistry.remove(protocolClass)
    }

    /// A configuration whose calls this server responds to, without interceptors. Each one counts its own calls in
    /// flight.
    public var configuration: NetworkConfiguration {
        NetworkConfiguration(
            environment: environment, transport: self, encoder: encoder, decoder: decoder, clock: clock)
    }

    /// The transport that creates data tasks.
    public var traits: TransportTraits { TransportTraits(dataTasks: dataTasks) }

    private var dataTasks: URLSessionTransport {
        ownTransport.withLock { transport in
            if let transport { return transport }
            let new = URLSessionTransport(sessionConfiguration)
            transport = new
            return new
        }
    }

    /// Responds to a call.
    public func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        if Task.isCancelled { throw .cancelled }
        let response: StubResponse
        do {
            response = try book.response(to: await StubRequest(call))
        } catch let error as NetworkError {
            throw error
        } catch let error as UnexpectedRequest {
            throw .unexpected(error, by: "StubServer")
        } catch {
            response = .failure(error)
        }
        return try await response.response(to: call)
    }
}

extension StubServer {
    /// The requests received so far, in order, including unexpected ones.
    public var requests: [StubRequest] { book.journal.entries.requests }

    /// Returns the requests received so far that match a pattern, in order.
    ///
    /// - Parameter pattern: The pattern.
    public func requests(matching pattern: StubPattern) -> [StubRequest] {
        requests.filter { pattern.differences(to: $0).isEmpty }
    }

    /// Waits for a request.
    ///
    /// - Parameters:
    ///   - index: The index of the request in ``requests``.
    ///   - limit: The longest time to wait. Default: 30 seconds.
    /// - Throws: ``WaitingError/timedOut(waitingFor:limit:received:)`` when the limit is reached,
    ///   ``WaitingError/cancelled(waitingFor:)`` if the task is cancelled first.
    public func request(
        at index: Int, within limit: Duration = .seconds(30)
    ) async throws(WaitingError) -> StubRequest {
        try await book.journal.entries("request \(index)", within: limit) { $0.requests.indices.contains(index) }
            .requests[index]
    }

    /// Checks that every stub was used for all its responses, except those that a later stub replaced, and that every
    /// request was expected.
    ///
    /// - Throws: ``UnmetStubsError``. If the server has a reporter, calls the reporter instead.
    public func verify() throws(UnmetStubsError) {
        try book.verify()
    }
}

/// Runs a test with a stub server, and verifies it at the end.
///
/// ```swift
/// try await withStubs { stub in
///     try stub.respond(to: RecordService.One.fetch(sku: "a"), with: record)
///     // Send the calls of the test.
/// }
/// ```
///
/// - Parameters:
///   - environment: See ``StubServer/init(environment:clock:encoder:decoder:report:)``.
///   - clock: See ``StubServer/init(environment:clock:encoder:decoder:report:)``.
///   - encoder: See ``StubServer/init(environment:clock:encoder:decoder:report:)``.
///   - decoder: See ``StubServer/init(environment:clock:encoder:decoder:report:)``.
///   - report: See ``StubServer/init(environment:clock:encoder:decoder:report:)``.
///   - isolation: The actor that the test runs on. Default: that of the caller.
///   - test: The test. Its argument is the server.
/// - Returns: The result of the test.
/// - Throws: The error of the test, and ``UnmetStubsError``. If the test throws after an unexpected request,
///   `UnmetStubsError` is thrown with the error of the test as its cause.
public func withStubs<Value>(
    environment: NetworkEnvironment = NetworkEnvironment("https://stub.test"), clock: NetworkClock = .continuous,
    encoder: (any NetworkEncoder & Sendable)? = nil, decoder: (any NetworkDecoder & Sendable)? = nil,
    report: (@Sendable (String) -> Void)? = nil, isolation: isolated (any Actor)? = #isolation,
    _ test: (StubServer) async throws -> Value
) async throws -> Value {
    let stub = StubServer(
        environment: environment, clock: clock, encoder: encoder, decoder: decoder, report: report)
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

extension StubServer: CustomReflectable {
    /// The environment. The stubs and the requests are left out, since they contain what was sent.
    public var customMirror: Mirror { Mirror(self, children: ["environment": environment]) }
}
