import RecordKit
import XCTest

@testable import RecordKitCurl

/// What each event of a WebSocket leads to, without a socket or a task: numbers stand for tasks.
final class WebSocketStateTests: XCTestCase {
    private typealias State = WebSocketState<Int, Int>

    private func state(limit: Int = 1_000) -> State { State(host: "shop.example:443", limit: limit) }

    /// Names a frame in short. The payload is unmasked.
    private func next(_ state: inout State) -> String? {
        guard let frame = state.nextFrame()?.frame else { return nil }
        let length = Int(frame[1] & 127)
        let key = Array(frame[2..<6])
        let payload = frame.dropFirst(6).enumerated().map { $1 ^ key[$0 % 4] }
        XCTAssertEqual(payload.count, length)
        switch frame[0] & 15 {
        case 8: return "close \(payload.count < 2 ? 0 : Int(payload[0]) << 8 | Int(payload[1]))"
        case 9: return "ping"
        case 10: return "pong \(String(decoding: payload, as: UTF8.self))"
        default: return String(decoding: payload, as: UTF8.self)
        }
    }

    /// Names an outcome in short.
    private func name(_ outcome: State.Outcome?) -> String? {
        switch outcome {
        case nil: nil
        case .success: "done"
        case .failure(.connection(let failure)): "lost \((failure.cause as? WebSocketClose)?.code.rawValue ?? 0)"
        case .failure(let error): "\(error)".contains("cancelled") ? "cancelled" : "\(error)"
        }
    }

    private func names(_ ending: State.Ending?) -> [String] {
        ending?.waiters.sorted { $0.waiter < $1.waiter }.map { "\($0.waiter) \(name($0.outcome) ?? "")" } ?? []
    }

    // MARK: Frames

    func testPongsAndPingsGoBeforeMessagesAndTheCloseFrameGoesLast() {
        var state = state()
        XCTAssertNil(state.send(.text("a"), id: 1, 1))
        XCTAssertTrue(state.close(WebSocketClose(.normal)))
        XCTAssertFalse(state.close(WebSocketClose(.goingAway)))
        state.receive(ping: Data("p".utf8))
        XCTAssertEqual((0..<4).map { _ in next(&state) }, ["pong p", "a", "close 1000", nil])
        state.receive(ping: Data("late".utf8))
        XCTAssertNil(next(&state), "nothing follows the close frame")
        XCTAssertEqual(name(state.send(.text("b"), id: 2, 2)), "lost 0")
        XCTAssertEqual(state.didSend(1), 1)
        XCTAssertNil(state.didSend(1))
    }

    func testAServerThatReadsNothingGetsTheLatestPongs() {
        var state = state()
        for number in 0..<70 { state.receive(ping: Data("\(number)".utf8)) }
        let pongs = (0..<64).map { _ in next(&state) }
        XCTAssertEqual(pongs, (6..<70).map { "pong \($0)" })
        XCTAssertNil(next(&state))
    }

    func testAMessageIsDroppedUnlessAPartOfItWasSent() {
        var state = state()
        XCTAssertNil(state.send(.data(Data(count: 300_000)), id: 1, 1))
        XCTAssertNil(state.send(.text("b"), id: 2, 2))
        XCTAssertNil(state.ping(id: 3, 3))
        XCTAssertEqual(state.cancel(id: 3), 3)
        XCTAssertNil(state.nextFrame()?.message, "the first of two frames")
        XCTAssertEqual(state.cancel(id: 1), 1)
        XCTAssertEqual(state.cancel(id: 2), 2)
        XCTAssertNil(state.cancel(id: 2))
        XCTAssertEqual(state.nextFrame()?.message, 1)
        XCTAssertNil(state.nextFrame())
    }

    func testAPongEndsItsPing() {
        var state = state()
        let id = state.makeID()
        XCTAssertNil(state.ping(id: id, 5))
        XCTAssertNil(state.send(.text("a"), id: 9, 9))
        for payload in [Data(), Data(count: 8), Data([0, 0, 0, 0, 0, 0, 0, 9])] {
            XCTAssertNil(state.receive(pong: payload), "\(payload.count)")
        }
        XCTAssertEqual(state.receive(pong: Data([0, 0, 0, 0, 0, 0, 0, UInt8(id)])), 5)
    }

    // MARK: Messages

    private func take(_ state: inout State, _ reader: Int = 1) -> String {
        switch state.receive(reader) {
        case .message(.text(let text), let resumes): resumes ? text + ", resumes" : text
        case .message: "data"
        case .end(let end): name(end) ?? ""
        case .wait: "waits"
        }
    }

    func testAMessageGoesToTheFirstReaderOrWaits() {
        var state = state()
        XCTAssertEqual([take(&state, 1), take(&state, 2)], ["waits", "waits"])
        XCTAssertEqual([1, 2, nil], ["a", "b", "c"].map { state.receive(.text($0)) })
        XCTAssertEqual(take(&state), "c")
    }

