import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import Synchronization
import TestSupport
import XCTest

/// Each wait of each interceptor ends with the call, whatever the reason.
final class EveryWaitTests: TimedTestCase {
    private let clock = ManualClock()

    private struct Wait {
        let name: String
        let transport: CannedTransport
        let interceptors: [any NetworkInterceptor]
        /// The number of sleepers.
        let sleepers: Int
        /// The number of calls before, whose results don't matter.
        var others = 0
        /// The number of attempts in total.
        let sent: Int
    }

    private static func waits() -> [Wait] {
        let scope: CredentialScope = "https://store.example"
        let hanging = CannedTransport { _ throws(NetworkError) in
            do { try await ResponseGate().wait() } catch {}
            throw .cancelled
        }
        let slow = TokenSource { _ in
            try await ResponseGate().wait()
            return AccessToken("")
        }
        let wait = ConnectionWait { (call) async throws(NetworkError) in try await call.sleep(for: .seconds(1 << 30)) }
        return [
            Wait(
                name: "refresh", transport: CannedTransport(),
                interceptors: [AuthorizationInterceptor(slow, for: scope)],
                sleepers: 0, sent: 0),
            Wait(
                name: "rate", transport: CannedTransport(),
                interceptors: [RateLimitInterceptor(1, per: .seconds(3000), longestWait: .seconds(3600))], sleepers: 1,
                others: 1,
                sent: 1),
            Wait(
                name: "pause", transport: CannedTransport(status: 503),
                interceptors: [RetryInterceptor(base: .seconds(50), floor: .seconds(50))], sleepers: 1, sent: 1),
            Wait(name: "flight", transport: hanging, interceptors: [SingleFlightInterceptor()], sleepers: 0, sent: 1),
            Wait(
                name: "connection", transport: CannedTransport(.fail(.refused)),
                interceptors: [RetryInterceptor(connectionWait: wait)], sleepers: 1, sent: 1),
        ]
    }

    private func check(_ end: (NetworkSession) -> Void, is right: (NetworkError) -> Bool) async {
        for wait in Self.waits() {
            let retry = wait.interceptors[0] is RetryInterceptor ? [] : [RetryInterceptor() as any NetworkInterceptor]
            let interceptors = retry + wait.interceptors + [TracingInterceptor(), LoggingInterceptor(to: LogBook())]
            let network = NetworkSession(
                NetworkConfiguration(
                    wait.transport, interceptors, clock: clock,
                    // The clock never reaches the timeout, so only the deadline can end the call.
                    options: RequestOptions(timeout: .seconds(1 << 31), deadline: .seconds(3600))))
            for _ in 0..<wait.others { _ = await network.status() }
            let call = Task { await network.outcome(of: Ask()) }
            await until { network.inFlight != 0 }
            await clock.sleepers(wait.sleepers)
            await until { wait.transport.calls.count >= wait.sent }
            end(network)
            guard case .failure(let error) = await call.value, right(error) else {
                XCTFail("\(wait.name): \(await call.value)")
                continue
            }
            XCTAssertEqual(network.inFlight, 0)
            XCTAssertEqual(wait.transport.calls.count, wait.sent, wait.name)
            await until { clock.sleeperCount == 0 }
        }
    }

    func testAllThatIsCancelled() async {
        await check {
            $0.cancelAll()
        } is: {
            if case .cancelled = $0 { true } else { false }
        }
    }

    func testADeadlineThatTheClockJumpsOver() async {
        await check { _ in
            clock.advance(by: .seconds(1_000_000_000))
        } is: { error in
            if case .timedOut(let timeout) = error { timeout.limit == .deadline } else { false }
        }
    }
}
