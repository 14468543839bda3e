import Foundation
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Delays and faults in the tasks of a session.
final class SessionFaultTests: TimedTestCase {
    private let clock = ManualClock()
    private let url = URL(string: "https://stub.test/ask") ?? URL(filePath: "/")

    private func session(_ stub: StubServer, _ answers: StubResponse...) -> URLSession {
        stub.respond(to: "/ask", with: answers)
        return URLSession(configuration: stub.sessionConfiguration)
    }

    private func request(timeout: TimeInterval) -> URLRequest {
        var request = URLRequest(url: url)
        request.timeoutInterval = timeout
        return request
    }

    func testASessionKeepsNothingOfWhatItIsTold() {
        let configuration = StubServer().sessionConfiguration
        XCTAssertNil(configuration.urlCache)
        XCTAssertNil(configuration.httpCookieStorage)
        XCTAssertNil(configuration.urlCredentialStorage)
    }

    func testNoTimeIsNoLimit() async throws {
        let clock = ManualClock(advancesItself: true)
        let stub = StubServer(clock: clock.networkClock)
        let session = session(stub, .text("late").delayed(by: .seconds(1_000_000)))
        for limit in [0, 1e300] {
            let data = try await session.data(for: request(timeout: limit)).0
            XCTAssertEqual(String(decoding: data, as: UTF8.self), "late")
        }
        XCTAssertEqual(clock.now, .seconds(2_000_000))
    }

    func testABodyThatPausesTooLongIsLateAfterItsDelay() async throws {
        let stub = StubServer(clock: clock.networkClock)
        let session = session(stub, .text("ab").delayed(by: .seconds(2)).dripped(every: .seconds(8)))
        let request = request(timeout: 7)
        async let answer = failure { try await session.data(for: request) }
        let moved = await clock.advanceToNextSleeper()
        let error = await answer
        XCTAssertEqual(moved, .seconds(9))
        XCTAssertEqual((error as? URLError)?.code, .timedOut)
    }

    func testATaskThatIsCancelledSleepsNoMore() async throws {
        let stub = StubServer(clock: clock.networkClock)
        let session = session(stub, .text("late").delayed(by: .seconds(5)))
        let task = Task { [url] in await failure { try await session.data(from: url) } }
        await clock.sleepers(1)
        task.cancel()
        let error = await task.value
        XCTAssertEqual((error as? URLError)?.code, .cancelled)
        let limit = ContinuousClock.now + .seconds(30)
        while clock.sleeperCount > 0, .now < limit { await Task.yield() }
        XCTAssertEqual(clock.sleeperCount, 0)
    }
}
