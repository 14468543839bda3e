#if os(Linux)
import RecordKit
import RecordKitStreaming
import RecordKitCurl
import RecordKitTesting
import TestSupport
import XCTest

/// Pings, pongs and close frames.
final class WebSocketControlTests: TimedTestCase {
    func testPing() async throws {
        let server = try WebSocketPeer.server { peer in
            guard let first = peer.read(), let second = peer.read() else { return }
            // Answers the last one first, after one that doesn't belong to any.
            peer.write(10, Data(count: 8))
            peer.write(10, second.payload)
            peer.write(10, first.payload)
            // The third has no answer.
            _ = peer.read()
            peer.write(1, Data("read".utf8))
            _ = peer.readsEnd()
        }
        let socket = try await NetworkManager(server).webSocket(for: Fetch())
        async let first: Void = socket.ping()
        async let second: Void = socket.ping()
        try await first
        try await second
        let third = Task { await failure { () async throws(NetworkError) in try await socket.ping() } }
        assertEqual(try await socket.receive(), .text("read"))
        third.cancel()
        assertEqual(await third.value, "cancelled")
        XCTAssertNil(socket.peerClose)
    }

    func testTheClientCloses() async throws {
        let frames = Kept<[WebSocketPeer.Frame]>([])
        let server = try WebSocketPeer.server { peer in
            while let frame = peer.read() {
                frames.change { $0.append(frame) }
                if frame.opcode != 8 { continue }
                peer.write(2, Data([7]))
                peer.write(8, WebSocketPeer.closing(4_002, "bye"))
                return
            }
        }
        let manager = try NetworkManager(server)
        let socket = try await manager.webSocket(for: Fetch())
        try await socket.send(.text("last"))
        try await socket.close(code: .init(rawValue: 4_001), reason: "ü")
        XCTAssertEqual(
            frames.now,
            [
                .init(opcode: 1, payload: Data("last".utf8)),
                .init(opcode: 8, payload: WebSocketPeer.closing(4_001, "ü")),
            ])
        XCTAssertEqual(socket.peerClose, WebSocketClose(.init(rawValue: 4_002), reason: "bye"))
        // A message that arrived meanwhile can be read.
        assertEqual(try await socket.receive(), .data(Data([7])))
        assertNil(try await socket.receive())
        let sending = await failure { () async throws(NetworkError) in try await socket.send(.text("x")) }
        XCTAssertEqual(sending, "lost: the WebSocket was closed with 4002: bye")
        try await socket.close()
        await until { manager.inFlight == 0 }
    }

    func testTheServerCloses() async throws {
        let cases: [(Data, WebSocketClose)] = [
            (Data(), WebSocketClose(.none)), (WebSocketPeer.closing(1_000), WebSocketClose(.normal)),
            (WebSocketPeer.closing(1_012, "soon back"), WebSocketClose(.restart, reason: "soon back")),
            (WebSocketPeer.closing(4_999), WebSocketClose(.init(rawValue: 4_999))),
        ]
        for (payload, expected) in cases {
            let answer = Kept<WebSocketPeer.Frame?>(nil)
            let server = try WebSocketPeer.server { peer in
                peer.write(1, Data("a".utf8))
                peer.write(8, payload)
                // Nothing counts after it.
                peer.write(1, Data("b".utf8))
                // The ping below may have been sent before.
                while let frame = peer.read() {
                    answer.set(frame)
                    if frame.opcode == 8 { return }
                }
            }
            let manager = try NetworkManager(server)
            let socket = try await manager.webSocket(for: Fetch())
            let pinging = await failure { () async throws(NetworkError) in try await socket.ping() }
            XCTAssertTrue(pinging.hasPrefix("lost"), pinging)
            var messages: [WebSocketMessage] = []
            for try await message in socket.messages { messages.append(message) }
            XCTAssertEqual(messages, [.text("a")])
            XCTAssertEqual(socket.peerClose, expected)
            await until { manager.inFlight == 0 }
            XCTAssertEqual(answer.now?.opcode, 8)
            XCTAssertEqual(answer.now?.payload, payload)
        }
    }

