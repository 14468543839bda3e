import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

/// What tells a missing token from a token server that can't be reached, and who learns of a sign-in and a sign-out.
final class SignedOutTests: TimedTestCase {
    private struct Refused: RefreshError {
        let needsSignIn: Bool
    }

    private static func status(_ code: Int) -> NetworkError {
        .status(NetworkResponse(statusCode: code, url: URL(filePath: "/token")))
    }

    func testWhatAFailedRefreshMeans() async throws {
        typealias Row = (
            error: any Error, kind: NetworkError.InterceptorFailure.Kind, isUnauthorized: Bool, status: TokenSource.Status
        )
        let deadline = NetworkError.timedOut(NetworkError.Timeout(limit: .deadline, after: .seconds(9), host: "a:443"))
        let table: [Row] = [
            (Refused(needsSignIn: true), .signedOut, true, .ended), (Refused(needsSignIn: false), .other, true, .signedIn),
            (CocoaError(.userCancelled), .signedOut, true, .ended), (Self.status(400), .signedOut, true, .ended),
            (Self.status(503), .unavailable, false, .signedIn), (NetworkError.refused, .unavailable, false, .signedIn),
            (NetworkError.lost, .unavailable, false, .signedIn), (deadline, .unavailable, false, .signedIn),
        ]
        for (error, kind, isUnauthorized, status) in table {
            let shop = TokenShop(accepting: "new", MemoryTokenStore(AccessToken("old"))) { _ in throw error }
            let caught = await shop.interceptorFailure()
            let failure = try XCTUnwrap(caught)
            XCTAssertEqual(failure.kind, kind, "\(error)")
            XCTAssertEqual(NetworkError.interceptor(failure).isUnauthorized, isUnauthorized, "\(error)")
            assertEqual(try await shop.tokens.status, status, "\(error)")
        }
        XCTAssertTrue(Self.status(401).isUnauthorized && Self.status(407).isUnauthorized)
        XCTAssertFalse(Self.status(403).isUnauthorized)
    }

    func testWithoutATokenTheMessageDoesNotSpeakOfARefresh() async throws {
        let shop = TokenShop { _ in throw Refused(needsSignIn: true) }
        let caught = await shop.interceptorFailure()
        let failure = try XCTUnwrap(caught)
        XCTAssertEqual(failure.kind, .signedOut)
        XCTAssertTrue(failure.reason.hasPrefix("there is no token"), failure.reason)
        assertEqual(try await shop.tokens.status, .signedOut)
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
        let shop = TokenShop(accepting: "new", MemoryTokenStore(AccessToken("old"))) { ended in
            guard ended?.access == "old" else { throw Refused(needsSignIn: true) }
            return AccessToken("new")
        }
        var seen = await shop.tokens.statuses().makeAsyncIterator()
        assertEqual(await seen.next(), .signedIn)
        // A refresh is no change.
        assertEqual(await shop.status(), 200)
        try await shop.tokens.signOut()
        assertEqual(await seen.next(), .signedOut)
        try await shop.tokens.signIn(AccessToken("mine"))
        assertEqual(await seen.next(), .signedIn)
        _ = await shop.outcome()
        assertEqual(await seen.next(), .ended)
        var late = await shop.tokens.statuses().makeAsyncIterator()
        assertEqual(await late.next(), .ended)
    }

    func testTheStreamEndsWithItsSource() async throws {
        var tokens: TokenSource? = TokenSource { _ in AccessToken("new") }
        var seen = await tokens?.statuses().makeAsyncIterator()
        assertEqual(await seen?.next(), .signedOut)
        tokens = nil
        assertNil(await seen?.next())
    }
}
