import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import Synchronization
import TestSupport
import XCTest

/// Late and cancelled calls while a token changes.
final class TokenRaceTests: TimedTestCase {
    private let clock = ManualClock()

    private func network(_ transport: CannedTransport, _ tokens: TokenSource) -> NetworkConfiguration {
        NetworkConfiguration(transport, [AuthorizationInterceptor(tokens, for: "https://store.example")], clock: clock)
    }

    func testARefreshThatFailsAfterASignInIsNotThatOnes() async throws {
        let (isAsked, isSent, hasFailed, gate) = (ResponseGate(), ResponseGate(), ResponseGate(), ResponseGate())
        let tokens = TokenSource(store: MemoryCredentialStore(AccessToken("old"))) { ended in
            if ended == AccessToken("mine") { return AccessToken("new") }
            isAsked.open()
            try await gate.wait()
            throw CocoaError(.userCancelled)
        }
        let transport = CannedTransport { call throws(NetworkError) in
            let token = call.headers["Authorization"]
            if token == "Bearer mine" {
                isSent.open()
                do { try await hasFailed.wait() } catch { throw .cancelled }
            }
            return NetworkResponse(statusCode: token == "Bearer new" ? 200 : 401, url: call.url)
        }
        let network = network(transport, tokens)
        let before = Task { await NetworkSession(network).status() }
        await until { isAsked.isOpen }
        try await tokens.signIn(AccessToken("mine"))
        let after = Task { await NetworkSession(network).status() }
        await until { isSent.isOpen }
        gate.open()
        // The first call is sent again with that token, as soon as the refresh has failed.
        await until { transport.calls.count >= 3 }
        hasFailed.open()
        let statuses = await [before.value, after.value]
        XCTAssertEqual(statuses, [401, 200])
    }

    func testACallerWhoLeavesWhileItsTokenIsRefreshedEarlySendsNothing() async throws {
        let (isAsked, gate) = (ResponseGate(), ResponseGate())
        let ending = AccessToken("old", expiry: clock.date.addingTimeInterval(30))
        let tokens = TokenSource(store: MemoryCredentialStore(ending)) { _ in
            isAsked.open()
            try await gate.wait()
            return AccessToken("new")
        }
        let transport = CannedTransport()
        let network = network(transport, tokens)
        _ = await NetworkSession(network).status()
        let call = Task { await NetworkSession(network).outcome(of: Ask()) }
        await until { isAsked.isOpen }
        call.cancel()
        guard case .failure(.cancelled) = await call.value else { return XCTFail("not cancelled") }
        XCTAssertEqual(transport.calls.count, 1)
        gate.open()
    }

    func testALateRefusalOfTheOldTokenIsNotOneOfTheNew() async throws {
        struct Once: NetworkEncodable, Sendable {
            func encoded(using encoder: any NetworkEncoder) -> EncodedBody {
                EncodedBody(.data(Data("x".utf8)), canBeSentAgain: false)
            }
        }
        let (isSent, gate) = (ResponseGate(), ResponseGate())
        let refreshes = Mutex(0)
        let tokens = TokenSource(store: MemoryCredentialStore(AccessToken("old"))) { _ in
            refreshes.withLock { $0 += 1 }
            return AccessToken("new")
        }
        let transport = CannedTransport { call throws(NetworkError) in
            if call.body != nil {
                isSent.open()
                do { try await gate.wait() } catch { throw .cancelled }
            }
            return NetworkResponse(statusCode: call.headers["Authorization"] == "Bearer new" ? 200 : 401, url: call.url)
        }
        let network = network(transport, tokens)
        let late = Task { await NetworkSession(network).status(of: Ask(method: .put, content: Once())) }
        await until { isSent.isOpen }
        _ = await NetworkSession(network).status()
        gate.open()
        let refused = await late.value
        XCTAssertEqual(refused, 401)
        let status = await NetworkSession(network).status()
        XCTAssertEqual(status, 200)
        XCTAssertEqual(refreshes.withLock { $0 }, 1)
    }
}
