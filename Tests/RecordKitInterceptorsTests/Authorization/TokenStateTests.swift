import RecordKit
import XCTest

@testable import RecordKitInterceptors

/// What calls do with a token, and what ends a refresh.
final class TokenStateTests: XCTestCase {
    private let moment = RefreshPacing.Moment(now: .zero, date: Date(timeIntervalSince1970: 1_000_000_000))

    /// Returns a state after a sign-in.
    private func signedIn(_ token: TokenSet = TokenSet("old")) -> TokenState {
        var state = TokenState(leeway: .seconds(60))
        state.use(token, .bearer(token.accessToken))
        return state
    }

    private func end(_ state: inout TokenState, _ version: TokenState.Version, with token: String) -> Bool {
        state.end(version, with: TokenSet(token), .bearer(token), stored: nil, refreshedAt: moment)
    }

    func testACallIsSignedUnlessThereIsNoTokenOrItWasRejected() throws {
        var state = TokenState(leeway: .seconds(60))
        guard case .refresh(let version, orSign: nil) = state.step(at: moment) else { return XCTFail() }
        XCTAssertNil(state.status)
        XCTAssertTrue(end(&state, version, with: "new"))
        XCTAssertEqual(state.status, .signedIn)
        guard case .sign(let ticket) = state.step(at: moment) else { return XCTFail() }

        state.refuse(ticket)
        XCTAssertNil(state.ticket)
        guard case .refresh(let refused, orSign: nil) = state.step(at: moment) else { return XCTFail() }
        XCTAssertEqual(state.refused?.generation, refused.generation)
        // A late refusal isn't one of the next token.
        XCTAssertTrue(end(&state, refused, with: "next"))
        state.refuse(ticket)
        XCTAssertNotNil(state.ticket)
        XCTAssertNil(state.refused)

        let ending = signedIn(TokenSet("ending", expiry: moment.date.addingTimeInterval(30)))
        guard case .refresh(_, orSign: _?) = ending.step(at: moment) else { return XCTFail() }
    }

    func testASignInEndsTheRefreshesBeforeIt() throws {
        var state = signedIn()
        let version = try XCTUnwrap(state.ticket).version
        state.use(TokenSet("mine"), .bearer("mine"))
        XCTAssertFalse(end(&state, version, with: "late"))
        XCTAssertNoThrow(try state.end(version, with: RefreshFailure(ofStore: CancellationError())).get())
        guard case .over(.success) = state.beginRefresh(of: version) else { return XCTFail() }
        XCTAssertEqual(state.token, TokenSet("mine"))
    }

    func testARefreshFailsForTheCallsThatWaitedForIt() throws {
        var state = signedIn()
        let early = try XCTUnwrap(state.ticket).version
        let failure = RefreshFailure(CancellationError(), refreshing: TokenSet("old"), hiding: [])
        XCTAssertThrowsError(try state.end(early, with: failure).get())
        XCTAssertEqual(state.status, .ended)
        guard case .over(.failure) = state.beginRefresh(of: early) else { return XCTFail() }
        // A later call refreshes again.
        let late = try XCTUnwrap(state.ticket).version
        guard case .refresh = state.beginRefresh(of: late) else { return XCTFail() }
    }

    func testASignOutOfAnotherProcessDropsTheRefreshedToken() throws {
        for isSignedIn in [false, true] {
            var state = signedIn()
            let version = try XCTUnwrap(state.ticket).version
            XCTAssertTrue(end(&state, version, with: "new"))
            if isSignedIn { state.use(TokenSet("mine"), .bearer("mine")) }
            state.signedOutElsewhere(afterRefreshOf: version)
            XCTAssertEqual(state.token, isSignedIn ? TokenSet("mine") : nil)
            XCTAssertEqual(state.status, isSignedIn ? .signedIn : .signedOut)
        }
    }

    func testASignOutFindsTheLaterOfTheTokenAndTheStore() {
        var state = signedIn()
        XCTAssertEqual(state.latest(beside: nil), TokenSet("old"), "it couldn't be saved")
        state.saved(TokenSet("old"))
        XCTAssertEqual(state.latest(beside: TokenSet("old")), TokenSet("old"))
        XCTAssertEqual(state.latest(beside: TokenSet("their")), TokenSet("their"))
        XCTAssertEqual(state.latest(beside: nil), TokenSet("old"), "the store can't be read")
        state.use(nil, nil)
        XCTAssertEqual(state.latest(beside: TokenSet("kept")), TokenSet("kept"))
    }
}
