import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

/// All interceptors with a thousand calls at once.
final class AllInterceptorsTests: TimedTestCase {
    private let oldToken = "planted-old-token"
    private let newToken = "planted-new-token"

    /// Rejects the old token. For every seventh URL, the first attempt fails. Responds with the path.
    private func transport() -> CannedTransport {
        let met = Kept<Set<String>>([])
        return CannedTransport { [newToken] call throws(NetworkError) in
            await Task.yield()
            if Task.isCancelled { throw .cancelled }
            if call.headers["Authorization"] != "Bearer \(newToken)" {
                return NetworkResponse(statusCode: 401, url: call.url)
            }
            let path = call.url.path()
            let isFirst = met.change { $0.insert("\(call.method) \(path)").inserted }
            if isFirst, path.hasSuffix("7") {
                return NetworkResponse(statusCode: 503, headers: ["Retry-After": "0"], url: call.url)
            }
            if isFirst, path.hasSuffix("3") { throw .lost }
            return NetworkResponse(statusCode: 200, body: Data(path.utf8), url: call.url)
        }
    }

    func testAThousandCallsAtOnceThroughAllOfThem() async {
        let refreshes = Kept(0)
        let tokens = TokenSource(store: MemoryTokenStore(TokenSet(oldToken))) { [newToken] _ in
            refreshes.change { $0 += 1 }
            return TokenSet(newToken)
        }
        let rateLimit = RateLimitInterceptor(1_000_000, per: .seconds(1))
        let (book, stories, transport) = (LogBook(), TimelineBook(), transport())
        let network = NetworkSession(
            NetworkConfiguration(
                environment: NetworkEnvironment("https://store.example"), transport: transport,
                interceptors: [
                    RetryInterceptor(
                        backoff: Backoff(base: .zero, shortestWait: .zero), budget: nil,
                        idempotencyKey: RetryInterceptor.randomKey),
                    AuthorizationInterceptor(tokens, for: "https://store.example"), SingleFlightInterceptor(),
                    rateLimit,
                    TracingInterceptor(tracing: .begun(isSampled: true)), LoggingInterceptor(to: book),
                ],
                observers: [stories.observer]))

        // A quarter of the URLs is requested twice at once. Every fifth call is a POST. Every tenth caller is
        // cancelled.
        let asks = (0..<1_000).map { number in
            Ask<String>(path: "asks/\(number % 800)", method: number % 5 == 0 ? .post : .get)
        }
        let tasks = asks.map { ask in Task { await network.text(of: ask) } }
        for number in stride(from: 0, to: tasks.count, by: 10) { tasks[number].cancel() }

        for (number, task) in tasks.enumerated() {
            switch await task.value {
            case .success(let path): XCTAssertEqual(path, "/asks/\(number % 800)")
            case .failure(let error):
                guard number % 10 == 0, case .cancelled = error else {
                    XCTFail("call \(number): \(error)")
                    continue
                }
            }
        }
        XCTAssertEqual(refreshes.now, 1)
        XCTAssertEqual(network.inFlight, 0)
        XCTAssertEqual(rateLimit.allowance(for: transport.calls[0].url).waiting, 0)
        XCTAssertLessThanOrEqual(stories.timelines.count, 1_000)
        XCTAssertGreaterThanOrEqual(stories.timelines.count, 900)
        for call in transport.calls {
            XCTAssertEqual(call.headers["X-Request-ID"]?.count, 32)
            XCTAssertEqual(call.headers.contains("Idempotency-Key"), call.method == .post)
        }
        XCTAssertEqual(Set(transport.calls.compactMap { $0.headers["traceparent"] }).count, transport.calls.count)
        // Messages of cancelled calls may be logged later.
        await until { book.messages.count >= transport.calls.count }
        // A call that is cancelled before it is sent has a timeline, too.
        XCTAssertGreaterThanOrEqual(book.messages.count, transport.calls.count)
        XCTAssertFalse(book.messages.contains { $0.contains("planted") })
        XCTAssertFalse(stories.timelines.contains { $0.description.contains("planted") })
    }

    // MARK: One refusal after another

    private func check(
        _ order: (RetryInterceptor, AuthorizationInterceptor, LoggingInterceptor) -> [any NetworkInterceptor],
        _ name: String
    ) async {
        let (book, stories, clock) = (LogBook(), TimelineBook(), ManualClock(advancesItself: true))
        let transport = CannedTransport(
            .answer(429, ["Retry-After": "2"]), .answer(503, ["Retry-After": "0"]), .answer(401), .answer(200))
        let tokens = TokenSource(store: MemoryTokenStore(TokenSet("old"))) { _ in TokenSet("new") }
        var network = NetworkConfiguration(
            transport,
            order(
                RetryInterceptor(idempotencyKey: RetryInterceptor.randomKey),
                AuthorizationInterceptor(tokens, for: "https://store.example"),
                LoggingInterceptor(to: book)), clock: clock)
        network.observers = [stories.observer]
        assertEqual(await NetworkSession(network).status(of: Ask(method: .post, content: "x")), 200, name)
        XCTAssertEqual(transport.calls.map(\.attempt), [1, 2, 3, 4], name)
        XCTAssertEqual(Set(transport.calls.map { $0.headers["Idempotency-Key"] }).count, 1, name)
        XCTAssertEqual(transport.calls.map { $0.headers["Authorization"] }.last, "Bearer new", name)
        let attempts = stories.timelines[0].events.filter { $0.kind == .attempt }
        XCTAssertEqual(attempts.map(\.attempt), [1, 2, 3, 4], name)
        XCTAssertEqual(attempts.map(\.statusCode), [429, 503, 401, 200], name)
        if book.messages.count > 1 {
            XCTAssertTrue(book.messages[3].contains("(attempt 4): 200"), "\(book.messages)")
        }
    }

