import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

final class RetryTests: TimedTestCase {
    private let clock = ManualClock(advancesItself: true)

    private func attempts(
        _ turn: CannedTransport.Turn, _ ask: Ask<Data> = Ask(), retry: RetryInterceptor = RetryInterceptor()
    ) async -> Int {
        let transport = CannedTransport(turn)
        _ = await NetworkSession(NetworkConfiguration(transport, [retry], clock: clock)).outcome(of: ask)
        return transport.calls.count
    }

    func testTransientFailuresAreTriedThreeTimes() async {
        for status in [408, 425, 429, 500, 502, 503, 504] {
            assertEqual(await attempts(.answer(status)), 3, "\(status)")
        }
        for error in [NetworkError.lost, .refused, .connection(kind: .notConnected, reached: false)] {
            assertEqual(await attempts(.fail(error)), 3, "\(error)")
        }
        let timeout = NetworkError.Timeout(limit: .attempt, after: .seconds(1), host: "h")
        assertEqual(await attempts(.fail(.timedOut(timeout))), 3)
    }

    func testAnAPIMayChooseTheResponsesToRetry() async {
        let retry = RetryInterceptor(isTransient: { $0.statusCode == 403 && $0.headers.contains("Retry-After") })
        for (turn, expected) in [
            (.answer(403, ["Retry-After": "1"]), 3), (.answer(403), 1), (.answer(503), 1), (.fail(.lost), 3),
        ] as [(CannedTransport.Turn, Int)] {
            assertEqual(await attempts(turn, retry: retry), expected, "\(turn)")
        }
    }

    func testPermanentFailuresAreNotTriedAgain() async {
        for status in [200, 204, 301, 400, 401, 403, 404, 409, 412, 501, 505] {
            assertEqual(await attempts(.answer(status)), 1, "\(status)")
        }
        let deadline = NetworkError.timedOut(NetworkError.Timeout(limit: .deadline, after: .seconds(1), host: "h"))
        for error in [
            .cancelled, deadline, .badResponse(NetworkError.BadResponse(host: "h", cause: nil)),
            .tooLarge(NetworkError.TooLarge(limit: 1, host: "h")),
            NetworkError.connection(kind: .tls(.expired), reached: false),
        ] { assertEqual(await attempts(.fail(error)), 1, "\(error)") }
    }

    func testABodyThatCouldNotBeReadInTimeIsNotReadAgain() async {
        let (stream, writer) = AsyncStream.makeStream(of: Data.self)
        let request = Ask<Data>(
            baseURL: "https://store.example", method: .put, content: StreamBody(stream),
            options: RequestOptions(timeout: .milliseconds(1)))
        let network = NetworkSession(transport: CannedTransport(), interceptors: [RetryInterceptor()])
        guard case .failure(.timedOut) = await network.outcome(of: request) else {
            return XCTFail("the error must say what happened first")
        }
        withExtendedLifetime(writer) {}
    }

    func testTheErrorCountsWhatEarlierAttemptsReached() async {
        func reached(_ first: CannedTransport.Turn, _ last: NetworkError) async -> Bool? {
            let transport = CannedTransport(first, .fail(last))
            let outcome = await NetworkSession(NetworkConfiguration(transport, [RetryInterceptor()], clock: clock))
                .outcome(of: Ask())
            guard case .failure(let error) = outcome else { return nil }
            return error.mayHaveReachedServer
        }
        let unsent = [
            NetworkError.refused,
            .timedOut(
                NetworkError.Timeout(limit: .attempt, after: .seconds(1), host: "h", mayHaveReachedServer: false)),
            .invalidRequest(NetworkError.InvalidRequest(member: .body, reason: "")),
        ]
        for error in unsent {
            for first in [CannedTransport.Turn.fail(.lost), .answer(503)] {
                assertEqual(await reached(first, error), true, "\(first), \(error)")
            }
            assertEqual(await reached(.fail(.refused), error), false, "\(error)")
        }
    }

    func testTheLastOutcomeIsGivenBack() async throws {
        let transport = CannedTransport(.fail(.lost), .answer(500), .answer(503, body: "third"), .answer(200))
        let outcome = await NetworkSession(NetworkConfiguration(transport, [RetryInterceptor()], clock: clock)).outcome(
            of: Ask())
        let response = try outcome.get()
        XCTAssertEqual(response.statusCode, 503)
        XCTAssertEqual(response.body, Data("third".utf8))
        XCTAssertEqual(transport.calls.map(\.attempt), [1, 2, 3])
    }

