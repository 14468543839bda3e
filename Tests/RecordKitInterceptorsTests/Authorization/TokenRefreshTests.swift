import RecordKit
import XCTest

@testable import RecordKitInterceptors

/// Which token a refresh replaces, and when the store has a later one.
final class TokenRefreshTests: XCTestCase {
    private struct Refused: RefreshError {
        var needsSignIn: Bool { true }
    }

    private let moment = RefreshPacing.Moment(now: .seconds(100), date: Date(timeIntervalSince1970: 1_000_000_000))
    private let dead = (token: TokenSet("dead"), error: NetworkError.cancelled)

    private func refresh(
        of token: TokenSet?, stored: TokenSet?, isFirst: Bool = false, isPaused: Bool = false
    ) -> TokenRefresh {
        var pacing = RefreshPacing(expiry: token?.expiry, leeway: .seconds(60))
        if isPaused { for _ in 0..<2 { pacing = pacing.refreshed(expiry: token?.expiry, at: moment) } }
        return TokenRefresh(of: token, stored: stored, isFirst: isFirst, pacing, after: dead)
    }

    /// Names a step in short.
    private func name(_ step: TokenRefresh.Step) -> String {
        switch step {
        case .request(let ended): "request \(ended?.accessToken ?? "nil")"
        case .take(let token): "take \(token.accessToken)"
        case .store(let token, let over, let onlyIfPresent):
            "store \(token.accessToken) \(token.refreshToken ?? "nil") over "
                + "\(over?.accessToken ?? "nil") \(onlyIfPresent)"
        case .reuse: "reuse"
        case .failAgain: "fail again"
        case .fail(let failure): "fail \(failure.status.map { "\($0)" } ?? "unchanged") \(failure.isFinal)"
        }
    }

    func testWhatTheContentOfTheStoreMeans() {
        let (old, their) = (TokenSet("old"), TokenSet("their"))
        let expired = TokenSet("expired", expiry: moment.date)
        let table: [(TokenRefresh, Result<TokenSet?, any Error>, String)] = [
            (refresh(of: nil, stored: nil, isFirst: true), .success(nil), "request nil"),
            (refresh(of: nil, stored: nil, isFirst: true), .success(old), "take old"),
            (refresh(of: nil, stored: nil, isFirst: true), .success(expired), "request expired"),
            (refresh(of: nil, stored: nil, isFirst: true), .failure(Refused()), "fail unchanged false"),
            (refresh(of: old, stored: old), .success(old), "request old"),
            (refresh(of: old, stored: old), .success(their), "take their"),
            (refresh(of: old, stored: old), .success(expired), "request expired"),
            (refresh(of: old, stored: old), .success(nil), "request nil"),
            (refresh(of: old, stored: old), .failure(Refused()), "request old"),
            // The latest token couldn't be saved.
            (refresh(of: old, stored: their), .success(their), "request old"),
            (refresh(of: old, stored: nil), .success(nil), "request old"),
            // After a sign-out, the store may still hold the old token.
            (refresh(of: nil, stored: old), .success(their), "request nil"),
            (refresh(of: dead.token, stored: old), .success(old), "fail again"),
            (refresh(of: dead.token, stored: old), .success(their), "take their"),
            (refresh(of: old, stored: old, isPaused: true), .success(old), "reuse"),
        ]
        for (number, (refresh, content, expected)) in table.enumerated() {
            var refresh = refresh
            XCTAssertEqual(name(refresh.loaded(content, at: moment)), expected, "row \(number)")
        }
    }

    func testANewTokenKeepsTheRefreshTokenThatThereIs() {
        let old = TokenSet("old", refreshToken: "r")
        let table: [(stored: TokenSet?, new: TokenSet, String)] = [
            (old, TokenSet("new"), "store new r over old true"),
            (old, TokenSet("new", refreshToken: "n"), "store new n over old true"),
            (nil, TokenSet("new"), "store new r over nil false"),
        ]
        for (stored, new, expected) in table {
            var refresh = refresh(of: old, stored: stored)
            _ = refresh.loaded(.success(stored), at: moment)
            XCTAssertEqual(name(refresh.received(new)), expected)
        }
    }

    /// Another process may have used a refresh token first that is valid only once.
    func testAnErrorCountsUnlessTheStoreHasALaterToken() {
        let (old, their) = (TokenSet("old"), TokenSet("their"))
        let expired = TokenSet("expired", expiry: moment.date)
        let table: [(token: TokenSet?, any Error, theirs: TokenSet?, String)] = [
            (old, Refused(), their, "take their"), (old, Refused(), old, "fail ended true"),
            (old, Refused(), expired, "fail ended true"), (old, CancellationError(), nil, "fail ended false"),
            (old, NetworkError.cancelled, nil, "fail unchanged false"), (nil, Refused(), nil, "fail signedOut true"),
            (nil, Refused(), their, "fail signedOut true"),
        ]
        for (token, error, theirs, expected) in table {
            var refresh = refresh(of: token, stored: old)
            _ = refresh.loaded(.success(old), at: moment)
            XCTAssertEqual(name(refresh.failed(error, beside: theirs, at: moment)), expected)
        }
    }

    func testAMessageDoesNotContainTheToken() {
        struct Leak: LocalizedError {
            let errorDescription: String?
        }
        for (told, reason) in [("no luck.", ": no luck"), ("bad r3fresh", ", for Leak")] {
            let failure = RefreshFailure(
                Leak(errorDescription: told), refreshing: nil, hiding: [nil, TokenSet("t", refreshToken: "r3fresh")])
            guard case .interceptor(let interceptor) = failure.error else { return XCTFail("\(failure)") }
            XCTAssertEqual(interceptor.reason, "there is no token" + reason)
        }
    }
}
