import RecordKit
import RecordKitInterceptors
import RecordKitOutbox
import RecordKitTesting
import TestSupport
import XCTest

/// Pauses, and what ends them.
final class PauseTests: TimedTestCase {
    func testAnHourWithoutAServer() async throws {
        for seed in 0..<3 {
            let bench = try Bench()
            let random = Kept(SplitMix(seed: UInt64(seed)))
            let outbox = try Outbox(
                file: bench.file, client: bench.session(), kinds: [bench.sales()], clock: bench.clock.networkClock,
                random: { random.change { Double.random(in: 0..<1, using: &$0) } })
            bench.server.fail(.connection(.refused))
            for number in 0..<50 { try await outbox.add(PostSale(sku: "\(number)"), lane: "\(number % 10)") }
            let running = Task { await outbox.run() }
            while bench.clock.now < .seconds(3600) { await bench.clock.advanceToNextSleeper() }
            XCTAssertLessThanOrEqual(bench.server.count, 45)
            XCTAssertGreaterThanOrEqual(bench.server.count, 15)
            bench.server.sell()
            await outbox.wake()
            await until { bench.handled.now.count == 50 }
            running.cancel()
            await running.value
        }
    }

    func testCallsThatFailTogetherAreOneFailure() async throws {
        let (bench, outbox) = try Bench.opened()
        bench.server.fail(.connection(.refused))
        for number in 0..<4 { try await outbox.add(PostSale(sku: "\(number)"), lane: "\(number)") }
        await outbox.sendPending()
        let first = bench.server.count
        // The first wait is at most a second. Then one call at a time is sent.
        bench.clock.advance(by: .seconds(1))
        await outbox.sendPending()
        XCTAssertEqual(bench.server.count, first + 1)
        bench.clock.advance(by: .seconds(1))
        await outbox.sendPending()
        XCTAssertEqual(bench.server.count, first + 1)
        bench.server.sell()
        bench.clock.advance(by: .seconds(1))
        assertEqual(await outbox.sendPending(), OutboxStatus())
    }

    func testAFailureFromBeforeAWakeDoesNotPause() async throws {
        for status in [401, 503] {
            let (bench, outbox) = try Bench.opened()
            let gate = ResponseGate()
            bench.server.respond { (call, _) throws(NetworkError) in
                try? await gate.wait()
                return NetworkResponse(statusCode: status, url: call.url)
            }
            try await outbox.add(PostSale(sku: "a"))
            let sending = Task { await outbox.sendPending() }
            await until { bench.server.count == 1 }
            await outbox.wake()
            bench.server.sell()
            gate.open()
            assertEqual(await sending.value, OutboxStatus())
            XCTAssertEqual(bench.server.count, 2)
        }
    }

    func testTheServersWaitIsNotShortenedAndAtMostADay() async throws {
        for (asked, wait) in [("3600", 3600), ("31536000", 86_400)] {
            let (bench, outbox) = try Bench.opened()
            bench.server.respond(503, ["Retry-After": asked])
            try await outbox.add(PostSale(sku: "a"))
            await outbox.sendPending()
            bench.server.sell()
            for passed in [0, wait - 1] {
                bench.clock.advance(by: .seconds(passed))
                await outbox.wake()
                await outbox.use(account: nil)
                assertEqual(await outbox.sendPending(), OutboxStatus(waiting: 1, pause: .serverBusy))
            }
            bench.clock.advance(by: .seconds(1))
            assertEqual(await outbox.sendPending(), OutboxStatus())
        }
    }

