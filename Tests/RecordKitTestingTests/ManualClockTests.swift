import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

final class ManualClockTests: TimedTestCase {
    func testACancelledTaskDoesNotWaitForASleeper() async throws {
        let clock = ManualClock()
        let before = Task { await clock.advanceToNextSleeper() }
        before.cancel()
        assertEqual(await before.value, .zero)

        let watcher = Task { await clock.waitForSleepers(2) }
        let sleeper = Task { try await clock.networkClock.sleep(.seconds(1)) }
        await clock.waitForSleepers(1)
        watcher.cancel()
        await watcher.value
        await clock.advanceToNextSleeper()
        try await sleeper.value
        XCTAssertEqual(clock.now, .seconds(1))
    }

    func testATestWaitsForNoSleeperAboutACallThatHasEnded() async throws {
        let clock = ManualClock()
        let stub = StubServer(clock: clock.networkClock)
        stub.respond(to: "/aks", with: .text("late").delayed(by: .seconds(30)))
        let network = stub.configuration
        async let error = network.failure(of: Ask<String>())
        assertEqual(await clock.advanceToNextSleeper(within: .milliseconds(20)), .zero)
        await clock.waitForSleepers(1, within: .zero)
        assertEqual((await error?.cause as? UnexpectedRequest)?.nearest, "/aks")

        let sleeper = Task { try await clock.networkClock.sleep(.seconds(1)) }
        await clock.advanceToNextSleeper()
        try await sleeper.value
    }

    func testTheDateShiftsAloneAndNoSleeperWakes() async throws {
        let clock = ManualClock()
        let start = clock.date
        let sleeper = Task { try await clock.networkClock.sleep(.seconds(60)) }
        await clock.waitForSleepers(1)
        clock.shiftDate(by: .seconds(86_400))
        XCTAssertEqual(clock.sleeperCount, 1)
        XCTAssertEqual(clock.now, .zero)
        XCTAssertEqual(clock.networkClock.date(), start.addingTimeInterval(86_400))
        clock.advance(by: .seconds(60))
        try await sleeper.value
        clock.shiftDate(by: .seconds(-2 * 86_400))
        XCTAssertEqual(clock.date, start.addingTimeInterval(60 - 86_400))
    }

    func testTheTimeMovesToTheFirstSleeperAndNeverBack() async throws {
        let clock = ManualClock(date: Date(timeIntervalSince1970: 0))
        let sleepers = [2, 1, 3].map { seconds in Task { try await clock.networkClock.sleep(.seconds(seconds)) } }
        await clock.waitForSleepers(3)
        var moved: [Duration] = []
        for _ in 0..<3 { moved.append(await clock.advanceToNextSleeper()) }
        XCTAssertEqual(moved, [.seconds(1), .seconds(1), .seconds(1)])
        for sleeper in sleepers { try await sleeper.value }
        clock.advance(by: .seconds(-1))
        XCTAssertEqual(clock.now, .seconds(3))
        clock.advance(by: .milliseconds(250))
        XCTAssertEqual(clock.date, Date(timeIntervalSince1970: 3.25))
    }

    func testAClockThatAdvancesItselfNeitherGoesBackNorSleepsForACancelledTask() async throws {
        let clock = ManualClock(advancesItself: true)
        for seconds in [2, -1, 0] { try await clock.networkClock.sleep(.seconds(seconds)) }
        XCTAssertEqual(clock.now, .seconds(2))
        XCTAssertEqual(clock.sleeps, [.seconds(2), .seconds(-1), .zero])
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.networkClock.sleep(.seconds(1))
        }
        let error = await failure { try await cancelled.value }
        XCTAssertTrue(error is CancellationError)
        XCTAssertEqual(clock.now, .seconds(2))
    }

    func testTimeThatPassesAsASleepBeginsIsNotLost() async throws {
        for _ in 0..<2_000 {
            let clock = ManualClock()
            let sleeper = Task.detached { try await clock.networkClock.sleep(.seconds(1)) }
            await until { !clock.sleeps.isEmpty }
            clock.advance(by: .seconds(1))
            // A task that began to sleep before the time advanced doesn't sleep afterwards.
            for _ in 0..<100 where clock.sleeperCount == 0 { await Task.yield() }
            XCTAssertEqual(clock.sleeperCount, 0)
            clock.advance(by: .seconds(1))
            try await sleeper.value
        }
    }
}
