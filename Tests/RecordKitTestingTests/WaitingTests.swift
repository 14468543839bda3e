import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// Waiting for a gate or a request.
final class WaitingTests: TimedTestCase {
    func testAGateThatIsOpenedTwiceLetsEachThroughOnce() async {
        for _ in 0..<100 {
            let gate = ResponseGate()
            let waiting = Task { try await gate.wait() }
            for _ in 0..<10 { await Task.yield() }
            gate.open()
            gate.open()
            let isThrough = await withTimeLimit { (try? await waiting.value) != nil }
            XCTAssertTrue(isThrough)
        }
    }

    func testACancelledTaskWaitsNoMore() async {
        let stub = StubServer()
        for _ in 0..<100 {
            let waiting = Task {
                await failure { () async throws(WaitingError) in _ = try await stub.request(at: 0, within: .seconds(9))
                }
            }
            for _ in 0..<10 { await Task.yield() }
            waiting.cancel()
            let error = await waiting.value
            guard error == .cancelled(waitingFor: "request 0") else {
                return XCTFail("\(String(describing: error))")
            }
        }
    }
}
