import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

/// Many, late and cancelled calls while a token changes.
final class TokenRaceTests: TimedTestCase {
    private let old = MemoryTokenStore(TokenSet("old"))

    /// Rejects the old token after a number of calls have used it.
    private func transport(untilCalls count: Int) -> CannedTransport {
        let arrived = Kept(0)
        let gate = ResponseGate()
        return CannedTransport { call throws(NetworkError) in
            guard call.headers["Authorization"] == "Bearer old" else {
                return NetworkResponse(statusCode: 200, url: call.url)
            }
            let isLast = arrived.change { arrived in
                arrived += 1
                return arrived == count
            }
            if isLast { gate.open() }
            do { try await gate.wait() } catch { throw .cancelled }
            return NetworkResponse(statusCode: 401, url: call.url)
        }
    }

    private func outcomes(
        of count: Int, in shop: TokenShop
    ) async -> [Result<NetworkResponse, NetworkError>] {
        await withTaskGroup(of: Result<NetworkResponse, NetworkError>.self) { group in
            for _ in 0..<count { group.addTask { await shop.outcome() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    func testAHundred401sCauseOneRefreshAndOneRetryEach() async throws {
        let shop = TokenShop(old, over: transport(untilCalls: 100)) { _ in
            // The others arrive during the refresh.
            for _ in 0..<1000 { await Task.yield() }
            return TokenSet("new")
        }
        let outcomes = await outcomes(of: 100, in: shop)
        XCTAssertEqual(try outcomes.map { try $0.get().statusCode }, Array(repeating: 200, count: 100))
        XCTAssertEqual(shop.refreshed.count, 1)
        XCTAssertEqual(shop.sent.count { $0 == "Bearer old" }, 100)
        XCTAssertEqual(shop.sent.count { $0 == "Bearer new" }, 100)
    }

    func testAFailedRefreshFailsThemAllWithItsOwnError() async {
        let shop = TokenShop(old, over: transport(untilCalls: 100)) { _ in
            for _ in 0..<1000 { await Task.yield() }
            throw CocoaError(.userCancelled)
        }
        for outcome in await outcomes(of: 100, in: shop) {
            guard case .failure(.interceptor(let failure)) = outcome else { return XCTFail("\(outcome)") }
            XCTAssertEqual((failure.cause as? CocoaError)?.code, .userCancelled)
            XCTAssertEqual(failure.response?.statusCode, 401)
        }
        XCTAssertEqual(shop.refreshed.count, 1)
        XCTAssertEqual(shop.sent.count, 100)
    }

    // MARK: Late refusals

    /// Lets a late call of one method be refused after `meanwhile`.
    private func late(
        _ ask: Ask<Data>, accepting token: String,
        refresh: @escaping @Sendable (TokenSet?) async throws -> TokenSet,
        meanwhile: (TokenShop) async throws -> Void
    ) async throws -> (shop: TokenShop, outcome: Result<NetworkResponse, NetworkError>) {
        let (isSent, gate) = (ResponseGate(), ResponseGate())
        let shop = TokenShop(
            old, over: CannedTransport(accepting: token, holding: ask.method, isSent, until: gate), refresh: refresh)
        let call = Task { await shop.outcome(of: ask) }
        await until { isSent.isOpen }
        try await meanwhile(shop)
        gate.open()
        return (shop, await call.value)
    }

    func testALate401OfTheOldTokenFindsTheNewOne() async throws {
        let (shop, outcome) = try await late(Ask(method: .put), accepting: "new") { _ in
            TokenSet("new")
        } meanwhile: { shop in
            assertEqual(await shop.status(), 200)
        }
        XCTAssertEqual(try outcome.get().statusCode, 200)
        XCTAssertEqual(shop.refreshed.count, 1)
    }

    func testALate401FindsTheLaterTokenRefusedAndHasThatRefreshed() async throws {
        let (shop, outcome) = try await late(Ask(method: .delete), accepting: "third") { _ in
            TokenSet("third")
        } meanwhile: { shop in
            try await shop.tokens.use(TokenSet("second"))
            _ = await shop.status(of: Ask(method: .put, content: OnceBody()))
        }
        XCTAssertEqual(try outcome.get().statusCode, 200)
        XCTAssertEqual(shop.sent, ["Bearer old", "Bearer second", "Bearer third"])
    }

    // MARK: Calls of a refresh

    func testTheRefreshDoesNotPassThroughItself() async throws {
        let owner = Kept<NetworkSession?>(nil)
        let transport = CannedTransport { call throws(NetworkError) in
            if call.url.path() == "/refresh" {
                return NetworkResponse(statusCode: 200, body: Data("new".utf8), url: call.url)
            }
            return NetworkResponse(statusCode: call.headers["Authorization"] == "Bearer new" ? 200 : 401, url: call.url)
        }
        let shop = TokenShop(old, over: transport) { _ in
            let session = owner.now
            return TokenSet(try await session?.value(for: Ask<String>(path: "refresh", method: .post)) ?? "")
        }
        owner.set(shop.session)
        assertEqual(await shop.status(), 200)
        XCTAssertEqual(shop.sent, ["Bearer old", nil, "Bearer new"])
    }

    func testACallLeftByARefreshIsSignedAfterIt() async throws {
        let owner = Kept<NetworkSession?>(nil)
        let left = Kept<Task<Int?, Never>?>(nil)
        let isOver = ResponseGate()
        let shop = TokenShop { _ in
            let session = owner.now
            let task = Task { () -> Int? in
                try? await isOver.wait()
                return await session?.status()
            }
            left.set(task)
            return TokenSet("new")
        }
        owner.set(shop.session)
        _ = await shop.status()
        isOver.open()
        _ = await left.now?.value
        XCTAssertEqual(shop.sent, ["Bearer new", "Bearer new"])
    }

    // MARK: Callers who leave

    func testACallerWhoLeavesWhileJoinedLeavesTheOthersAlone() async throws {
        let (isAsked, gate) = (ResponseGate(), ResponseGate())
        let shop = TokenShop(old, over: transport(untilCalls: 10)) { _ in
            isAsked.open()
            try await gate.wait()
            return TokenSet("new")
        }
        let calls = (0..<10).map { _ in Task { await shop.outcome() } }
        await until { isAsked.isOpen }
        for call in calls.prefix(9) { call.cancel() }
        for call in calls.prefix(9) {
            guard case .failure(.cancelled) = await call.value else { return XCTFail("not cancelled") }
        }
        gate.open()
        assertEqual(try await calls[9].value.get().statusCode, 200)
        XCTAssertEqual(shop.refreshed.count, 1)
    }

    func testARefreshWithoutWaitingCallsIsSaved() async throws {
        let (isAsked, gate) = (ResponseGate(), ResponseGate())
        let store = SpyStore(TokenSet("old"))
        let shop = TokenShop(accepting: "new", store) { _ in
            isAsked.open()
            try await gate.wait()
            return TokenSet("new")
        }
        let call = Task { await shop.outcome() }
        await until { isAsked.isOpen }
        call.cancel()
        guard case .failure(.cancelled) = await call.value else { return XCTFail("not cancelled") }
        gate.open()
        await until { store.token == TokenSet("new") }
    }

    func testACallerWhoLeavesWhileItsTokenIsRefreshedEarlySendsNothing() async throws {
        let (isAsked, gate, clock) = (ResponseGate(), ResponseGate(), ManualClock())
        let ending = TokenSet("old", expiry: clock.date.addingTimeInterval(30))
        let shop = TokenShop(MemoryTokenStore(ending), clock: clock) { _ in
            isAsked.open()
            try await gate.wait()
            return TokenSet("new")
        }
        _ = await shop.status()
        let call = Task { await shop.outcome() }
        await until { isAsked.isOpen }
        call.cancel()
        guard case .failure(.cancelled) = await call.value else { return XCTFail("not cancelled") }
        XCTAssertEqual(shop.sent.count, 1)
        gate.open()
    }

    // MARK: A sign-in or a sign-out during a refresh that fails

    /// Returns a call that waits for a failing refresh while the app signs in or out.
    private func outcome(
        of token: TokenSet, accepting accepted: String?, _ clock: ManualClock = ManualClock(),
        meanwhile: (TokenSource) async throws -> Void
    ) async throws -> (shop: TokenShop, outcome: Result<NetworkResponse, NetworkError>) {
        let (isAsked, gate) = (ResponseGate(), ResponseGate())
        let shop = TokenShop(accepting: accepted, MemoryTokenStore(token), clock: clock) { _ in
            isAsked.open()
            try await gate.wait()
            throw CocoaError(.userCancelled)
        }
        // The first call loads the token and is signed with it.
        if token.expiry != nil { _ = await shop.status() }
        let call = Task { await shop.outcome() }
        await until { isAsked.isOpen }
        try await meanwhile(shop.tokens)
        gate.open()
        return (shop, await call.value)
    }

    func testACallThatWaitsIsSentWithTheTokenOfTheSignIn() async throws {
        let (shop, outcome) = try await outcome(of: TokenSet("old"), accepting: "mine") {
            try await $0.use(TokenSet("mine"))
        }
        XCTAssertEqual(try outcome.get().statusCode, 200)
        XCTAssertEqual(shop.sent, ["Bearer old", "Bearer mine"])
    }

    func testACallThatWaitsIsNotSentWithTheTokenThatWasForgotten() async throws {
        let clock = ManualClock()
        let token = TokenSet("old", expiry: clock.date.addingTimeInterval(30))
        let (shop, outcome) = try await outcome(of: token, accepting: nil, clock) { try await $0.signOut() }
        guard case .failure(.interceptor(let failure)) = outcome else { return XCTFail("\(outcome)") }
        XCTAssertEqual(failure.reason, "there is no token anymore; sign in again")
        XCTAssertEqual(shop.sent.count, 1)
    }

}
