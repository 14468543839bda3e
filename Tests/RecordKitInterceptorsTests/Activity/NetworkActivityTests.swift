import Dispatch
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

final class NetworkActivityTests: TimedTestCase {
    func testItIsExactForBothWaysToRunAtOnce() async throws {
        let server = try LoopbackServer(responses: [.text("x")])
        let network = NetworkSession(NetworkConfiguration(server.url))
        let manager = NetworkManager<Ask<String>>(network)
        let counts = network.inFlightUpdates
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    if number.isMultiple(of: 2) {
                        _ = try? await manager.value(for: Ask())
                    } else {
                        _ = await manager.dataTaskResult(for: Ask())
                    }
                }
                if number % 20 == 19 { await group.waitForAll() }
            }
        }
        XCTAssertEqual(network.inFlight, 0)
        // A slow reader receives only the latest number.
        assertEqual(await counts.first { _ in true }, 0)
    }

    func testASequenceGivesTheCountAndItsChanges() async {
        let gate = ResponseGate()
        let transport = CannedTransport { call throws(NetworkError) in
            do { try await gate.wait() } catch { throw .cancelled }
            return NetworkResponse(statusCode: 200, url: call.url)
        }
        let network = NetworkSession(NetworkConfiguration(transport, [], clock: ManualClock()))
        var counts = network.inFlightUpdates.makeAsyncIterator()
        var seen = await [counts.next()]
        var calls: [Task<Int?, Never>] = []
        for _ in 0..<3 {
            calls.append(Task { await network.status() })
            seen.append(await counts.next())
        }
        XCTAssertEqual(seen, [0, 1, 2, 3])
        gate.open()
        for call in calls { _ = await call.value }
        // A late reader gets the latest value.
        assertEqual(await counts.next(), 0)
    }
}
