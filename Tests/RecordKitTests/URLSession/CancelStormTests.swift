import Dispatch
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// Data tasks that are cancelled more than once. They run in a process of its own, because Foundation's registry may
/// end it.
final class CancelStormTests: TimedTestCase {
    #if os(Linux)
    func testATaskThatIsEndedTwiceHasOneOutcome() throws {
        if ChildProcess.task != nil { return }
        let child = try ChildProcess.run("RecordKitTests.CancelStormTests/testInTheChildTasksAreEnded", task: "storm")
        XCTAssertEqual(child.status, 0, child.output)
    }
    #endif

    /// Two concurrent calls of `cancelAll()` end tasks that the app has just cancelled.
    func testInTheChildTasksAreEnded() async throws {
        guard ChildProcess.task == "storm" else { return }
        let server = try LoopbackServer {
            $0.connection % 2 == 0
                ? .never : StubResponse([.chunk("a"), .chunk("b")]).slow(bytes: 1, every: .microseconds(200))
        }
        let network = NetworkSession(NetworkConfiguration(server.url))
        for round in 0..<100 {
            let calls = (0..<6).map { _ in RunningCall(.dataTaskByHandle, NetworkManager(network)) }
            _ = try await server.request(at: round * 6 + 5)
            for call in calls { call.cancel() }
            DispatchQueue.concurrentPerform(iterations: 2) { _ in network.cancelAll() }
            for call in calls {
                _ = await call.outcome
                XCTAssertEqual(call.count, 1)
            }
        }
        XCTAssertEqual(network.inFlight, 0)
    }
}
