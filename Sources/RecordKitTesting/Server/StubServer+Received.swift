public import RecordKit

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
