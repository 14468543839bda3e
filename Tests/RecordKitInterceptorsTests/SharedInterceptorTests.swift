import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import Synchronization
import TestSupport
import XCTest

/// Interceptors that several configurations share.
final class SharedInterceptorTests: TimedTestCase {
    private let clock = ManualClock()

    /// Responds with a name, like a session with one user's cookies.
    private func transport(_ name: String, _ gate: ResponseGate) -> CannedTransport {
        CannedTransport { call throws(NetworkError) in
            do { try await gate.wait() } catch { throw .cancelled }
            return NetworkResponse(statusCode: 200, body: Data(name.utf8), url: call.url)
        }
    }

    func testACallDoesNotGetTheResponseOfAnotherTransport() async throws {
        let gate = ResponseGate()
        let transports = ["a", "b"].map { transport($0, gate) }
        let (flight, spy) = (SingleFlightInterceptor(), EventSpy())
        let networks = transports.map { NetworkConfiguration($0, [flight], clock: clock, observers: [spy]) }
        let calls = networks.map { network in Task { await NetworkSession(network).outcome(of: Ask()) } }
        await until { spy.count(of: .joined) + transports.map(\.calls.count).reduce(0, +) >= 2 }
        gate.open()
        var bodies: [Data] = []
        for call in calls { bodies.append(try await call.value.get().body) }
        XCTAssertEqual(bodies, [Data("a".utf8), Data("b".utf8)])
    }

    func testManagersOfASessionShare() async throws {
        let gate = ResponseGate()
        let transport = transport("a", gate)
        let spy = EventSpy()
        let network = NetworkSession(
            NetworkConfiguration(transport, [SingleFlightInterceptor()], clock: clock, observers: [spy]))
        let managers = [NetworkManager<Ask<Data>>(network), NetworkManager<Ask<Data>>(network)]
        let calls = managers.map { manager in Task { await manager.result(for: Ask()) } }
        await until { spy.count(of: .joined) >= 1 }
        gate.open()
        for call in calls { _ = await call.value }
        XCTAssertEqual(transport.calls.count, 1)
    }
}
