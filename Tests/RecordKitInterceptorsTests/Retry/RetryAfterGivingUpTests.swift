import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

/// An interceptor that fails may have sent the call before.
final class RetryAfterGivingUpTests: TimedTestCase {
    /// Sends the call, and fails with a transient error during the call or after it.
    private struct GivingUp: NetworkInterceptor {
        let isSent: ResponseGate
        let waits: Bool
        let error: NetworkError

        func intercept(_ call: NetworkCall, next: @escaping NetworkCall.Next) async throws(NetworkError)
            -> NetworkResponse
        {
            if waits {
                _ = try await next(call)
            } else {
                Task { try? await next(call) }
                do { try await isSent.wait() } catch { throw .cancelled }
            }
            throw error
        }
    }

    private let busy = NetworkError.status(NetworkResponse(statusCode: 503, url: URL(filePath: "/")))

    private func error(_ error: NetworkError, waits: Bool) async -> (NetworkError?, sent: Int) {
        let (isSent, gate) = (ResponseGate(), ResponseGate())
        let transport = CannedTransport { call throws(NetworkError) in
            isSent.open()
            if !waits { do { try await gate.wait() } catch { throw .cancelled } }
            return NetworkResponse(statusCode: 200, url: call.url)
        }
        let network = NetworkConfiguration(
            transport, [RetryInterceptor(floor: .zero), GivingUp(isSent: isSent, waits: waits, error: error)],
            clock: ManualClock(advancesItself: true))
        let outcome = await NetworkSession(network).outcome(of: Ask(method: .post))
        gate.open()
        guard case .failure(let error) = outcome else { return (nil, transport.calls.count) }
        return (error, transport.calls.count)
    }

    func testAPostThatIsUnderWayIsNotSentAgain() async {
        let failure = NetworkError.InterceptorFailure(interceptor: "GivingUp", reason: "it takes too long", cause: busy)
        let (error, sent) = await error(.interceptor(failure), waits: false)
        XCTAssertEqual(sent, 1)
        XCTAssertEqual(error?.mayHaveReachedServer, true)
    }

    func testAPostThatIsOverIsNotSentAgainForAnErrorOfAnotherCallThatWasNot() async {
        let signIn = TokenSource { [busy] _ in throw busy }
        let other = NetworkConfiguration(
            CannedTransport(), [AuthorizationInterceptor(signIn, for: "https://store.example")], clock: ManualClock())
        guard case .failure(let foreign) = await NetworkSession(other).outcome(of: Ask(method: .post)) else {
            return XCTFail("signed in")
        }
        XCTAssertFalse(foreign.mayHaveReachedServer)
        let refused = NetworkError.ConnectionFailure(kind: .refused, host: "log.example", mayHaveReachedServer: false)
        for foreign in [foreign, .connection(refused)] {
            let (error, sent) = await error(foreign, waits: true)
            XCTAssertEqual(sent, 1)
            XCTAssertEqual(error?.mayHaveReachedServer, true)
        }
    }
}
