import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

/// Requests that need no token, or can do without.
final class AuthorizationPolicyTests: TimedTestCase {
    private struct SignedOut: Error {}

    private struct Refused: LocalizedError, CustomStringConvertible {
        var errorDescription: String?
        var description: String { "never printed" }
    }

    private let clock = ManualClock()
    private let book = LogBook()
    private let refreshes = Kept(0)

    private func network(
        _ transport: CannedTransport, _ stored: TokenSet?,
        refresh: @escaping @Sendable (TokenSet?) throws -> TokenSet = { _ in throw SignedOut() }
    ) -> NetworkSession {
        let tokens = TokenSource(store: MemoryTokenStore(stored)) { [refreshes] ended in
            refreshes.next()
            return try refresh(ended)
        }
        return NetworkSession(
            transport, [AuthorizationInterceptor(tokens, for: "https://store.example")], clock: clock,
            observers: [LoggingInterceptor(to: book, level: .debug)])
    }

    private func ask(_ rule: AuthorizationPolicy, _ method: HTTPMethod = .get) -> Ask<Data> {
        Ask(method: method, options: RequestOptions { $0.authorization = rule })
    }

    func testAPublicCallWithoutATokenGoesOut() async {
        for rule in [AuthorizationPolicy.optional, .never] {
            let transport = CannedTransport(status: 200)
            assertEqual(await network(transport, nil).status(of: ask(rule)), 200)
            XCTAssertEqual(transport.calls.map { $0.headers["Authorization"] }, [nil])
        }
        XCTAssertEqual(refreshes.now, 0)
        let transport = CannedTransport(status: 200)
        let outcome = await network(transport, nil).outcome(of: Ask())
        XCTAssertThrowsError(try outcome.get(), "the default requires a token")
        XCTAssertEqual(transport.calls.count, 0)
    }

    func testATokenIsUsedIfItIsOptionalAndNotIfItIsNever() async {
        let transport = CannedTransport(status: 200)
        let network = network(transport, TokenSet("kept"))
        for rule in [AuthorizationPolicy.optional, .never, .optional] { _ = await network.status(of: ask(rule)) }
        XCTAssertEqual(transport.calls.map { $0.headers["Authorization"] }, ["Bearer kept", nil, "Bearer kept"])
    }

    func testATokenThatEndsIsRefreshedFirst() async {
        let transport = CannedTransport(accepting: "new")
        let ending = TokenSet("old", refreshToken: "r", expiry: clock.date.addingTimeInterval(-1))
        let network = network(transport, ending) { ended in
            XCTAssertEqual(ended, ending)
            return TokenSet("new")
        }
        assertEqual(await network.status(of: ask(.optional)), 200)
        XCTAssertEqual(transport.calls.map { $0.headers["Authorization"] }, ["Bearer new"])
    }

    func testIfTheRefreshFailsTheCallGoesOutUnsigned() async {
        let transport = CannedTransport(status: 200)
        let ending = TokenSet("old", refreshToken: "r", expiry: clock.date.addingTimeInterval(-1))
        assertEqual(await network(transport, ending).status(of: ask(.optional)), 200)
        XCTAssertEqual(transport.calls.map { $0.headers["Authorization"] }, [nil])
        XCTAssertEqual(refreshes.now, 1)
        XCTAssertTrue(book.messages.contains { $0.contains("not signed: the token couldn't be refreshed") })
    }

    func testA401IsHandedOverWithoutARefresh() async {
        for (rule, stored) in [(AuthorizationPolicy.optional, nil), (.optional, TokenSet("old")), (.never, nil)] {
            let transport = CannedTransport(accepting: "new")
            let network = network(transport, stored) { _ in TokenSet("new") }
            assertEqual(await network.status(of: ask(rule)), 401)
            XCTAssertEqual(transport.calls.count, 1)
            XCTAssertEqual(refreshes.now, 0)
        }
        // The next call refreshes a token that was rejected.
        let transport = CannedTransport(accepting: "new")
        let network = network(transport, TokenSet("old")) { _ in TokenSet("new") }
        var statuses: [Int?] = []
        for _ in 0..<2 { statuses.append(await network.status(of: ask(.optional))) }
        XCTAssertEqual(statuses, [401, 200])
        XCTAssertEqual(refreshes.now, 1)
    }

    func testAfterASignOutTheCallGoesOutUnsigned() async throws {
        let transport = CannedTransport(status: 200)
        // The store still has the token.
        let store = SpyStore.full(TokenSet("kept"))
        let tokens = TokenSource(store: store) { _ in throw SignedOut() }
        let network = NetworkSession(
            transport, [AuthorizationInterceptor(tokens, for: "https://store.example")], clock: clock)
        _ = await network.status(of: ask(.optional))
        _ = try? await tokens.signOut()
        _ = await network.status(of: ask(.optional))
        XCTAssertEqual(transport.calls.map { $0.headers["Authorization"] }, ["Bearer kept", nil])
    }

    func testAFixedCredentialIsLeftOutIfItIsNever() async {
        let transport = CannedTransport(status: 200)
        let network = NetworkSession(
            transport, [AuthorizationInterceptor(.bearer("t"), for: "https://store.example")], clock: clock)
        for rule in [AuthorizationPolicy.required, .optional, .never] { _ = await network.status(of: ask(rule)) }
        XCTAssertEqual(transport.calls.map { $0.headers["Authorization"] }, ["Bearer t", "Bearer t", nil])
    }

