import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordKitInterceptors

/// What tells a missing token from a token server that can't be reached, and who learns of a sign-in and a sign-out.
final class SignedOutTests: TimedTestCase {
    private struct Refused: RefreshError {
        let needsSignIn: Bool
    }

    private static func status(_ code: Int) -> NetworkError {
        .status(NetworkResponse(statusCode: code, url: URL(filePath: "/token")))
    }

    func testWhatAFailedRefreshMeans() {
        typealias Row = (
            error: any Error, kind: NetworkError.InterceptorFailure.Kind, isUnauthorized: Bool,
            status: TokenSource.Status?
        )
        let deadline = NetworkError.timedOut(NetworkError.Timeout(limit: .deadline, after: .seconds(9), host: "a:443"))
        let table: [Row] = [
            (Refused(needsSignIn: true), .signedOut, true, .ended), (Refused(needsSignIn: false), .other, false, nil),
            (CocoaError(.userCancelled), .signedOut, true, .ended), (Self.status(400), .signedOut, true, .ended),
            (Self.status(404), .other, false, nil), (Self.status(503), .unavailable, false, nil),
            (NetworkError.refused, .unavailable, false, nil), (NetworkError.lost, .unavailable, false, nil),
            (deadline, .unavailable, false, nil),
        ]
        for (error, kind, isUnauthorized, status) in table {
            let failure = RefreshFailure(error, refreshing: TokenSet("old"), hiding: [])
            guard case .interceptor(let interceptor) = failure.error else { return XCTFail("\(failure.error)") }
            XCTAssertEqual(interceptor.kind, kind, "\(error)")
            XCTAssertEqual(failure.error.isUnauthorized, isUnauthorized, "\(error)")
            XCTAssertEqual(failure.status, status, "\(error)")
        }
        for code in [401, 403, 407] { XCTAssertEqual(Self.status(code).isUnauthorized, code == 401, "\(code)") }
    }

    func testAStoreThatCannotBeReadIsNoSignOut() async throws {
        let shop = TokenShop(ScriptedStore(loads: [nil]))
        let caught = await shop.interceptorFailure()
        let failure = try XCTUnwrap(caught)
        XCTAssertEqual(failure.kind, .other)
        XCTAssertFalse(NetworkError.interceptor(failure).isUnauthorized)
        let read = await TestSupport.failure { try await shop.tokens.status }
        XCTAssertNotNil(read)
    }

    func testASourceTellsOfASignInAndASignOut() async throws {
        let shop = TokenShop(accepting: "new", MemoryTokenStore(TokenSet("old"))) { ended in
            guard ended?.accessToken == "old" else { throw Refused(needsSignIn: true) }
            return TokenSet("new")
        }
        var seen = shop.tokens.statusUpdates.makeAsyncIterator()
        assertEqual(await seen.next(), .signedIn)
        // A refresh is no change.
        assertEqual(await shop.status(), 200)
        try await shop.tokens.signOut()
        assertEqual(await seen.next(), .signedOut)
        try await shop.tokens.use(TokenSet("mine"))
        assertEqual(await seen.next(), .signedIn)
        _ = await shop.outcome()
        assertEqual(await seen.next(), .ended)
        // A late reader gets only the newest.
        try await shop.tokens.signOut()
        try await shop.tokens.use(TokenSet("newest"))
        assertEqual(await seen.next(), .signedIn)
        _ = await shop.outcome()
        var late = shop.tokens.statusUpdates.makeAsyncIterator()
        assertEqual(await late.next(), .ended)
    }

    func testTheStreamEndsWithItsSource() async throws {
        var tokens: TokenSource? = TokenSource { _ in TokenSet("new") }
        var seen = tokens?.statusUpdates.makeAsyncIterator()
        assertEqual(await seen?.next(), .signedOut)
        tokens = nil
        assertNil(await seen?.next())
    }
}
