import Dispatch
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class DataTaskDriverTests: TimedTestCase {
    private let session = URLSession(configuration: .withoutCache)

    override func tearDown() { session.finishTasksAndInvalidate() }

    private func driver(
        _ url: URL, _ transfer: Transfer, slots: HostSlots? = nil, make: SessionExchange.Maker? = nil,
        completion: @escaping @Sendable (NetworkCall.Outcome) -> Void = { _ in }
    ) -> DataTaskDriver {
        DataTaskDriver(
            NetworkCall(url: url), transfer, slots: slots, cookies: nil, keepsCookies: false,
            make: make ?? SessionExchange.maker(in: session), completion: completion)
    }

    func testOneThatEndsBeforeItsStartLeavesNoTaskBehind() async throws {
        let server = try LoopbackServer(responses: [.text("x")])
        let count = Kept(0)
        let transfer = Transfer()
        transfer.stop(.cancelled)
        let driver = driver(server.url, transfer, completion: { _ in count.change { $0 += 1 } })
        let task = try driver.start()

        await until { task.state == .completed }
        XCTAssertEqual(count.now, 1)
        XCTAssertEqual(server.connectionCount, 0)
    }

    func testATimeoutAfterARedirectNamesTheServerThatDoesNotRespond() async throws {
        let other = try LoopbackServer(responses: [.never])
        let server = try LoopbackServer(responses: [.redirect(to: "\(other.url)/x")])
        let network = NetworkConfiguration(server.url, options: RequestOptions(timeout: .milliseconds(300)))
        for way in HostileBehavior.Way.allCases {
            let result = await HostileBehavior.run(Ask(), network, way)
            guard case .failure(.timedOut(let timeout)) = result else { return XCTFail("\(way): \(result)") }
            XCTAssertEqual(timeout.host, "127.0.0.1:\(other.port)", "\(way)")
        }
    }

    func testOneThatEndsWhileItIsHandedASlotGivesItBack() async throws {
        let server = try LoopbackServer(responses: [.text("x")])
        let slots = HostSlots(limit: 1)
        XCTAssertTrue(slots.take(URLOrigin(server.url)))
        let transfer = Transfer()
        let task = try driver(server.url, transfer, slots: slots).start()
        // Holds the queue on which tasks are started.
        let gate = DispatchSemaphore(value: 0)
        SessionTasks.perform { gate.wait() }
        slots.leave(URLOrigin(server.url))
        transfer.stop(.cancelled)
        gate.signal()

        await until { slots.count(URLOrigin(server.url)).taken == 0 && task.state == .completed }
        XCTAssertEqual(server.connectionCount, 0)
    }

    #if canImport(FoundationNetworking)
    func testOneThatEndsWhileARedirectIsFollowedSendsNothingMore() async throws {
        let server = try LoopbackServer { $0.path == "/ask" ? .redirect(to: "/x") : .text("x") }
        let made = Kept<[URLSessionDataTask]>([])
        let transfer = Transfer()
        let outcomes = AsyncStream<NetworkCall.Outcome>.makeStream()
        let make = SessionExchange.maker(in: session)
        let stopping: SessionExchange.Maker = { exchange, call throws(NetworkError) in
            let task = try make(exchange, call)
            let isSecond = made.change { made in
                made.append(task)
                return made.count == 2
            }
            if isSecond { transfer.stop(.cancelled) }
            return task
        }
        let driver = driver(server.url.appending(path: "ask"), transfer, make: stopping) {
            outcomes.continuation.yield($0)
        }
        _ = try driver.start()

        for await outcome in outcomes.stream.prefix(1) {
            XCTAssertEqual(HostileBehavior.text(of: outcome), "cancelled")
        }
        await until { made.change { $0.count == 2 && $0.allSatisfy { $0.state == .completed } } }
        XCTAssertEqual(server.requests.map(\.path), ["/ask"])
    }
    #endif
}