    func testWaitsDoNotDependOnTheDate() async throws {
        let (bench, outbox) = try Bench.opened()
        bench.server.respond(503, ["Retry-After": "60"])
        try await outbox.add(PostSale(sku: "a"))
        try await outbox.add(PostSale(sku: "b"), expiry: bench.clock.date.addingTimeInterval(1000))
        await outbox.sendPending()
        bench.server.sell()
        for shift in [-86_400, 86_000, -86_000] {
            bench.clock.shiftDate(by: .seconds(shift))
            assertEqual(await outbox.sendPending().waiting, 2)
        }
        bench.clock.advance(by: .seconds(60))
        await outbox.sendPending()
        XCTAssertEqual(bench.handled.now, ["a: 7", "b: 7"])
        // Only an expiry does.
        try await outbox.add(PostSale(sku: "c"), expiry: bench.clock.date.addingTimeInterval(1000))
        bench.clock.shiftDate(by: .seconds(1001))
        await outbox.sendPending()
        XCTAssertEqual(bench.handled.now.last, "c: expired")
    }

    /// Neither another outbox nor a full disk makes it forget what the server has said.
    func testThePausesOfTheServerAndOfTheFileAreTwo() async throws {
        for (status, pause) in [(401, OutboxStatus.Pause.signedOut), (429, .serverBusy)] {
            let (bench, outbox) = try Bench.opened()
            bench.server.respond(status, ["Retry-After": "3600"])
            try await outbox.add(PostSale(sku: "a"))
            assertEqual(await outbox.sendPending().pause, pause)
            // A handler is due, and another outbox is sending.
            try await outbox.add(PostSale(sku: "b"), lane: "b", expiry: bench.clock.date)
            let lock = open(bench.file.path + ".lock", O_RDWR)
            XCTAssertEqual(flock(lock, LOCK_EX | LOCK_NB), 0)
            assertEqual(await outbox.sendPending().pause, .otherOutbox)
            close(lock)
            bench.clock.advance(by: .seconds(2))
            bench.server.sell()
            assertEqual(await outbox.sendPending(), OutboxStatus(waiting: 1, pause: pause))
            XCTAssertEqual(bench.handled.now, ["b: expired"])
            XCTAssertEqual(bench.server.count, 1)
        }
    }

    /// A client that says `cancelled` by itself isn't asked again at once.
    func testACancellationByTheClientIsAFailure() async throws {
        let (bench, outbox) = try Bench.opened()
        bench.server.fail(.cancelled)
        try await outbox.add(PostSale(sku: "a"))
        let running = Task { await outbox.run() }
        await bench.clock.waitForSleepers(1)
        await until { bench.server.count >= 1 }
        await bench.clock.advanceToNextSleeper()
        running.cancel()
        await running.value
        XCTAssertLessThanOrEqual(bench.server.count, 2)
    }

    /// Another one could be lost as well.
    func testARequestThatIsSentOncePausesWhenItFails() async throws {
        let (bench, outbox) = try Bench.opened()
        bench.server.respond(500)
        for number in 0..<20 { try await outbox.add(PostOnce(sku: "\(number)"), lane: "\(number % 2)") }
        assertEqual(await outbox.sendPending().pause, .serverBusy)
        XCTAssertLessThanOrEqual(bench.server.count, 2)
    }

    func testANewProcessTriesAtOnce() async throws {
        let bench = try Bench()
        bench.server.respond(503, ["Retry-After": "3600"])
        try await bench.outbox().add(PostSale(sku: "a"))
        try await (bench.outbox()).sendPending()
        bench.server.sell()
        try await (bench.outbox()).sendPending()
        XCTAssertEqual(bench.handled.now, ["a: 7"])
    }

    func testHandlersRunWhileTheOutboxIsPaused() async throws {
        struct Failure: Error {}
        let bench = try Bench()
        let fails = Kept(true)
        let outbox = try bench.outbox(kinds: [bench.sales { _ in if fails.now { throw Failure() } }])
        try await outbox.add(PostSale(sku: "a"), lane: "1")
        await outbox.sendPending()
        bench.server.respond(401)
        try await outbox.add(PostSale(sku: "b"), lane: "2")
        assertEqual(await outbox.sendPending().pause, .signedOut)
        fails.set(false)
        bench.clock.advance(by: .seconds(1))
        assertEqual(await outbox.sendPending(), OutboxStatus(waiting: 1, pause: .signedOut))
        XCTAssertEqual(bench.handled.now, ["a: 7", "a: 7"])
    }
}