    func testNothingIsReadUntilHalfOfTheMessagesAreTaken() {
        var state = state(limit: 200)
        for text in ["a", "b", "c", "d"] { XCTAssertNil(state.receive(.text(text))) }
        XCTAssertFalse(state.mayRead())
        XCTAssertEqual((0..<4).map { _ in take(&state) }, ["a", "b", "c, resumes", "d"])
        XCTAssertTrue(state.mayRead())
    }

    // MARK: The end

    func testACloseFrameOfTheServerEndsWhatWaits() {
        var state = state()
        XCTAssertNil(state.receive(.text("unread")))
        XCTAssertNil(state.send(.text("a"), id: 1, 1))
        XCTAssertNil(state.awaitClose(id: 2, 2))
        let close = WebSocketClose(.restart)
        let ending = state.end(.success(()), sending: close, received: close)
        XCTAssertTrue(ending.beginsToClose)
        XCTAssertEqual(names(ending), ["1 lost 1012", "2 done"])
        XCTAssertEqual(state.peerClose, close)
        XCTAssertEqual([next(&state), next(&state)], ["close 1012", nil])
        XCTAssertNil(state.receive(.text("dropped")))
        XCTAssertEqual([take(&state), take(&state)], ["unread", "done"])
        XCTAssertEqual(name(state.ping(id: 3, 3)), "lost 1012")
        XCTAssertEqual(name(state.awaitClose(id: 4, 4)), "done")
        XCTAssertFalse(state.isOver)
        XCTAssertEqual(names(state.finish(nil)), [])
        XCTAssertTrue(state.isOver)
        XCTAssertEqual(take(&state), "done")
    }

    func testTheCloseFrameOfTheClientIsKept() {
        var state = state()
        XCTAssertTrue(state.close(WebSocketClose(.goingAway)))
        let ending = state.end(.success(()), sending: WebSocketClose(.normal), received: WebSocketClose(.normal))
        XCTAssertFalse(ending.beginsToClose)
        XCTAssertEqual(next(&state), "close 1001")
    }

    func testAConnectionThatBreaksFailsEverything() {
        var state = state()
        XCTAssertNil(state.receive(.text("unread")))
        XCTAssertNil(state.awaitClose(id: 1, 1))
        let ending = state.finish(nil)
        XCTAssertEqual(names(ending), ["1 lost 0"])
        XCTAssertEqual([take(&state), take(&state)], ["unread", "lost 0"])
        XCTAssertEqual(name(state.send(.text("x"), id: 2, 2)), "lost 0")
        XCTAssertFalse(state.close(WebSocketClose(.normal)))
    }

    func testAStopDropsTheUnreadMessages() {
        for isClosed in [false, true] {
            var state = state()
            XCTAssertEqual(take(&state, 7), "waits")
            if isClosed {
                let close = WebSocketClose(.normal)
                XCTAssertEqual(state.end(.success(()), sending: close, received: close).readers, [7])
            } else {
                XCTAssertEqual(state.stop(.cancelled).readers, [7])
            }
            XCTAssertNil(state.stop(.cancelled).readers.first)
            XCTAssertEqual(take(&state), isClosed ? "done" : "cancelled")
        }
        var unread = state()
        _ = unread.receive(.text("unread"))
        _ = unread.end(.success(()), sending: WebSocketClose(.normal), received: nil)
        _ = unread.stop(.cancelled)
        XCTAssertEqual(take(&unread), "cancelled", "not all messages were read")
    }

    func testAReleaseLetsACloseFinish() {
        var open = state()
        XCTAssertNotNil(open.release())
        XCTAssertTrue(open.isOver)
        var closing = state()
        XCTAssertTrue(closing.close(WebSocketClose(.normal)))
        XCTAssertNil(closing.receive(.text("unread")))
        XCTAssertNil(closing.release())
        XCTAssertFalse(closing.isOver)
        XCTAssertEqual(next(&closing), "close 1000")
        XCTAssertEqual(take(&closing), "cancelled")
    }

    // MARK: Silence

    func testASilentServerIsPingedOnce() {
        var state = state(limit: 0)
        state.heard()
        XCTAssertEqual([state.check(), state.check(), state.check()], [.goOn, .ping, .timeOut])
        XCTAssertEqual([next(&state), next(&state)], ["ping", nil])
        state.heard()
        XCTAssertEqual([state.check(), state.check()], [.goOn, .ping], "it was heard again")
        _ = state.receive(.text("unread"))
        XCTAssertFalse(state.mayRead())
        XCTAssertEqual([state.check(), state.check()], [.goOn, .goOn], "nothing is read")
        XCTAssertTrue(state.close(WebSocketClose(.normal)))
        XCTAssertEqual(state.check(), .stop)
    }
}
