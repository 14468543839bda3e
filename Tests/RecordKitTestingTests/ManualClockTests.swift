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

    func testTimeThatPassesAsASleepBeginsIsNotLost() async throws {
        for _ in 0..<2_000 {
            let clock = ManualClock()
            let sleeper = Task.detached { try await clock.networkClock.sleep(.seconds(1)) }
            while clock.sleeps.isEmpty { await Task.yield() }
            clock.advance(by: .seconds(1))
            // Who began to sleep before the time was moved is not to be found asleep after it.
            for _ in 0..<100 where clock.sleeperCount == 0 { await Task.yield() }
            XCTAssertEqual(clock.sleeperCount, 0)
            clock.advance(by: .seconds(1))
            try await sleeper.value
        }
    }
}
