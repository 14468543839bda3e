import Dispatch
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// Many calls, concurrent and sequential. The tests are short by default; `RECORDKIT_SOAK=1` runs them at full length.
final class SoakTests: TimedTestCase {
    typealias Manager = NetworkManager<Ask<NetworkResponse>>

    private static let isLong = ProcessInfo.processInfo.environment["RECORDKIT_SOAK"] == "1"

    /// 8 tasks begin calls of all kinds. The server sends responses of all kinds. Each call is cancelled at a random
    /// moment.
    func testCancelledCallsAtRandomNeitherHangNorCrashNorStay() async throws {
        let count = Self.isLong ? 20_000 : 1_000
        let server = try LoopbackServer.mixed()
        let configuration = NetworkSession(NetworkConfiguration(server.url))
        let (manager, tasks) = (Manager(configuration), Manager(configuration))
        let watchdog = Watchdog()

        var outcomes: [String: Int] = [:]
        await withTaskGroup(of: [String: Int].self) { group in
            for worker in 0..<8 {
                group.addTask {
                    var outcomes: [String: Int] = [:]
                    var chance = SplitMix(seed: UInt64(worker))
                    for number in 0..<(count / 8) {
                        // `cancelAll()` ends every hundredth call, with all that are in flight. Cancelling a handle at
                        // the same moment could end the process in Foundation, so data tasks have their own manager.
                        let isTask = number % 3 == 0
                        let way: RunningCall.Way =
                            isTask ? .dataTaskByHandle : number % 100 == 1 ? .valueByManager : .valueByTask
                        let call = RunningCall(way, isTask ? tasks : manager, Ask(query: ["n": number]))
                        DispatchQueue.global().asyncAfter(
                            deadline: .now() + .microseconds(Int.random(in: 0..<8_000, using: &chance))
                        ) { call.cancel() }
                        outcomes[String(await call.text.prefix(12)), default: 0] += 1
                        if call.count != 1 { outcomes["\(call.count) outcomes", default: 0] += 1 }
                        watchdog.isAlive()
                    }
                    return outcomes
                }
            }
            for await part in group { outcomes.merge(part, uniquingKeysWith: +) }
        }
        watchdog.stop()

        XCTAssertEqual(outcomes.values.reduce(0, +), count / 8 * 8)
        XCTAssertEqual(
            Set(outcomes.keys).subtracting(["200 fine", "200 late", "200 there", "200 xxxxxxxx", "cancelled"]), [])
        XCTAssertGreaterThan(outcomes["cancelled"] ?? 0, 0, "no call was cancelled")
        XCTAssertGreaterThan(count - (outcomes["cancelled"] ?? 0), 0, "every call was cancelled")
        XCTAssertEqual(configuration.inFlight, 0)
        let last = await RunningCall(.valueByTask, manager).text
        XCTAssertTrue(last.hasPrefix("200"), "no call succeeds afterwards: \(last)")
        if Self.isLong { print("\(count) cancellations: \(outcomes)") }
    }

    #if os(Linux)
    func testManyCallsLeaveMemoryThreadsAndDescriptorsAsTheyWere() async throws {
        let count = Self.isLong ? 10_000 : 1_000
        let server = try LoopbackServer { request in
            request.target.hasSuffix("7") ? .text("gone").cut(after: 1) : .text(String(repeating: "x", count: 2_000))
        }
        let manager = Manager(NetworkConfiguration(server.url))
        func run(_ count: Int) async {
            await withTaskGroup(of: Void.self) { group in
                for worker in 0..<8 {
                    group.addTask {
                        for number in 0..<(count / 8) {
                            let way: RunningCall.Way = (number + worker) % 2 == 0 ? .valueByTask : .dataTaskByHandle
                            _ = await RunningCall(way, manager, Ask(query: ["n": number])).outcome
                        }
                    }
                }
            }
        }
        await run(count / 4)
        let before = ProcessFigures.now
        await run(count)
        let after = ProcessFigures.now

        // The server keeps every request that it receives, about 1.5 KB each.
        let most = ProcessFigures.areSanitized ? .max : 4_000 + count * 2
        XCTAssertLessThan(after.memory - before.memory, most, "\(before), then \(after)")
        XCTAssertLessThanOrEqual(after.threads, before.threads + 8, "\(before), then \(after)")
        XCTAssertLessThanOrEqual(after.descriptors, before.descriptors + 8, "\(before), then \(after)")
        XCTAssertEqual(manager.inFlight, 0)
        if Self.isLong { print("\(count) calls: \(before), then \(after)") }
    }
    #endif

    /// Ends the process if no call has ended for a while, because a test that hangs would not be reported.
    private final class Watchdog: Sendable {
        private let last = Kept<ContinuousClock.Instant?>(.now)

        init() {
            look()
        }

        func isAlive() { last.set(.now) }

        func stop() { last.set(nil) }

        private func look() {
            DispatchQueue.global().asyncAfter(deadline: .now() + 1) { [weak self] in
                guard let self, let last = last.change({ $0 }) else { return }
                if ContinuousClock.now - last > .seconds(30) { fatalError("no call has ended for 30 seconds") }
                look()
            }
        }
    }
}