    func testTheEnvironmentOfATenantDoesNotWidenTheScope() async {
        let transport = CannedTransport(status: 200)
        let network = network(transport, TokenSet("kept"))
        for tenant in ["https://store.example/shops/7", "https://seven.example"] as [NetworkEnvironment] {
            _ = await network.at(tenant).status()
        }
        XCTAssertEqual(transport.calls.map { $0.headers["Authorization"] }, ["Bearer kept", nil])
    }

    func testACancelledCallIsNotSentUnsigned() async {
        let transport = CannedTransport(status: 200)
        let (isRefreshing, isOver) = (ResponseGate(), ResponseGate())
        let ending = TokenSet("old", expiry: clock.date.addingTimeInterval(-1))
        let tokens = TokenSource(store: MemoryTokenStore(ending)) { _ in
            isRefreshing.open()
            try await isOver.wait()
            throw SignedOut()
        }
        let network = NetworkSession(
            transport, [AuthorizationInterceptor(tokens, for: "https://store.example")], clock: clock)
        let ask = ask(.optional)
        let call = Task { await network.outcome(of: ask) }
        await until { isRefreshing.isOpen }
        call.cancel()
        guard case .failure(.cancelled) = await call.value else { return XCTFail("not cancelled") }
        XCTAssertEqual(transport.calls.count, 0)
        isOver.open()
    }

    // MARK: What is told

    func testTheMessageHasTheReasonOfTheCauseUnlessThatHasTheToken() async {
        let table: [(any Error, String)] = [
            (
                Refused(errorDescription: "invalid_grant: the refresh token has expired."),
                ": invalid_grant: the refresh token has expired."
            ),
            (Refused(errorDescription: "s3cret is invalid"), ", for Refused."),
            (Refused(errorDescription: "r3fresh is invalid"), ", for Refused."),
            (Refused(errorDescription: "no\nluck"), ": no\\u{a}luck."),
            (Refused(errorDescription: nil), ", for Refused."),
            (SignedOut(), ", for SignedOut."),
        ]
        for (cause, expected) in table {
            let ending = TokenSet("s3cret", refreshToken: "r3fresh", expiry: clock.date.addingTimeInterval(-1))
            let outcome = await network(CannedTransport(), ending) { _ in throw cause }.outcome(of: Ask())
            guard case .failure(let error) = outcome else { return XCTFail("no error") }
            XCTAssertEqual(
                error.description, "AuthorizationInterceptor ended the call: the token couldn't be refreshed\(expected)"
            )
            XCTAssertNotNil(error.cause)
        }
    }

    func testTheLogTellsThatAnOriginIsOutsideTheScope() async {
        let network = network(CannedTransport(status: 401), TokenSet("kept"))
        let asked = [
            Ask<Data>(baseURL: "https://cdn.example"), Ask<Data>(),
            Ask<Data>(baseURL: "https://cdn.example", headers: ["Authorization": "own"]),
        ]
        for ask in asked { _ = await network.status(of: ask) }
        let told = book.messages.filter { $0.contains("not signed") }
        XCTAssertEqual(told.count, 1)
        XCTAssertTrue(
            told.first?.contains(
                "https://cdn.example/ask: not signed: the call is outside https://store.example:443") == true, "\(told)"
        )
    }

    func testTheErrorOfA401SaysWhetherACredentialWasSent() async {
        let outside = "; no credential was sent: the call is outside https://store.example:443."
        let sent = "; a credential was sent (Authorization: redacted)."
        let elsewhere = Ask<Data>(baseURL: "https://cdn.example")
        let table: [(TokenSet?, Ask<Data>, String)] = [
            (TokenSet("kept"), elsewhere, outside), (TokenSet("kept"), ask(.optional), sent),
            (nil, ask(.optional), "; no credential was sent: there is no token."),
            (nil, ask(.never), "; no credential was sent: the request's `authorization` is `.never`."),
            (nil, Ask(baseURL: "https://cdn.example", headers: ["Authorization": "own"]), sent),
            (nil, Ask(headers: ["Authorization": "own"]), sent),
        ]
        for (stored, ask, expected) in table {
            let network = network(CannedTransport(status: 401), stored) { _ in TokenSet("new") }
            let text = await network.failure(of: ask)?.description ?? ""
            XCTAssertTrue(text.hasSuffix(expected), text)
        }
        // A refreshed token is refused, too.
        let refreshed = await network(CannedTransport(status: 401), TokenSet("old")) { _ in TokenSet("new") }
            .failure(of: Ask<Data>())
        XCTAssertTrue(refreshed?.description.hasSuffix(sent) == true, "\(refreshed as Any)")
        // One of two interceptors signs the call, whichever comes first.
        for origins in [
            ["https://store.example", "https://cdn.example"], ["https://cdn.example", "https://store.example"],
        ] {
            let network = NetworkSession(
                CannedTransport(status: 401),
                origins.map {
                    AuthorizationInterceptor(.bearer("t"), for: .anyOf([.origin($0), .domain("a.example")]))
                })
            let text = await network.failure(of: Ask<Data>())?.description ?? ""
            XCTAssertTrue(text.hasSuffix(sent), text)
            let other = await network.failure(of: Ask<Data>(baseURL: "https://b.example"))?.description ?? ""
            XCTAssertTrue(other.hasSuffix("outside \(origins[1]):443, a.example and its subdomains."), other)
        }
        // Another status doesn't.
        let denied = await network(CannedTransport(status: 403), nil).failure(of: elsewhere)
        XCTAssertFalse(denied?.description.contains("credential") == true)
    }
}
