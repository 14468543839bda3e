import RecordKit
import RecordKitTelemetry
import RecordKitTesting
import TestSupport
import XCTest

/// When a collector that fails is asked again, and how long a flush takes.
final class PauseTests: TelemetryTestCase {
    func testACollectorIsNotAskedBeforeItsRetryAfter() async {
        for (path, first) in [("/v1/traces", [0]), ("/v1/metrics", [0, 0])] {
            let manual = ManualClock()
            let times = Kept<[Int]>([])
            let collector = CannedTransport { call throws(NetworkError) in
                let now = Int(manual.now / .seconds(1))
                times.add(now)
                let isBusy = now < 60 && call.url.path == path
                return NetworkResponse(
                    statusCode: isBusy ? 503 : 200, headers: isBusy ? ["Retry-After": "60"] : [:], url: call.url)
            }
            let telemetry = telemetry(collector, clock: manual.networkClock) { $0.batchSize = 4 }
            await sendCalls(1, telemetry)
            assertEqual(await telemetry.flush(), false)
            // Neither a full batch, nor a timer, nor a flush that would have to wait too long.
            await sendCalls(2, telemetry)
            manual.advance(by: .seconds(39))
            assertEqual(await telemetry.flush(), false)
            XCTAssertEqual(times.now, first)

            manual.advance(by: .seconds(5))
            async let isFlushed = telemetry.flush()
            await manual.advanceToNextSleeper()
            assertEqual(await isFlushed, true)
            XCTAssertEqual(Set(times.now.dropFirst(first.count)), [60])
        }
    }

    func testPausesGrowAndAreNotAllAlike() async {
        let (manual, waits) = (ManualClock(), Kept<[Duration]>([]))
        let clock = manual.telling { waits.add($0) }
        let telemetry = telemetry(CannedTransport { _ throws(NetworkError) in throw .refused }, clock: clock) {
            ($0.spanInterval, $0.metricInterval, $0.timeout) = (.milliseconds(1), .seconds(100_000), .seconds(1000))
        }
        await sendCalls(1, telemetry)
        // A flush doesn't wait for a pause that the collector hasn't asked for. It has two failures.
        for _ in 0..<6 {
            manual.advance(by: .seconds(512))
            await telemetry.flush()
        }
        let pauses = waits.now.filter { $0 > .milliseconds(1) && $0 < .seconds(1000) }.map { $0 / .seconds(1) }
        XCTAssertGreaterThan(pauses.count, 4)
        for pause in pauses { XCTAssertTrue((1...256).contains(pause), "\(pause)") }
        XCTAssertGreaterThan(pauses.last ?? 0, 127)
        XCTAssertEqual(Set(pauses).count, pauses.count)
    }

    func testAFlushHasOneDeadline() async throws {
        /// How a collector responds, and how often the clock is advanced until it is at the deadline.
        enum Collector { case hangs, isSlow, drips }
        for (kind, advances) in [(Collector.hangs, 2), (.isSlow, 3), (.drips, 20)] {
            let (manual, isBack, hasBegun) = (ManualClock(), Kept(false), ResponseGate())
            let clock = manual.telling { if $0 == .seconds(20) { hasBegun.open() } }
            let collector = CannedTransport { call throws(NetworkError) in
                if isBack.now { return NetworkResponse(statusCode: 200, url: call.url) }
                if kind == .drips { return NetworkResponse(statusCode: 200, url: call.url, dripping: manual) }
                do {
                    try await manual.networkClock.sleep(.seconds(kind == .hangs ? 1000 : 9))
                } catch {
                    throw .cancelled
                }
                return NetworkResponse(statusCode: 200, url: call.url)
            }
            let telemetry = telemetry(collector, clock: clock) {
                ($0.batchSize, $0.spanInterval, $0.metricInterval) = (2, .seconds(1000), .seconds(1000))
            }
            await sendCalls(4, telemetry)
            async let isFlushed = telemetry.flush()
            try await hasBegun.wait()
            for _ in 0..<advances { await manual.advanceToNextSleeper() }
            assertEqual(await isFlushed, false)
            XCTAssertEqual(manual.now, .seconds(20), "\(kind)")
            XCTAssertNotNil(telemetry.lastFailure)

            // What wasn't received is sent later, after the export in flight.
            await manual.waitForSleepers(1)
            isBack.set(true)
            manual.advance(by: .seconds(10))
            assertEqual(await telemetry.flush(), true, "\(kind)")
            XCTAssertEqual(telemetry.droppedSpans, 0)
            let sent = try await exports(collector).flatMap(\.spans).map(\.spanId)
            XCTAssertEqual(Set(sent).count, 8, "\(kind)")
        }
    }
}

extension ManualClock {
    /// Returns the clock of a configuration, which tells the waits of its timers.
    fileprivate func telling(_ wait: @escaping @Sendable (Duration) -> Void) -> NetworkClock {
        NetworkClock(
            now: { self.now }, sleep: { try await self.networkClock.sleep($0) },
            schedule: { duration, action in
                let cancel = self.networkClock.schedule(duration, action)
                wait(duration)
                return cancel
            }, date: { self.date })
    }
}

extension NetworkResponse {
    /// Creates a response whose body has a byte each second, without an end.
    fileprivate init(statusCode: Int, url: URL, dripping clock: ManualClock) {
        let dripping = Kept<Task<Void, Never>?>(nil)
        let (bytes, writer) = NetworkBytes.makeStream { dripping.now?.cancel() }
        dripping.set(
            Task {
                while (try? await clock.networkClock.sleep(.seconds(1))) != nil { _ = writer.write(Data(" ".utf8)) }
            })
        self.init(statusCode: statusCode, headers: [:], content: .stream(bytes), url: url)
    }
}
