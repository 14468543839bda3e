import TestSupport
import XCTest

import RecordKit
@testable import RecordKitInterceptors

final class HostQueueTests: TimedTestCase {
    /// A queue with one call a second, and none left now.
    private func queue() -> HostQueue {
        var pace = HostPace(HostPace.Rate(callsPerSecond: 1, burst: 9), now: .zero)
        for _ in 0..<9 { pace.take() }
        for _ in 0..<9 { pace.leave(nil, mayHaveCounted: true, now: .zero) }
        return HostQueue(pace)
    }

    /// The first call in the queue may not have woken up yet.
    func testACallDoesNotPassTheQueue() {
        var queue = queue()
        _ = queue.enter(1, patience: .seconds(9), now: .zero)
        guard case .waits = queue.enter(2, patience: .seconds(9), now: .seconds(5)) else {
            return XCTFail("went before")
        }
        XCTAssertFalse(queue.isIdle(now: .seconds(500)))
        XCTAssertTrue(self.queue().isIdle(now: .seconds(500)))
    }

    func testTheWaitIsThatOfAllWhoCameBefore() {
        var queue = queue()
        guard case .waits = queue.enter(1, patience: .seconds(1), now: .zero) else { return XCTFail("too long") }
        guard case .tooLong(.seconds(2)) = queue.enter(2, patience: .seconds(1.5), now: .zero) else {
            return XCTFail("waits")
        }
    }
}
