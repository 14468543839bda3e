import Dispatch
import Foundation
import RecordKit
import RecordKitTesting
import Synchronization
import TestSupport
import XCTest

final class NetworkActivityTests: TimedTestCase {
    /// The changes in order: `true` for the first call, `false` for the last.
    private final class Edges: Sendable {
        private let state = Mutex<[Bool]>([])
        let queue = DispatchQueue(label: "edges")

        func observe(_ network: NetworkConfiguration) -> ActivityObservation {
            network.observeActivity(on: queue) {
                self.state.withLock { $0.append(true) }
            } last: {
                self.state.withLock { $0.append(false) }
            }
        }

        /// Returns when everything on the queue has run.
        var called: [Bool] {
            queue.sync {}
            return state.withLock { $0 }
        }
    }

    func testItIsShownAtTheFirstAndHiddenAfterTheLast() async throws {
        let gates = [AnswerGate(), AnswerGate()]
        let transport = CannedTransport { call throws(NetworkError) in
            do { try await gates[call.url.path() == "/0" ? 0 : 1].wait() } catch { throw .cancelled }
            return NetworkResponse(statusCode: 200, url: call.url)
        }
        let network = NetworkConfiguration(transport, [], clock: ManualClock())
        let (edges, others) = (Edges(), Edges())
        let observations = [edges.observe(network), others.observe(network)]
        let calls = (0..<2).map { number in Task { await network.status(of: Ask(path: "\(number)")) } }
        await until { network.inFlight >= 2 }
        XCTAssertEqual(edges.called, [true])
        gates[0].open()
        _ = await calls[0].value
        XCTAssertEqual(edges.called, [true])
        gates[1].open()
        _ = await calls[1].value
        XCTAssertEqual(edges.called, [true, false])
        _ = await network.status(of: Ask(path: "1"))
        XCTAssertEqual(edges.called, [true, false, true, false])
        XCTAssertEqual(others.called, [true, false, true, false])
        withExtendedLifetime(observations) {}
    }

    func testOneThatBeginsLateIsToldAtOnceAndOneThatEndsIsToldNoMore() async {
        let gate = AnswerGate()
        let transport = CannedTransport { call throws(NetworkError) in
            do { try await gate.wait() } catch { throw .cancelled }
            return NetworkResponse(statusCode: 200, url: call.url)
        }
        let network = NetworkConfiguration(transport, [], clock: ManualClock())
        let call = Task { await network.status() }
        await until { network.inFlight >= 1 }
        let (kept, dropped, cancelled) = (Edges(), Edges(), Edges())
        let observations = [kept.observe(network), cancelled.observe(network)]
        _ = dropped.observe(network)
        observations[1].cancel()
        gate.open()
        _ = await call.value
        XCTAssertEqual(kept.called, [true, false])
        XCTAssertEqual(dropped.called, [true])
        XCTAssertEqual(cancelled.called, [true])
        withExtendedLifetime(observations) {}
    }

    func testWithoutAQueueItIsCalledOnOneOfItsOwn() async {
        let network = NetworkConfiguration(CannedTransport(), [], clock: ManualClock())
        let called = AsyncStream<Bool>.makeStream()
        let observation = network.observeActivity {
            called.continuation.yield(Thread.isMainThread)
        } last: {
            called.continuation.yield(Thread.isMainThread)
        }
        _ = await network.status()
        for await isMain in called.stream.prefix(2) { XCTAssertFalse(isMain) }
        withExtendedLifetime(observation) {}
    }

    func testItIsExactForBothWaysToRunAtOnce() async throws {
        let server = try LoopbackServer(answers: [.text("x")])
        let network = NetworkConfiguration(server.url)
        let manager = NetworkManager<Ask<String>>(network)
        let edges = Edges()
        let observation = edges.observe(network)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    if number.isMultiple(of: 2) {
                        _ = try? await manager.value(for: Ask())
                    } else {
                        await withCheckedContinuation { continuation in
                            manager.dataTask(for: Ask()) { _ in continuation.resume() }
                        }
                    }
                }
                if number % 20 == 19 { await group.waitForAll() }
            }
        }
        let called = edges.called
        XCTAssertEqual(called.count % 2, 0)
        XCTAssertGreaterThanOrEqual(called.count, 2)
        for (index, isFirst) in called.enumerated() { XCTAssertEqual(isFirst, index.isMultiple(of: 2)) }
        XCTAssertEqual(network.inFlight, 0)
        withExtendedLifetime(observation) {}
    }

    func testASequenceGivesTheCountAndItsChanges() async {
        let gate = AnswerGate()
        let transport = CannedTransport { call throws(NetworkError) in
            do { try await gate.wait() } catch { throw .cancelled }
            return NetworkResponse(statusCode: 200, url: call.url)
        }
        let network = NetworkConfiguration(transport, [], clock: ManualClock())
        var counts = network.activity.makeAsyncIterator()
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
        let last = await counts.next()
        XCTAssertEqual(last, 0)
    }

    func testASequenceThatNobodyReadsAnyMoreIsForgotten() async {
        let network = NetworkConfiguration(CannedTransport(), [], clock: ManualClock())
        let reader = Task {
            var count = 0
            for await _ in network.activity { count += 1 }
            return count
        }
        while await network.status() != 200 {}
        reader.cancel()
        _ = await reader.value
        _ = await network.status()
        XCTAssertEqual(network.inFlight, 0)
    }
}
