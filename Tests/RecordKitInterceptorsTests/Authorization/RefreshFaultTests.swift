import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import Synchronization
import TestSupport
import XCTest

/// A transient error of a refresh isn't a sign-out.
final class RefreshFaultTests: TimedTestCase {
    private let url = URL(string: "https://signin.example/token")!

    private func network(
        _ interceptors: [any NetworkInterceptor],
        refresh: @escaping @Sendable (AccessToken?) async throws -> AccessToken
    ) -> NetworkConfiguration {
        let tokens = TokenSource(store: MemoryCredentialStore(AccessToken("old")), refresh: refresh)
        let transport = CannedTransport { call throws(NetworkError) in
            let isAccepted = call.headers["Authorization"] == "Bearer new"
            return NetworkResponse(statusCode: isAccepted ? 200 : 401, url: call.url)
        }
        return NetworkConfiguration(
            transport, interceptors + [AuthorizationInterceptor(tokens, for: "https://store.example")],
            clock: ManualClock(advancesItself: true))
    }

    private func failure(of refresh: NetworkError) async throws -> NetworkError {
        let outcome = await NetworkSession(network([]) { _ in throw refresh }).outcome(of: Ask())
        guard case .failure(let error) = outcome else { throw CancellationError() }
        return error
    }

    func testAFaultOfTheTokenServerDoesNotLookLikeASignOut() async throws {
        let busy = try await failure(of: NetworkError.status(NetworkResponse(statusCode: 503, url: url)))
        XCTAssertEqual(busy.response?.statusCode, 503)
        XCTAssertTrue(busy.isTransient)
        let lost = NetworkError.ConnectionFailure(kind: .refused, host: "signin.example", mayHaveReachedServer: false)
        let unreached = try await failure(of: NetworkError.connection(lost))
        XCTAssertNil(unreached.response)
        XCTAssertTrue(unreached.isTransient)
    }

    func testARefreshThatMayHaveBeenDoneIsNotDoneAgain() async throws {
        let lost = NetworkError.ConnectionFailure(kind: .lost, host: "signin.example", mayHaveReachedServer: true)
        let error = try await failure(of: NetworkError.connection(lost))
        XCTAssertNil(error.response, "nor is it a sign-out")
        XCTAssertFalse(error.isTransient)
    }

    func testARefusalOfTheTokenServerDoes() async throws {
        let refused = try await failure(of: NetworkError.status(NetworkResponse(statusCode: 400, url: url)))
        XCTAssertEqual(refused.response?.statusCode, 401)
        XCTAssertFalse(refused.isTransient)
    }

    /// The call itself wasn't sent, so any method can be sent again.
    func testItIsTriedAgain() async {
        for method in [HTTPMethod.get, .post] { await tryAgain(method) }
    }

    func testACallThatWasNotSentSaysSo() async {
        let signIn = network([]) { _ in throw CocoaError(.userCancelled) }
        let refused = await NetworkSession(signIn).outcome(of: Ask(method: .post))
        guard case .failure(let error) = refused else { return XCTFail("no error") }
        XCTAssertTrue(error.mayHaveReachedServer, "a 401 came")
        let scope = NetworkConfiguration(
            CannedTransport(), [AuthorizationInterceptor(.bearer("t"), for: "nowhere")], clock: ManualClock())
        guard case .failure(let unsent) = await NetworkSession(scope).outcome(of: Ask(method: .post)) else {
            return XCTFail("no error")
        }
        XCTAssertFalse(unsent.mayHaveReachedServer)
    }

    private func tryAgain(_ method: HTTPMethod) async {
        let refreshes = Mutex(0)
        let busy = NetworkError.status(NetworkResponse(statusCode: 503, headers: ["Retry-After": "0"], url: url))
        let refresh: @Sendable (AccessToken?) async throws -> AccessToken = { _ in
            let count = refreshes.withLock { count in
                count += 1
                return count
            }
            if count == 1 { throw busy }
            return AccessToken("new")
        }
        // An expired token is refreshed before the call is sent.
        let tokens = TokenSource(store: MemoryCredentialStore(), refresh: refresh)
        let network = NetworkConfiguration(
            CannedTransport(accepting: "new"),
            [RetryInterceptor(floor: .zero), AuthorizationInterceptor(tokens, for: "https://store.example")],
            clock: ManualClock(advancesItself: true))
        let status = await NetworkSession(network).status(of: Ask(method: method))
        XCTAssertEqual(status, 200)
        XCTAssertEqual(refreshes.withLock { $0 }, 2, "\(method)")
    }
}
