import Dispatch
import Foundation
import RecordKitTesting
import Synchronization
import XCTest

@testable import RecordKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class GuardedDataTaskTests: XCTestCase {
    private let session = URLSession(configuration: .withoutCache)

    override func tearDown() {
        session.finishTasksAndInvalidate()
    }

    private func guarded(
        _ url: URL, slots: HostSlots? = nil, completion: @escaping @Sendable (GuardedDataTask.Outcome) -> Void
    ) -> GuardedDataTask {
        let make = GuardedDataTask.maker(in: session)
        let call = NetworkCall(url: url)
        return GuardedDataTask(
            call, redirects: Redirects(of: call), slots: slots, make: make, completion: completion)
    }

    func testOneThatEndsBeforeItsStartLeavesNoTaskBehind() async throws {
        let server = try LoopbackServer(answers: [.text("x")])
        let count = Mutex(0)
        let guarded = guarded(server.url) { _ in count.withLock { $0 += 1 } }
        let task = try guarded.makeTask()
        guarded.stop(.failure(.cancelled))
        guarded.start(task)

        await until { task.state == .completed }
        XCTAssertEqual(count.withLock { $0 }, 1)
        XCTAssertEqual(server.connectionCount, 0)
    }

    func testATimeoutAfterARedirectNamesTheServerThatDoesNotAnswer() async throws {
        let other = try LoopbackServer(answers: [.never])
        let server = try LoopbackServer(answers: [.redirect(to: "\(other.url)/x")])
        let network = NetworkConfiguration(server.url, options: RequestOptions(timeout: .milliseconds(300)))
        for way in HostileBehaviour.Way.allCases {
            let result = await HostileBehaviour.run(Ask(), network, way)
            guard case .failure(.timedOut(let timeout)) = result else { return XCTFail("\(way): \(result)") }
            XCTAssertEqual(timeout.host, "127.0.0.1:\(other.port)", "\(way)")
        }
    }

    func testOneThatEndsWhileItIsHandedASlotGivesItBack() async throws {
        let server = try LoopbackServer(answers: [.text("x")])
        let slots = HostSlots(limit: 1)
        XCTAssertTrue(slots.take(server.url.origin))
        let guarded = guarded(server.url, slots: slots) { _ in }
        let task = try guarded.makeTask()
        guarded.start(task)
        // Tasks are started on a queue, which is held for the moment.
        let gate = DispatchSemaphore(value: 0)
        SessionTasks.perform { gate.wait() }
        slots.leave(server.url.origin)
        guarded.stop(.failure(.cancelled))
        gate.signal()

        await until { slots.count(server.url.origin).taken == 0 && task.state == .completed }
        XCTAssertEqual(server.connectionCount, 0)
    }

    #if canImport(FoundationNetworking)
    func testOneThatEndsWhileARedirectIsFollowedSendsNothingMore() async throws {
        let server = try LoopbackServer { $0.path == "/ask" ? .redirect(to: "/x") : .text("x") }
        let made = Mutex<[URLSessionDataTask]>([])
        let first = Mutex<GuardedDataTask?>(nil)
        let outcomes = AsyncStream<GuardedDataTask.Outcome>.makeStream()
        let make = GuardedDataTask.maker(in: session)
        let call = NetworkCall(url: server.url.appending(path: "ask"))
        let guarded = GuardedDataTask(call, redirects: Redirects(of: call), slots: nil) {
            guarded, call throws(NetworkError) in
            let task = try make(guarded, call)
            made.withLock { $0.append(task) }
            first.withLock { $0.take() }?.stop(.failure(.cancelled))
            return task
        } completion: {
            outcomes.continuation.yield($0)
        }
        let task = try guarded.makeTask()
        first.withLock { $0 = guarded }
        guarded.start(task)

        for await outcome in outcomes.stream.prefix(1) {
            XCTAssertEqual(HostileBehaviour.text(of: outcome), "cancelled")
        }
        await until { made.withLock { $0.count == 2 && $0.allSatisfy { $0.state == .completed } } }
        XCTAssertEqual(server.requests.map(\.path), ["/ask"])
    }
    #endif
}
