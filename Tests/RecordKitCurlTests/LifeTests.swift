#if os(Linux)
import Dispatch
import RecordKit
import RecordKitCurl
import RecordKitTesting
import TestSupport
import XCTest

/// Threads, descriptors, memory and processor time.
final class LifeTests: TimedTestCase {
    private static let isLong = ProcessInfo.processInfo.environment["RECORDKIT_SOAK"] != nil

    func testAReleasedTransportLeavesNoThreadAndNoDescriptor() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        // In one process, other tests may have transports, too. Their threads can only end meanwhile.
        let (threads, descriptors) = (ProcessFigures.threads(named: "RecordKitCurl"), ProcessFigures.now.descriptors)
        for _ in 0..<20 {
            var network: NetworkConfiguration? = NetworkConfiguration(server.url)
            let texts = await withTaskGroup(of: String.self) { [network] group in
                for _ in 0..<5 { group.addTask { await network?.outcome() ?? "" } }
                return await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            XCTAssertEqual(texts, ["200 x"])
            network = nil
        }
        // A transport that was never used.
        _ = CurlTransport()
        await until { ProcessFigures.threads(named: "RecordKitCurl") <= threads }
        await until { server.openConnectionCount == 0 }
        // A transport has two descriptors, apart from its connections. Dispatch opens some for its timers.
        await until { ProcessFigures.now.descriptors <= descriptors + 6 }
    }

    func testRandomCancellationsLeaveNothingBehind() async throws {
        let count = Self.isLong ? 20_000 : 1_600
        let server = try LoopbackServer.mixed()
        let network = NetworkSession(NetworkConfiguration(server.url))
        let outcomes = await withTaskGroup(of: [String: Int].self) { group in
            for worker in 0..<8 {
                group.addTask {
                    var outcomes: [String: Int] = [:]
                    for number in 0..<(count / 8) {
                        let task = Task { await network.outcome(Fetch(query: ["n": number])) }
                        DispatchQueue.global().asyncAfter(
                            deadline: .now() + .microseconds((number * 7_919 + worker * 104_729) % 3_000)
                        ) { number % 100 == 1 ? network.cancelAll() : task.cancel() }
                        outcomes[String(await task.value.prefix(9)), default: 0] += 1
                    }
                    return outcomes
                }
            }
            return await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        }
        XCTAssertEqual(
            Set(outcomes.keys).subtracting(["200 fine", "200 late", "200 there", "200 xxxxx", "cancelled"]), [])
        XCTAssertGreaterThan(outcomes["cancelled"] ?? 0, 0)
        XCTAssertEqual(network.inFlight, 0)
        assertEqual(await network.outcome(), "200 fine")
    }

    func testManyCallsLeaveMemoryThreadsAndDescriptorsAsTheyWere() async throws {
        let count = Self.isLong ? 100_000 : 2_000
        let server = try ScriptServer { connection in
            while !connection.read().isEmpty { connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        }
        let network = NetworkConfiguration(try server.url)
        func run(_ count: Int) async {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<(count / 8) {
                            let text = await network.outcome()
                            if text != "200 ok" { XCTFail(text) }
                        }
                    }
                }
            }
        }
        await run(1_000)
        let before = ProcessFigures.now
        await run(count)
        let after = ProcessFigures.now
        if !ProcessFigures.areSanitized {
            XCTAssertLessThan(after.memory - before.memory, 8 << 10, "\(before), then \(after)")
        }
        XCTAssertLessThanOrEqual(after.threads, before.threads + 4, "\(before), then \(after)")
        XCTAssertLessThanOrEqual(after.descriptors, before.descriptors + 4, "\(before), then \(after)")
        if Self.isLong { print("\(count) calls: \(before), then \(after)") }
    }

    func testWaitingCostsNoProcessorTime() async throws {
        let server = try LoopbackServer(responses: [.text("x").after(.delay(.milliseconds(1_500)))])
        let network = NetworkConfiguration(server.url)
        let before = clock()
        let text = await network.outcome()
        let spent = Double(clock() - before) / Double(CLOCKS_PER_SEC)
        XCTAssertEqual(text, "200 x")
        // A thread that is busy while it waits would take 1.5 s.
        XCTAssertLessThan(spent, 0.7)
    }

    /// libcurl resolves names in a thread of its own, which can't be interrupted.
    func testCancellingDuringNameResolutionDoesNotHoldUpOthers() async throws {
        let server = try LoopbackServer(responses: [.text("x")])
        let transport = CurlTransport()
        let lookup = NetworkSession(
            NetworkConfiguration(environment: NetworkEnvironment("http://nowhere.invalid"), transport: transport))
        let hasEnded = Kept(false)
        let task = Task {
            defer { hasEnded.set(true) }
            return await lookup.outcome()
        }
        await until { lookup.inFlight == 1 || hasEnded.now }
        task.cancel()
        let text = await NetworkConfiguration(
            environment: NetworkEnvironment(server.url.absoluteString), transport: transport
        ).outcome()
        XCTAssertEqual(text, "200 x")
        let cancelled = await task.value
        XCTAssertTrue(["cancelled", "nameNotFound unsent"].contains(cancelled), cancelled)
    }
}
#endif
