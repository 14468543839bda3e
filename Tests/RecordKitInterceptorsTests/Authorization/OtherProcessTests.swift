import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import Synchronization
import TestSupport
import XCTest

/// Changes of a shared store by another process.
final class OtherProcessTests: TimedTestCase {
    private func network(_ transport: CannedTransport, _ tokens: TokenSource) -> NetworkConfiguration {
        NetworkConfiguration(
            transport, [AuthorizationInterceptor(tokens, for: "https://store.example")], clock: ManualClock())
    }

    /// The refresh token was valid only once.
    func testWhoComesSecondWithARefreshTakesTheTokenOfTheFirst() async {
        let store = MemoryCredentialStore(AccessToken("old", refresh: "once"))
        let tokens = TokenSource(store: store) { _ in
            store.save(AccessToken("theirs", refresh: "next"))
            throw NetworkError.status(NetworkResponse(statusCode: 400, url: URL(filePath: "/")))
        }
        let transport = CannedTransport(accepting: "theirs")
        let network = network(transport, tokens)
        for _ in 0..<2 {
            let status = await NetworkSession(network).status()
            XCTAssertEqual(status, 200)
        }
        XCTAssertEqual(
            transport.calls.map { $0.headers["Authorization"] }, ["Bearer old", "Bearer theirs", "Bearer theirs"])
        XCTAssertEqual(store.load(), AccessToken("theirs", refresh: "next"))
    }

    /// The other process's token has expired, too, and its refresh fails once.
    func testARefreshThatFailsInPassingKeepsTheLatestRefreshToken() async {
        let clock = ManualClock()
        let store = MemoryCredentialStore(AccessToken("t0", refresh: "r0"))
        let asked = Mutex<[String?]>([])
        let busy = NetworkError.status(NetworkResponse(statusCode: 503, url: URL(filePath: "/")))
        let tokens = TokenSource(store: store) { ended in
            asked.withLock { $0.append(ended?.refresh) }
            throw busy
        }
        let network = NetworkConfiguration(
            CannedTransport(accepting: "none"), [AuthorizationInterceptor(tokens, for: "https://store.example")],
            clock: clock)
        _ = await NetworkSession(network).status()
        store.save(AccessToken("t1", refresh: "r1", expiry: clock.date.addingTimeInterval(-1)))
        for _ in 0..<2 { _ = await NetworkSession(network).status() }
        XCTAssertEqual(asked.withLock { $0 }, ["r0", "r1", "r1"])
    }

    func testASignOutElsewhereIsNotUndone() async {
        let store = MemoryCredentialStore(AccessToken("old", refresh: "forgotten"))
        let tokens = TokenSource(store: store) { ended in
            XCTAssertNil(ended)
            throw CocoaError(.userCancelled)
        }
        let accepted = Mutex("old")
        let transport = CannedTransport { call throws(NetworkError) in
            let isAccepted = call.headers["Authorization"] == "Bearer \(accepted.withLock { $0 })"
            return NetworkResponse(statusCode: isAccepted ? 200 : 401, url: call.url)
        }
        let network = network(transport, tokens)
        let before = await NetworkSession(network).status()
        XCTAssertEqual(before, 200)
        store.save(nil)
        accepted.withLock { $0 = "new" }
        for _ in 0..<2 {
            let outcome = await NetworkSession(network).outcome(of: Ask())
            guard case .failure(.interceptor(let failure)) = outcome else { return XCTFail("signed in again") }
            XCTAssertEqual(failure.response?.statusCode, 401)
            XCTAssertNil(store.load())
        }
        // The other process signed in again.
        store.save(AccessToken("new"))
        let after = await NetworkSession(network).status()
        XCTAssertEqual(after, 200)
    }
}
