import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

/// Stores that fail, that are slow, or that another process changes; sign-ins and sign-outs.
final class TokenStoreTests: TimedTestCase {
    /// Tokens with the numbers of the refreshes, from a store that can't keep one, or fails in between.
    func testATokenThatCouldNotBeSavedIsNotLostToAnOlderOneWhateverElseFails() async {
        let (first, second) = (TokenSet("1", refreshToken: "r1"), TokenSet("2", refreshToken: "r2"))
        // Holds the second token, can't be read, can't save the third token, and holds the second one again.
        let failing = ScriptedStore(loads: [first, first, nil, second], saves: [true])
        for store in [failing, SpyStore.full(first)] as [any TokenStore] {
            let shop = TokenShop(accepting: "1", store) { ended in
                let number = Int(ended?.accessToken ?? "") ?? 0
                return TokenSet("\(number + 1)", refreshToken: "r\(number + 1)")
            }
            for token in ["1", "2", "3", "4"] {
                shop.accept(token)
                assertEqual(await shop.status(), 200, token)
            }
            XCTAssertEqual(shop.refreshed.map { $0?.refreshToken }, ["r1", "r2", "r3"])
        }
    }

    // MARK: Another process

    /// The refresh token was valid only once.
    func testWhoComesSecondWithARefreshTakesTheTokenOfTheFirst() async {
        let store = MemoryTokenStore(TokenSet("old", refreshToken: "once"))
        let shop = TokenShop(accepting: "theirs", store) { _ in
            store.save(TokenSet("theirs", refreshToken: "next"))
            throw NetworkError.status(NetworkResponse(statusCode: 400, url: URL(filePath: "/")))
        }
        for _ in 0..<2 { assertEqual(await shop.status(), 200) }
        XCTAssertEqual(shop.sent, ["Bearer old", "Bearer theirs", "Bearer theirs"])
        XCTAssertEqual(store.load(), TokenSet("theirs", refreshToken: "next"))
    }

    // MARK: Signing in and out

    func testSigningInAndOut() async throws {
        let store = MemoryTokenStore()
        let shop = TokenShop(accepting: "mine", store) { _ in throw CocoaError(.userCancelled) }
        try await shop.tokens.use(TokenSet("mine"))
        assertEqual(await shop.status(), 200)
        XCTAssertEqual(store.load(), TokenSet("mine"))

        try await shop.tokens.signOut()
        XCTAssertNil(store.load())
        store.save(TokenSet("mine"))
        let failure = await shop.interceptorFailure()
        XCTAssertEqual((failure?.cause as? CocoaError)?.code, .userCancelled)
        XCTAssertEqual(shop.sent.count, 1)
    }

    func testASignOutWhileATokenIsBeingSavedIsTheLastWord() async throws {
        let (isSaving, gate) = (ResponseGate(), ResponseGate())
        let store = SpyStore(onSave: { token in
            guard token != nil else { return }
            isSaving.open()
            try await gate.wait()
        })
        let shop = TokenShop(store)
        let signIn = Task { try await shop.tokens.use(TokenSet("mine")) }
        await until { isSaving.isOpen }
        let signOut = Task { try await shop.tokens.signOut() }
        gate.open()
        _ = try await signOut.value
        XCTAssertNil(store.token)
        try await signIn.value
        XCTAssertNil(store.token)
    }

    /// A store that is slow to load. The token is refreshed only if it is still the one that ended.
    func testASignOutWhileTheStoreIsReadEndsTheRefresh() async throws {
        let (isLoading, gate) = (ResponseGate(), ResponseGate())
        let store = SpyStore(onLoad: { count in
            if count > 1 { return }
            isLoading.open()
            try await gate.wait()
        })
        let shop = TokenShop(accepting: "other", store)
        try await shop.tokens.use(TokenSet("old", refreshToken: "r"))
        let refused = Task { await shop.status() }
        await until { isLoading.isOpen }
        try await shop.tokens.signOut()
        gate.open()
        assertNil(await refused.value)
    }
}
