import RecordKit
import RecordKitTesting
import XCTest

final class ManualClockTests: XCTestCase {
    func testACancelledTaskDoesNotWaitForASleeper() async throws {
        let clock = ManualClock()
        let before = Task { await clock.advanceToNextSleeper() }
        before.cancel()
        let moved = await before.value
        XCTAssertEqual(moved, .zero)

        let watcher = Task { await clock.sleepers(2) }
        let sleeper = Task { try await clock.networkClock.sleep(.seconds(1)) }
        await clock.sleepers(1)
        watcher.cancel()
        await watcher.value
        await clock.advanceToNextSleeper()
        try await sleeper.value
        XCTAssertEqual(clock.now, .seconds(1))
    }
}
