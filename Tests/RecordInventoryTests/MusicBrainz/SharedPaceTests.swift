import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordInventory

/// The pace that processes share.
final class SharedPaceTests: TimedTestCase {
    private func session(_ file: URL?, _ clock: ManualClock, _ status: Int = 200, retryAfter: String? = nil)
        -> NetworkSession
    {
        let headers: HTTPHeaders = retryAfter.map { ["Retry-After": $0] } ?? [:]
        let releases = CannedTransport(status: status, headers: headers, body: #"{"releases":[]}"#)
        return NetworkSession(
            NetworkConfiguration(
                environment: NetworkEnvironment("https://musicbrainz.test/ws/2"),
                transport: SharedPace(transport: releases, file: file),
                options: RequestOptions(timeout: .seconds(90)), clock: clock.networkClock))
    }

    private func ask(_ session: NetworkSession) async {
        _ = await session.result(for: ReleaseSearch(wanted: .words(["a"]), limit: 1))
    }

    func testTwoProcessesTakeTurns() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "new/next-request")
        let clock = ManualClock(advancesItself: true)
        let (one, two) = (session(file, clock), session(file, clock))
        for (session, seconds) in [(one, 0), (two, 1), (one, 2), (one, 3), (two, 4)] {
            await ask(session)
            XCTAssertEqual(clock.now, .seconds(seconds))
        }
        clock.advance(by: .seconds(10))
        await ask(one)
        XCTAssertEqual(clock.now, .seconds(14), "time that has passed is no wait")
        await ask(session(file, clock, 503, retryAfter: "30"))
        XCTAssertEqual(clock.now, .seconds(15))
        await ask(two)
        XCTAssertEqual(clock.now, .seconds(45), "a server that asks to wait asks all processes")
        await ask(session(file, clock, 503, retryAfter: "\(Int64.max)"))
        await ask(two)
        XCTAssertEqual(clock.now, .seconds(46 + 60), "a minute at most")
    }

    func testAProcessWithoutAFileKeepsThePaceAlone() async throws {
        let folder = try TemporaryFolder()
        for file in [nil, folder.url] {
            let clock = ManualClock(advancesItself: true)
            let session = session(file, clock)
            for seconds in 0..<3 {
                await ask(session)
                XCTAssertEqual(clock.now, .seconds(seconds), "\(String(describing: file))")
            }
        }
    }

    func testAFileThatSaysNothingIsNoReasonToWait() async throws {
        let folder = try TemporaryFolder()
        for content in ["", "soon", "99999999999999", "-5"] {
            let file = try folder.file("next-request", Data(content.utf8))
            let clock = ManualClock(advancesItself: true)
            let session = session(file, clock)
            await ask(session)
            XCTAssertEqual(clock.now, .zero, content)
            await ask(session)
            XCTAssertEqual(clock.now, .seconds(1), content)
        }
    }
}
