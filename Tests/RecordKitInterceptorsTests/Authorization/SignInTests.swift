import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

final class SignInTests: TimedTestCase {
    private func network(_ transport: CannedTransport, _ tokens: TokenSource) -> NetworkConfiguration {
        NetworkConfiguration(
            transport, [AuthorizationInterceptor(tokens, for: "https://store.example")], clock: ManualClock())
    }

    func testSigningInAndOut() async throws {
        let store = MemoryCredentialStore()
        let tokens = TokenSource(store: store) { _ in throw CocoaError(.userCancelled) }
        let transport = CannedTransport(accepting: "mine")
        let network = network(transport, tokens)
        try await tokens.signIn(AccessToken("mine"))
        let status = await NetworkSession(network).status()
        XCTAssertEqual(status, 200)
        XCTAssertEqual(store.load(), AccessToken("mine"))

        try await tokens.signOut()
        XCTAssertNil(store.load())
        store.save(AccessToken("mine"))
        guard case .failure(.interceptor(let failure)) = await NetworkSession(network).outcome(of: Ask()) else {
            return XCTFail("no error")
        }
        XCTAssertEqual((failure.cause as? CocoaError)?.code, .userCancelled)
        XCTAssertEqual(transport.calls.count, 1)
    }

    func testATokenThatComesAfterASignOutIsDropped() async throws {
        let (isAsked, gate) = (ResponseGate(), ResponseGate())
        let store = MemoryCredentialStore(AccessToken("old"))
        let tokens = TokenSource(store: store) { ended in
            guard ended != nil else { throw CocoaError(.userCancelled) }
            isAsked.open()
            try await gate.wait()
            return AccessToken("late")
        }
        let network = network(CannedTransport(accepting: "late"), tokens)
        let call = Task { await NetworkSession(network).outcome(of: Ask()) }
        await until { isAsked.isOpen }
        try await tokens.signOut()
        gate.open()
        guard case .failure(.interceptor) = await call.value else { return XCTFail("signed in again") }
        XCTAssertNil(store.load())
    }
}