    func testOnlyWhatIsSafeIsSentTwice() async {
        for method in [HTTPMethod.get, .head, .put, .delete, "OPTIONS", "QUERY"] {
            assertEqual(await attempts(.answer(503), Ask(method: method)), 3, "\(method)")
        }
        for method in [HTTPMethod.post, .patch, "PURGE"] {
            for turn in [CannedTransport.Turn.answer(503), .fail(.lost)] {
                assertEqual(await attempts(turn, Ask(method: method)), 1, "\(method)")
            }
            assertEqual(await attempts(.fail(.refused), Ask(method: method)), 3, "\(method)")
            let keyed = await attempts(.answer(503), Ask(method: method, headers: ["idempotency-key": "k"]))
            XCTAssertEqual(keyed, 3, "\(method)")
        }
    }

    func testARequestHasTheLastWord() async {
        let always = await attempts(.answer(503), Ask(method: .post, options: RequestOptions { $0.retry = .always }))
        let never = await attempts(.answer(503), Ask(options: RequestOptions { $0.retry = .never }))
        XCTAssertEqual([always, never], [3, 1])
    }

    /// A server that refuses with a time has not executed the request.
    func testARefusedPostIsSentAgainIfTheRequestSaysSo() async {
        let options = RequestOptions { $0.retry = .whenRefused }
        let later: HTTPHeaders = ["Retry-After": "1"]
        let cases: [(CannedTransport.Turn, HTTPMethod, attempts: Int)] = [
            (.answer(429, later), .post, 3), (.answer(503, later), .patch, 3), (.answer(503), .post, 1),
            (.answer(500, later), .post, 1), (.answer(504, later), .post, 1), (.fail(.lost), .post, 1),
            (.fail(.refused), .post, 3), (.answer(503), .get, 3),
            (.fail(.status(NetworkResponse(statusCode: 429, headers: later, url: URL(filePath: "/")))), .post, 3),
        ]
        for (turn, method, expected) in cases {
            assertEqual(await attempts(turn, Ask(method: method, options: options)), expected, "\(method) \(turn)")
        }
    }

    func testAKeyIsMadeOnceForACallAndOnlyWhereItIsWanted() async {
        let retry = RetryInterceptor(idempotencyKey: RetryInterceptor.randomKey)
        let transport = CannedTransport(.answer(503))
        let network = NetworkConfiguration(transport, [retry], clock: clock)
        _ = await NetworkSession(network).status(of: Ask(method: .post))
        _ = await NetworkSession(network).status(of: Ask(method: .patch))
        _ = await NetworkSession(network).status(of: Ask(method: .post, headers: ["Idempotency-Key": "own"]))
        _ = await NetworkSession(network).status(of: Ask(method: .put))

        let keys = transport.calls.map { $0.headers["Idempotency-Key"] }
        XCTAssertEqual(keys.count, 12)
        XCTAssertEqual(keys[0]?.count, 32)
        XCTAssertEqual(Set(keys[0..<3]).count, 1)
        XCTAssertEqual(Set(keys[3..<6]).count, 1)
        XCTAssertNotEqual(keys[0], keys[3])
        XCTAssertEqual(Set(keys[6..<9]), ["own"])
        XCTAssertEqual(Set(keys[9..<12]), [nil])

        let quoted = CannedTransport()
        _ = await NetworkSession(quoted, [RetryInterceptor(idempotencyKey: RetryInterceptor.quotedRandomKey)])
            .status(of: Ask(method: .post))
        XCTAssertNotNil(quoted.calls.first?.headers["Idempotency-Key"]?.wholeMatch(of: /"[0-9a-f]{32}"/))
    }

    func testAKeyOfNilIsNone() async {
        let transport = CannedTransport(.answer(503))
        let network = NetworkConfiguration(transport, [RetryInterceptor(idempotencyKey: { _ in nil })], clock: clock)
        _ = await NetworkSession(network).status(of: Ask(method: .post))
        XCTAssertEqual(transport.calls.map { $0.headers.contains("Idempotency-Key") }, [false])
    }

    func testAnEmptyKeyOfTheRequestsOwnIsNone() async {
        let ask = Ask<Data>(method: .post, headers: ["Idempotency-Key": ""])
        assertEqual(await attempts(.answer(503), ask), 1)
        let transport = CannedTransport(.answer(503))
        let network = NetworkConfiguration(
            transport, [RetryInterceptor(idempotencyKey: RetryInterceptor.randomKey)], clock: clock)
        _ = await NetworkSession(network).status(of: ask)
        XCTAssertEqual(transport.calls.map { $0.headers["Idempotency-Key"]?.count }, [32, 32, 32])
    }

    func testAKeyIsTheSameInEveryAttempt() async {
        let tokens = TokenSource(store: MemoryTokenStore(TokenSet("old"))) { _ in TokenSet("new") }
        let transport = CannedTransport(.answer(503), .answer(401), .answer(200))
        let network = NetworkConfiguration(
            transport,
            [
                AuthorizationInterceptor(tokens, for: "https://store.example"),
                RetryInterceptor(idempotencyKey: RetryInterceptor.randomKey),
            ],
            clock: clock)
        assertEqual(await NetworkSession(network).status(of: Ask(method: .post)), 200)
        XCTAssertEqual(transport.calls.count, 3)
        XCTAssertEqual(Set(transport.calls.map { $0.headers["Idempotency-Key"] }).count, 1)
    }

