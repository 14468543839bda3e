import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// A call that is cancelled at any point ends once, as cancelled, and leaves nothing behind.
final class CancellationPointTests: TimedTestCase {
    typealias Manager = NetworkManager<Ask<NetworkResponse>>

    func testBeforeTheStart() async throws {
        let server = try LoopbackServer(responses: [.text("x")])
        let manager = Manager(NetworkConfiguration(server.url))
        let gate = ResponseGate()
        let task = Task {
            try? await gate.wait()
            return await manager.failure(of: Ask())
        }
        task.cancel()
        gate.open()

        guard case .cancelled = await task.value else { return XCTFail("not cancelled") }
        XCTAssertEqual(server.connectionCount, 0)
    }

    func testAsSoonAsItStarts() async throws {
        for way in RunningCall.Way.allCases {
            let server = try LoopbackServer(responses: [.never])
            let manager = Manager(way.configuration(server.url))
            let call = RunningCall(way, manager)
            if way == .valueByManager || way == .curlByManager { await until { manager.inFlight == 1 } }
            call.cancel()
            await assertCancelled(call, way, manager)
        }
    }

    func testWhileItWaitsForASlot() async throws {
        for way in RunningCall.Way.allCases {
            let gate = ResponseGate()
            let server = try LoopbackServer(responses: [.text("x").after(.wait(gate))])
            let configuration = way.configuration(server.url, exchangesPerHost: 1)
            let first = RunningCall(way.other, Manager(configuration))
            _ = try await server.request(at: 0)

            let manager = Manager(configuration)
            let call = RunningCall(way, manager)
            await until { manager.inFlight == 1 }
            call.cancel()
            await assertCancelled(call, way, manager)

            gate.open()
            _ = await first.outcome
            assertEqual(await RunningCall(way, manager).text, "200 x", "\(way): no slot was given back")
            XCTAssertEqual(server.requests.count, 2, "\(way): a cancelled call was sent")
        }
    }

    #if os(Linux)
    func testWhileItConnects() async throws {
        for way in RunningCall.Way.allCases {
            let listener = try FullListener()
            let url = try XCTUnwrap(URL(string: "http://127.0.0.1:\(listener.port)"))
            let manager = Manager(way.configuration(url))
            let call = RunningCall(way, manager)
            await until { listener.isBeingConnectedTo }
            call.cancel()
            await assertCancelled(call, way, manager)
        }
    }
    #endif

    func testWhileTheServerThinks() async throws { try await checkCancelling([.hold]) }

    func testBetweenHeadAndBody() async throws {
        try await checkCancelling(.text("x").cut(after: 0, then: .hold))
    }

    func testAmidTheBody() async throws { try await checkCancelling(.text("abc").cut(after: 1, then: .hold)) }

    func testAtTheSecondStopOfARedirect() async throws {
        for way in RunningCall.Way.allCases {
            let server = try LoopbackServer { $0.path == "/ask" ? .redirect(to: "/x") : .never }
            let manager = Manager(way.configuration(server.url))
            let call = RunningCall(way, manager)
            let second = try await server.request(at: 1)
            call.cancel()
            await assertCancelled(call, way, manager)
            try await server.waitForDisconnection(of: second.connection)
        }
    }

    func testAfterTheEnd() async throws {
        for way in RunningCall.Way.allCases {
            let server = try LoopbackServer(responses: [.text("x")])
            let manager = Manager(way.configuration(server.url))
            let call = RunningCall(way, manager)
            let first = await call.text
            call.cancel()
            // The cancellation does not affect the next call.
            let second = await RunningCall(way, manager).text

            XCTAssertEqual(first, "200 x", "\(way)")
            XCTAssertEqual(second, "200 x", "\(way)")
            XCTAssertEqual(call.count, 1)
        }
    }

    private func checkCancelling(_ answer: StubResponse) async throws {
        for way in RunningCall.Way.allCases {
            let server = try LoopbackServer(responses: [answer])
            let manager = Manager(way.configuration(server.url))
            let call = RunningCall(way, manager)
            _ = try await server.request(at: 0)
            call.cancel()
            await assertCancelled(call, way, manager)
            try await server.waitForDisconnection(of: 0)
        }
    }

    private func assertCancelled(
        _ call: RunningCall, _ way: RunningCall.Way, _ manager: Manager, line: UInt = #line
    ) async {
        assertEqual(await call.text, "cancelled", "\(way)", line: line)
        XCTAssertEqual(manager.inFlight, 0, "\(way)", line: line)
        XCTAssertEqual(call.count, 1, "\(way)", line: line)
    }
}