    func testIsSentUntilItIsDoneInEveryOrder() async {
        await check({ [$0, $1, $2] }, "retry, sign-in, log")
        await check({ [$1, $0, $2] }, "sign-in, retry, log")
        await check({ [$2, $0, $1] }, "log, retry, sign-in")
        await check(
            { [$2, $1, $0, SingleFlightInterceptor(), RateLimitInterceptor(), TracingInterceptor()] },
            "log, sign-in, retry")
        await check({ [$0, $1, SingleFlightInterceptor(), RateLimitInterceptor(), TracingInterceptor(), $2] }, "all")
        await check(
            { [RetryInterceptor(attempts: 2, idempotencyKey: RetryInterceptor.randomKey), $0, $1, $2] }, "retry twice")
    }

    // MARK: Every wait ends with the call

    private let clock = ManualClock()

    private struct Wait {
        let name: String
        let transport: CannedTransport
        let interceptors: [any NetworkInterceptor]
        /// The number of sleepers.
        let sleepers: Int
        /// The number of calls before, whose results don't matter.
        var others = 0
        /// The number of attempts in total.
        let sent: Int
    }

    private static func waits() -> [Wait] {
        let scope: CredentialScope = "https://store.example"
        let hanging = CannedTransport { _ throws(NetworkError) in
            do { try await ResponseGate().wait() } catch {}
            throw .cancelled
        }
        let slow = TokenSource { _ in
            try await ResponseGate().wait()
            return TokenSet("")
        }
        let wait = ConnectionWait { (call) async throws(NetworkError) in try await call.sleep(for: .seconds(1 << 30)) }
        return [
            Wait(
                name: "refresh", transport: CannedTransport(),
                interceptors: [AuthorizationInterceptor(slow, for: scope)],
                sleepers: 0, sent: 0),
            Wait(
                name: "rate", transport: CannedTransport(),
                interceptors: [RateLimitInterceptor(1, per: .seconds(3000), longestWait: .seconds(3600))], sleepers: 1,
                others: 1,
                sent: 1),
            Wait(
                name: "pause", transport: CannedTransport(status: 503),
                interceptors: [RetryInterceptor(backoff: Backoff(base: .seconds(50), shortestWait: .seconds(50)))],
                sleepers: 1, sent: 1),
            Wait(name: "flight", transport: hanging, interceptors: [SingleFlightInterceptor()], sleepers: 0, sent: 1),
            Wait(
                name: "connection", transport: CannedTransport(.fail(.refused)),
                interceptors: [RetryInterceptor(connectionWait: wait)], sleepers: 1, sent: 1),
        ]
    }

    private func check(_ end: (NetworkSession) -> Void, is right: (NetworkError) -> Bool) async {
        for wait in Self.waits() {
            let retry = wait.interceptors[0] is RetryInterceptor ? [] : [RetryInterceptor() as any NetworkInterceptor]
            let interceptors = retry + wait.interceptors + [TracingInterceptor(), LoggingInterceptor(to: LogBook())]
            let network = NetworkSession(
                wait.transport, interceptors, clock: clock,
                // The clock never reaches the timeout, so only the deadline can end the call.
                options: RequestOptions(timeout: .seconds(1 << 31), deadline: .seconds(3600)))
            for _ in 0..<wait.others { _ = await network.status() }
            let call = Task { await network.outcome(of: Ask()) }
            await until { network.inFlight != 0 }
            await clock.waitForSleepers(wait.sleepers)
            await until { wait.transport.calls.count >= wait.sent }
            end(network)
            guard case .failure(let error) = await call.value, right(error) else {
                XCTFail("\(wait.name): \(await call.value)")
                continue
            }
            XCTAssertEqual(network.inFlight, 0)
            XCTAssertEqual(wait.transport.calls.count, wait.sent, wait.name)
            await until { clock.sleeperCount == 0 }
        }
    }

    func testAllThatIsCancelled() async {
        await check {
            $0.cancelAll()
        } is: {
            if case .cancelled = $0 { true } else { false }
        }
    }

    func testADeadlineThatTheClockJumpsOver() async {
        await check { _ in
            clock.advance(by: .seconds(1_000_000_000))
        } is: { error in
            if case .timedOut(let timeout) = error { timeout.limit == .deadline } else { false }
        }
    }
}

extension NetworkSession {
    fileprivate func text(of ask: Ask<String>) async -> Result<String, NetworkError> {
        do throws(NetworkError) {
            return .success(try await value(for: ask))
        } catch {
            return .failure(error)
        }
    }
}
