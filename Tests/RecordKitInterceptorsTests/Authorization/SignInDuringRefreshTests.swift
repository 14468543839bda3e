import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

/// A sign-in and a sign-out during a refresh that fails.
final class SignInDuringRefreshTests: TimedTestCase {
    private let clock = ManualClock()

    /// Returns the result of a call that waits for a failing refresh while the app signs in or out, and the credential
    /// of the call.
    private func outcome(
        of token: AccessToken, _ transport: CannedTransport, meanwhile: (TokenSource) async throws -> Void
    ) async throws -> Result<NetworkResponse, NetworkError> {
        let (isAsked, gate) = (ResponseGate(), ResponseGate())
        let tokens = TokenSource(store: MemoryCredentialStore(token)) { _ in
            isAsked.open()
            try await gate.wait()
            throw CocoaError(.userCancelled)
        }
        let network = NetworkConfiguration(
            transport, [AuthorizationInterceptor(tokens, for: "https://store.example")], clock: clock)
        // The first call loads the token and is signed with it.
        if token.expiry != nil { _ = await NetworkSession(network).status() }
        let call = Task { await NetworkSession(network).outcome(of: Ask()) }
        await until { isAsked.isOpen }
        try await meanwhile(tokens)
        gate.open()
        return await call.value
    }

    private func refusing(_ token: String) -> CannedTransport {
        CannedTransport { call throws(NetworkError) in
            let isRefused = call.headers["Authorization"] == "Bearer \(token)"
            return NetworkResponse(statusCode: isRefused ? 401 : 200, url: call.url)
        }
    }

    func testACallThatWaitsIsSentWithTheTokenOfTheSignIn() async throws {
        let transport = refusing("old")
        let outcome = try await outcome(of: AccessToken("old"), transport) { try await $0.signIn(AccessToken("mine")) }
        XCTAssertEqual(try outcome.get().statusCode, 200)
        XCTAssertEqual(transport.calls.map { $0.headers["Authorization"] }, ["Bearer old", "Bearer mine"])
    }

    func testACallThatWaitsIsNotSentWithTheTokenThatWasForgotten() async throws {
        let transport = refusing("none")
        let token = AccessToken("old", expiry: clock.date.addingTimeInterval(30))
        let outcome = try await outcome(of: token, transport) { try await $0.signOut() }
        guard case .failure(.interceptor(let failure)) = outcome else { return XCTFail("\(outcome)") }
        XCTAssertEqual(failure.reason, "there is no token anymore; sign in again")
        XCTAssertEqual(transport.calls.count, 1)
    }
}
