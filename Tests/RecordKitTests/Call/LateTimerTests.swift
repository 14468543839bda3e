#if os(Linux)
import RecordKitCurl
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordKit

/// Timers of a process that was stopped: they are due, although the response may lie ready.
final class LateTimerTests: TimedTestCase {
    /// A clock whose process is stopped for a minute, so that every timer is due when it continues.
    private final class StoppedClock: Sendable {
        private struct State {
            var stopped = Duration.zero
            var timers: [Int: @Sendable () -> Void] = [:]
            var count = 0
        }

        private let state = Kept(State())

        /// - Parameter grace: The time that late timeouts wait. The timers for it run as they should.
        func networkClock(grace: Duration) -> NetworkClock {
            let system = NetworkClock.continuous
            var clock = NetworkClock(
                now: { system.now() + self.state.change { $0.stopped } }, sleep: system.sleep,
                schedule: { duration, action in
                    if duration <= grace { return system.schedule(duration, action) }
                    // Not due after a minute.
                    if duration > .seconds(60) { return {} }
                    let id = self.state.change { state in
                        state.count += 1
                        state.timers[state.count] = action
                        return state.count
                    }
                    return { _ = self.state.change { $0.timers.removeValue(forKey: id) } }
                })
            clock.grace = grace
            return clock
        }

        func stopAndContinue() {
            let due = state.change { state in
                state.stopped += .seconds(60)
                defer { state.timers = [:] }
                return state.timers.values.map { $0 }
            }
            for action in due { action() }
        }
    }

    private static let transports: [@Sendable () -> any NetworkTransport] = [
        { URLSessionTransport() }, { CurlTransport() },
    ]

    private func configuration(
        _ server: LoopbackServer, _ transport: any NetworkTransport, _ clock: NetworkClock, _ options: RequestOptions
    ) -> NetworkConfiguration {
        var configuration = NetworkConfiguration(server.url, options: options)
        configuration.transport = transport
        configuration.clock = clock
        return configuration
    }

    func testAResponseThatLiesReadyComesFirst() async throws {
        for transport in Self.transports {
            let (gate, clock) = (ResponseGate(), StoppedClock())
            let server = try LoopbackServer { _ in
                [.wait(gate), .send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")]
            }
            let network = NetworkSession(
                configuration(
                    server, transport(), clock.networkClock(grace: .seconds(20)),
                    RequestOptions(timeout: .seconds(30))))
            async let outcome = network.outcome(Ask<String>())
            _ = try await server.request(at: 0)
            clock.stopAndContinue()
            gate.open()
            assertEqual(await outcome, "x")
        }
    }

    func testWithoutAResponseTheCallTimesOut() async throws {
        for (options, expected) in [
            (RequestOptions(timeout: .seconds(30)), "attempt"),
            (RequestOptions(timeout: .seconds(90), deadline: .seconds(30)), "deadline"),
        ] {
            for transport in Self.transports {
                let clock = StoppedClock()
                let server = try LoopbackServer { _ in .never }
                let network = NetworkSession(
                    configuration(server, transport(), clock.networkClock(grace: .milliseconds(50)), options))
                async let outcome = network.outcome(Ask<String>())
                _ = try await server.request(at: 0)
                clock.stopAndContinue()
                let text = await outcome
                XCTAssertTrue(text.contains(expected), text)
            }
        }
    }
}

extension NetworkSession {
    fileprivate func outcome(_ ask: Ask<String>) async -> String {
        do throws(NetworkError) { return try await value(for: ask) } catch {
            if case .timedOut(let timeout) = error { return "timed out: \(timeout.limit)" }
            return "\(error)"
        }
    }
}
#endif