    /// The server closes while the client sends, and resets the connection. What it sent before can be read.
    func testTheServerClosesWhileTheClientSends() async throws {
        for _ in 0..<20 {
            let server = try WebSocketPeer.server { peer in
                _ = peer.connection.read()
                // In one packet: the system drops what it hasn't sent before the reset.
                peer.connection.write(
                    WebSocketPeer.bytes(.init(opcode: 1, payload: Data("a".utf8)))
                        + WebSocketPeer.bytes(.init(opcode: 8, payload: WebSocketPeer.closing(1_013))))
            }
            let socket = try await NetworkManager(server).webSocket(for: Fetch())
            let sending = await failure { () async throws(NetworkError) in
                try await socket.send(.data(Data(count: 32 << 20)))
            }
            XCTAssertTrue(sending.hasPrefix("lost"), sending)
            assertEqual(try await socket.receive(), .text("a"))
            assertNil(try await socket.receive())
            XCTAssertEqual(socket.peerClose, WebSocketClose(.tryAgainLater))
        }
    }

    func testCodesAndReasonsThatCannotBeSent() async throws {
        let server = try WebSocketPeer.echo()
        let socket = try await NetworkManager(server).webSocket(for: Fetch())
        for code in [0, 999, 1_004, 1_005, 1_006, 1_015, 2_000, 5_000] {
            let text = await failure { () async throws(NetworkError) in
                try await socket.close(code: .init(rawValue: UInt16(code)))
            }
            XCTAssertEqual(text, "invalid body", "\(code)")
        }
        let long = await failure { () async throws(NetworkError) in
            try await socket.close(reason: String(repeating: "ü", count: 62))
        }
        XCTAssertEqual(long, "invalid body")
        let reason = String(repeating: "x", count: 123)
        try await socket.close(reason: reason)
        XCTAssertEqual(socket.peerClose?.reason, reason)
    }

    /// The connection ends without a close frame, or in the middle of one.
    func testAConnectionThatBreaks() async throws {
        for bytes in [[], [0x81], [0x81, 5, 97], [0x88, 2, 3]] as [[UInt8]] {
            let server = try WebSocketPeer.server { $0.connection.write(Data(bytes)) }
            let manager = try NetworkManager(server)
            let socket = try await manager.webSocket(for: Fetch())
            let text = await failure { () async throws(NetworkError) in _ = try await socket.receive() }
            XCTAssertEqual(text, "lost", "\(bytes)")
            let sending = await failure { () async throws(NetworkError) in try await socket.send(.text("x")) }
            XCTAssertEqual(sending, "lost", "\(bytes)")
            assertEqual(await failure { () async throws(NetworkError) in try await socket.close() }, "lost", "\(bytes)")
            await until { manager.inFlight == 0 }
        }
    }

    func testAServerThatDoesNotRespondToACloseFrame() async throws {
        let clock = ManualClock()
        let server = try WebSocketPeer.server { _ = $0.readsEnd() }
        let manager = try NetworkManager(server, clock: clock.networkClock)
        let socket = try await manager.webSocket(for: Fetch(), pingInterval: nil)
        let closing = Task { await failure { () async throws(NetworkError) in try await socket.close() } }
        await until { clock.timerCount > 0 }
        clock.advance(by: .seconds(5))
        assertEqual(await closing.value, "timed out: attempt 5.0 seconds")
        await until { manager.inFlight == 0 }
    }

    func testSilence() async throws {
        let clock = ManualClock()
        let server = try WebSocketPeer.server { peer in
            if let ping = peer.read() { peer.write(10, ping.payload) }
            peer.write(1, Data("x".utf8))
            _ = peer.readsEnd()
        }
        let manager = try NetworkManager(server, clock: clock.networkClock)
        let socket = try await manager.webSocket(for: Fetch(), pingInterval: .seconds(20))
        // The head came, but nothing else: a ping. Then the server is heard, and later isn't any more.
        for number in 0..<4 {
            await until { clock.timerCount > 0 }
            clock.advance(by: .seconds(20))
            if number == 0 { assertEqual(try await socket.receive(), .text("x")) }
        }
        let text = await failure { () async throws(NetworkError) in _ = try await socket.receive() }
        XCTAssertEqual(text, "timed out: attempt 20.0 seconds")
        await until { manager.inFlight == 0 }
        XCTAssertEqual(clock.timerCount, 0)
    }
}
#endif
