import RecordKitJSON
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordInventory

/// The tool slows down if a successful response of the server asks for it.
final class ServerPressureTests: TimedTestCase {
    private static let json = "application/json"

    private let clock = ManualClock(advancesItself: true)

    func testAServerThatAsksToBackOffIsAskedMoreSlowly() async throws {
        for (backoff, timeout, pause) in [
            ("3", "30", 3), ("20", "30", 5), ("2", "2", 2), ("20", "19", nil), ("86400", "3", nil),
        ] as [(String, String, Int?)] {
            let page = StubResponse.status(
                200,
                headers: ["Content-Type": Self.json, "Next-Page": "http://a.test/v1/?_token=2", "Backoff": backoff],
                body: Data(#"{"data":[]}"#.utf8))
            let server = try LoopbackServer(responses: [page, .json(#"{"data":[]}"#)])
            let clock = ManualClock(advancesItself: true)
            let outcome = try await Till(server: server).type(["export", "-", "--timeout", timeout], clock: clock)
            XCTAssertEqual(clock.sleeps, pause.map { [.seconds($0)] } ?? [], backoff)
            XCTAssertEqual(outcome.exitCode, pause == nil ? .rateLimited : .done, outcome.messages)
            XCTAssertEqual(server.requests.count, pause == nil ? 1 : 2)
            let reason = "the server asks to wait, so nothing more was sent: try again in \(backoff) s"
            XCTAssertEqual(outcome.messages.contains(reason), pause == nil, outcome.messages)
        }
    }

    /// A proxy asks for a pause in place of responding to a sale. The tool does not wait until it may ask.
    func testALostChangeIsNotAskedForWhileTheServerWantsAPause() async throws {
        let batch = KintoReply.batch(
            KintoReply.known, KintoReply.known, #"{"status":200,"headers":{},"body":\#(KintoReply.record)}"#)
        let server = try LoopbackServer(responses: [
            .json(batch), .status(503, headers: ["Retry-After": "86400"], body: Data("<html>".utf8)),
        ])
        let outcome = try await Till(server: server).type(
            ["sell", "A", "--payment", "card"], clock: clock, asksWhatWasMade: true)
        outcome.expect(.network, "may have been made anyway")
        XCTAssertEqual(server.requests.map(\.isChange), [false, true])
    }

    func testAChangeThatWouldHaveToWaitForLongIsNotSent() async throws {
        let batch = KintoReply.batch(
            KintoReply.known, KintoReply.known, #"{"status":200,"headers":{},"body":\#(KintoReply.record)}"#)
        let server = try LoopbackServer(responses: [
            .status(
                200, headers: ["Content-Type": Self.json, "RateLimit-Remaining": "0", "RateLimit-Reset": "29.5"],
                body: Data(batch.utf8))
        ])
        let outcome = try await Till(server: server).type(["sell", "A", "--payment", "card"], clock: clock)
        outcome.expect(.rateLimited, "the server asks to wait, so nothing more was sent: try again in 30 s")
        XCTAssertEqual(server.requests.map(\.isChange), [false])
        XCTAssertEqual(clock.sleeps, [])
    }

    func testAnImportThatWouldHaveToWaitForLongSaysHowFarItCame() async throws {
        let server = try LoopbackServer.kinto(answers: [
            .json(#"{"settings":{"batch_max_requests":2}}"#),
            .status(
                200, headers: ["Content-Type": Self.json, "RateLimit-Remaining": "0", "RateLimit-Reset": "60"],
                body: Data(KintoReply.batch(KintoReply.lock, KintoReply.made, KintoReply.entered).utf8)),
        ])
        let till = try Till(server: server)
        let file = try till.file("A,B,C,1,EUR", "B,B,C,1,EUR")
        let outcome = await till.type(["import", file], clock: clock)
        outcome.expect(.rateLimited, "not finished: 1 created, ", "so nothing more was sent: try again in 60 s")
        XCTAssertEqual(server.requests.count { $0.isChange }, 1)
    }
}
