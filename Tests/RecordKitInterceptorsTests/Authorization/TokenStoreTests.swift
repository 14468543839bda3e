import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import Synchronization
import TestSupport
import XCTest

/// Stores with tokens, errors and delays.
final class TokenStoreTests: TimedTestCase {
    private let clock = ManualClock()
    private let accepted = Accepted()

    /// The only token that is accepted.
    private final class Accepted: Sendable {
        let token = Mutex("")
    }

    private func network(_ tokens: TokenSource) -> NetworkConfiguration {
        let transport = CannedTransport { [accepted] call throws(NetworkError) in
            let isAccepted = call.headers["Authorization"] == "Bearer \(accepted.token.withLock { $0 })"
            return NetworkResponse(statusCode: isAccepted ? 200 : 401, url: call.url)
        }
        return NetworkConfiguration(
            transport, [AuthorizationInterceptor(tokens, for: "https://store.example")], clock: clock)
    }

    /// Sends a call to a server that accepts only this token.
    private func status(_ network: NetworkConfiguration, accepting token: String) async -> Int? {
        accepted.token.withLock { $0 = token }
        return await NetworkSession(network).status()
    }

    func testAStoreThatCannotBeReadIsNotTakenForAnEmptyOne() async {
        let tokens = TokenSource(store: ScriptedStore(loads: [nil])) { _ in
            XCTFail("refreshed")
            return AccessToken("new")
        }
        guard case .failure(.interceptor(let failure)) = await NetworkSession(network(tokens)).outcome(of: Ask()) else {
            return XCTFail("no error")
        }
        XCTAssertTrue(failure.cause is CancellationError)
    }

    func testAKeptTokenThatHasEndedIsRefreshedBeforeItIsUsed() async {
        let kept = AccessToken("old", refresh: "r", expiry: clock.date.addingTimeInterval(-1))
        let transport = CannedTransport()
        let tokens = TokenSource(store: MemoryCredentialStore(kept)) { ended in
            XCTAssertEqual(ended?.refresh, "r")
            return AccessToken("new")
        }
        let network = NetworkConfiguration(
            transport, [AuthorizationInterceptor(tokens, for: "https://store.example")], clock: clock)
        _ = await NetworkSession(network).status()
        XCTAssertEqual(transport.calls.map { $0.headers["Authorization"] }, ["Bearer new"])
    }

    /// The store holds the second token, can't be read, can't save the third token, and holds the second one again.
    func testATokenThatCouldNotBeSavedIsNotLostToAnOlderOneWhateverElseFails() async {
        let store = ScriptedStore(
            loads: [
                AccessToken("1", refresh: "r1"), AccessToken("1", refresh: "r1"), nil, AccessToken("2", refresh: "r2"),
            ], saves: [true]
        )
        let asked = Mutex<[String?]>([])
        let tokens = TokenSource(store: store) { ended in
            let count = asked.withLock { asked in
                asked.append(ended?.refresh)
                return asked.count + 1
            }
            return AccessToken("\(count)", refresh: "r\(count)")
        }
        let network = network(tokens)
        for token in ["1", "2", "3", "4"] {
            let status = await status(network, accepting: token)
            XCTAssertEqual(status, 200, token)
        }
        XCTAssertEqual(asked.withLock { $0 }, ["r1", "r2", "r3"])
    }

    func testAStoreThatSavesAndSaysOtherwiseDoesNotBringARefusedTokenBack() async {
        let refreshes = Mutex(1)
        let old = AccessToken("1")
        let store = ScriptedStore(loads: [old, old, AccessToken("2"), AccessToken("3")], saves: [])
        let tokens = TokenSource(store: store) { _ in
            let count = refreshes.withLock { count in
                count += 1
                return count
            }
            return AccessToken("\(count)")
        }
        let network = network(tokens)
        for token in ["1", "2", "3"] {
            let status = await status(network, accepting: token)
            XCTAssertEqual(status, 200, token)
        }
    }

    func testASignOutWhileATokenIsBeingSavedIsTheLastWord() async throws {
        let (isSaving, gate) = (ResponseGate(), ResponseGate())
        let store = SlowStore(isSaving, gate)
        let tokens = TokenSource(store: store) { _ in throw CancellationError() }
        let signIn = Task { try await tokens.signIn(AccessToken("mine")) }
        await until { isSaving.isOpen }
        try await tokens.signOut()
        gate.open()
        try await signIn.value
        XCTAssertNil(store.load())
    }

    /// A store that is slow to load. The token is refreshed only if it is still the one that ended.
    func testASignOutWhileTheStoreIsReadEndsTheRefresh() async throws {
        let (isLoading, gate) = (ResponseGate(), ResponseGate())
        let tokens = TokenSource(store: SlowlyReadStore(isLoading, gate)) { _ in
            XCTFail("refreshed after the sign-out")
            return AccessToken("new")
        }
        try await tokens.signIn(AccessToken("old", refresh: "r"))
        let network = NetworkSession(network(tokens))
        let refused = Task { [accepted] in
            accepted.token.withLock { $0 = "other" }
            return await network.status()
        }
        await until { isLoading.isOpen }
        try await tokens.signOut()
        gate.open()
        let status = await refused.value
        XCTAssertNil(status)
    }
}