    func testABodyThatCannotBeSentAgainIsSentOnce() async {
        let transport = CannedTransport(.fail(.lost))
        let network = NetworkSession(NetworkConfiguration(transport, [RetryInterceptor()], clock: clock))
        let error = await network.failure(of: Ask<Data>(method: .put, content: OnceBody()))
        XCTAssertEqual(transport.calls.count, 1)
        XCTAssertEqual(error?.isTransient, true)
    }

    func testABodyIsTheSameOnEachAttempt() async {
        let transport = CannedTransport(.answer(503), .fail(.lost), .answer(200))
        let network = NetworkConfiguration(transport, [RetryInterceptor()], clock: clock)
        assertEqual(await NetworkSession(network).status(of: Ask(method: .put, content: "stock")), 200)
        for call in transport.calls {
            guard case .data(let data)? = call.body?.content else { return XCTFail("no body") }
            XCTAssertEqual(data, Data("stock".utf8))
        }
    }

    func testAStreamedCallIsRetriedUntilItStreams() async throws {
        let transport = CannedTransport(.answer(503), .fail(.lost), .answer(200, body: "head"))
        let url = try XCTUnwrap(URL(string: "https://store.example/"))
        let call = NetworkCall(url: url, delivery: .streamed, clock: clock.networkClock)
        let response = try await RetryInterceptor().intercept(call) { call async throws(NetworkError) in
            try await transport.exchange(call)
        }
        XCTAssertEqual(response.statusCode, 200)
        XCTAssertEqual(transport.calls.map(\.delivery), [.streamed, .streamed, .streamed])
    }

    // MARK: After an interceptor that gave up

    /// Sends the call, and fails with a transient error during the call or after it.
    private struct GivingUp: NetworkInterceptor {
        let isSent: ResponseGate
        let waits: Bool
        let error: NetworkError

        func intercept(_ call: NetworkCall, next: @escaping NetworkCall.Next) async throws(NetworkError)
            -> NetworkResponse
        {
            if waits {
                _ = try await next(call)
            } else {
                Task { try? await next(call) }
                do { try await isSent.wait() } catch { throw .cancelled }
            }
            throw error
        }
    }

    private let busy = NetworkError.status(NetworkResponse(statusCode: 503, url: URL(filePath: "/")))

    private func error(_ error: NetworkError, waits: Bool) async -> (NetworkError?, sent: Int) {
        let (isSent, gate) = (ResponseGate(), ResponseGate())
        let transport = CannedTransport { call throws(NetworkError) in
            isSent.open()
            if !waits { do { try await gate.wait() } catch { throw .cancelled } }
            return NetworkResponse(statusCode: 200, url: call.url)
        }
        let network = NetworkConfiguration(
            transport,
            [
                RetryInterceptor(backoff: Backoff(shortestWait: .zero)),
                GivingUp(isSent: isSent, waits: waits, error: error),
            ],
            clock: ManualClock(advancesItself: true))
        let outcome = await NetworkSession(network).outcome(of: Ask(method: .post))
        gate.open()
        guard case .failure(let error) = outcome else { return (nil, transport.calls.count) }
        return (error, transport.calls.count)
    }

    func testAPostThatIsUnderWayIsNotSentAgain() async {
        let failure = NetworkError.InterceptorFailure(interceptor: "GivingUp", reason: "it takes too long", cause: busy)
        let (error, sent) = await error(.interceptor(failure), waits: false)
        XCTAssertEqual(sent, 1)
        XCTAssertEqual(error?.mayHaveReachedServer, true)
    }

    func testAPostThatIsOverIsNotSentAgainForAnErrorOfAnotherCallThatWasNot() async {
        let signIn = TokenSource { [busy] _ in throw busy }
        let other = NetworkConfiguration(
            CannedTransport(), [AuthorizationInterceptor(signIn, for: "https://store.example")], clock: ManualClock())
        guard case .failure(let foreign) = await NetworkSession(other).outcome(of: Ask(method: .post)) else {
            return XCTFail("signed in")
        }
        XCTAssertFalse(foreign.mayHaveReachedServer)
        let refused = NetworkError.ConnectionFailure(kind: .refused, host: "log.example", mayHaveReachedServer: false)
        for foreign in [foreign, .connection(refused)] {
            let (error, sent) = await error(foreign, waits: true)
            XCTAssertEqual(sent, 1)
            XCTAssertEqual(error?.mayHaveReachedServer, true)
        }
    }
}
