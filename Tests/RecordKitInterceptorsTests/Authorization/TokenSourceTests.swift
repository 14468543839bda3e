import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

/// When a token is refreshed, and what a refresh that fails means.
final class TokenSourceTests: TimedTestCase {
    private let clock = ManualClock()

    func testTheStoreIsAskedOnceAndItsTokenUsed() async {
        let store = SpyStore(TokenSet("kept"))
        let shop = TokenShop(accepting: "kept", store)
        for _ in 0..<3 { assertEqual(await shop.status(), 200) }
        XCTAssertEqual(store.loads, 1)
        XCTAssertEqual(shop.sent.count, 3)
    }

    func testAMissingTokenIsMadeAndKept() async {
        let store = SpyStore()
        let shop = TokenShop(accepting: "new", store) { _ in TokenSet("new") }
        assertEqual(await shop.status(), 200)
        XCTAssertEqual(store.token, TokenSet("new"))
        XCTAssertEqual(shop.refreshed, [nil])
    }

    func testASecond401IsTheResponse() async {
        let shop = TokenShop(accepting: "none", MemoryTokenStore(TokenSet("old"))) { _ in TokenSet("other") }
        assertEqual(await shop.status(), 401)
        XCTAssertEqual(shop.sent, ["Bearer old", "Bearer other"])
        XCTAssertEqual(shop.refreshed.count, 1)
    }

    func testA401ToACallThatBringsItsOwnRefreshesNothing() async {
        let shop = TokenShop(accepting: "none", MemoryTokenStore(TokenSet("ours")))
        assertEqual(await shop.status(of: Ask(headers: ["Authorization": "Basic own"])), 401)
        XCTAssertEqual(shop.sent, ["Basic own"])
    }

    func testABodyThatCannotBeSentAgainLeavesTheRefreshToTheNextCall() async {
        let shop = TokenShop(accepting: "new", MemoryTokenStore(TokenSet("old"))) { _ in TokenSet("new") }
        assertEqual(await shop.status(of: Ask(method: .put, content: OnceBody())), 401)
        XCTAssertEqual(shop.sent, ["Bearer old"])
        assertEqual(await shop.status(), 200)
        XCTAssertEqual(shop.sent, ["Bearer old", "Bearer new"])
    }

    // MARK: Lifetimes

    func testATokenIsRefreshedBeforeItEnds() async {
        let count = Kept(1)
        let shop = TokenShop(clock: clock) { [clock] _ in
            TokenSet("t\(count.next())", expiry: clock.date.addingTimeInterval(100))
        }
        for seconds in [39, 2, 0] {
            _ = await shop.status()
            clock.advance(by: .seconds(seconds))
        }
        XCTAssertEqual(shop.sent, ["Bearer t1", "Bearer t1", "Bearer t2"])
    }

    func testATokenThatStillLastsIsUsedWhenItsEarlyRefreshFails() async {
        let store = MemoryTokenStore(TokenSet("old", expiry: clock.date.addingTimeInterval(30)))
        let shop = TokenShop(accepting: "old", store, clock: clock) { _ in throw CocoaError(.fileNoSuchFile) }
        for _ in 0..<5 { assertEqual(await shop.status(), 200) }
        XCTAssertEqual(shop.refreshed.count, 1)
        clock.advance(by: .seconds(31))
        let failure = await shop.interceptorFailure()
        XCTAssertNotNil(failure)
        XCTAssertEqual(shop.refreshed.count, 2)
    }

    // MARK: Refreshes that change nothing

    func testAServerThatRefusesEveryTokenIsNotAskedForOneEachTime() async {
        let shop = TokenShop(accepting: "none", MemoryTokenStore(TokenSet("0")), clock: clock) { ended in
            TokenSet((ended?.accessToken ?? "") + "0")
        }
        for refreshes in [2, 3] {
            for _ in 0..<10 { assertEqual(await shop.status(), 401) }
            XCTAssertEqual(shop.refreshed.count, refreshes)
            clock.advance(by: .seconds(10))
        }
        XCTAssertEqual(shop.sent.count, 23)
    }

    func testATokenThatCannotBeRefreshedIsRefreshedOnce() async throws {
        struct Ended: RefreshError {
            var needsSignIn: Bool { true }
        }
        let store = MemoryTokenStore(TokenSet("old", refreshToken: "dead"))
        let shop = TokenShop(accepting: "mine", store) { _ in throw Ended() }
        for _ in 0..<5 {
            let failure = await shop.interceptorFailure()
            XCTAssertTrue(failure?.cause is Ended)
            XCTAssertEqual(failure?.response?.statusCode, 401)
        }
        XCTAssertEqual(shop.refreshed.count, 1)
        // Another process signs in.
        store.save(TokenSet("mine"))
        assertEqual(await shop.status(), 200)
        try await shop.tokens.use(TokenSet("other", refreshToken: "dead"))
        for _ in 0..<5 { _ = await shop.outcome() }
        XCTAssertEqual(shop.refreshed.count, 2)
    }

    // MARK: Refreshes that fail

    /// A fault of the token server isn't a sign-out, and a refresh that may have been done isn't done again.
    func testAFaultOfTheTokenServerDoesNotLookLikeASignOut() async throws {
        let url = try XCTUnwrap(URL(string: "https://signin.example/token"))
        let table: [(refresh: NetworkError, status: Int?, isTransient: Bool)] = [
            (.status(NetworkResponse(statusCode: 503, url: url)), 503, true), (.refused, nil, true),
            (.lost, nil, false),
            (.status(NetworkResponse(statusCode: 400, url: url)), 401, false),
        ]
        for (refresh, status, isTransient) in table {
            let shop = TokenShop(accepting: "new", MemoryTokenStore(TokenSet("old"))) { _ in throw refresh }
            guard case .failure(let error) = await shop.outcome() else { return XCTFail("no error") }
            XCTAssertEqual(error.response?.statusCode, status, "\(refresh)")
            XCTAssertEqual(error.isTransient, isTransient, "\(refresh)")
        }
    }

    /// The call itself wasn't sent, so any method can be sent again.
    func testARefreshThatFailsInPassingIsTriedAgain() async throws {
        let url = try XCTUnwrap(URL(string: "https://signin.example/token"))
        let busy = NetworkError.status(NetworkResponse(statusCode: 503, headers: ["Retry-After": "0"], url: url))
        for method in [HTTPMethod.get, .post] {
            let attempts = Kept(1)
            let shop = TokenShop(
                accepting: "new", clock: ManualClock(advancesItself: true),
                interceptors: [RetryInterceptor(backoff: Backoff(shortestWait: .zero))]
            ) { _ in
                if attempts.next() == 1 { throw busy }
                return TokenSet("new")
            }
            assertEqual(await shop.status(of: Ask(method: method)), 200)
            XCTAssertEqual(shop.refreshed.count, 2, "\(method)")
        }
    }

    func testACallThatWasNotSentSaysSo() async {
        let shop = TokenShop(accepting: "new", MemoryTokenStore(TokenSet("old"))) { _ in
            throw CocoaError(.userCancelled)
        }
        assertEqual(await shop.interceptorFailure(of: Ask(method: .post))?.mayHaveReachedServer, true, "a 401 came")
        let scope = NetworkConfiguration(
            CannedTransport(), [AuthorizationInterceptor(.bearer("t"), for: "nowhere")], clock: clock)
        assertEqual(await scope.failure(of: Ask<Data>(method: .post))?.mayHaveReachedServer, false)
    }
}
