#if os(Linux)
import RecordKit
import RecordKitStreaming
import RecordKitCurl
import RecordKitTesting
import TestSupport
import XCTest

/// The ends of WebSockets that aren't closed, limits and backpressure.
final class WebSocketLifeTests: TimedTestCase {
    /// What a task waits for.
    private enum Phase: CaseIterable {
        case opening, receiving, sending, pinging, closing
    }

    /// A server that doesn't answer, and notes the end of its connection.
    private final class Deaf: Sendable {
        let server: ScriptServer
        let hasRequest = ResponseGate()
        let hasEnded = ResponseGate()
        /// Opened when the client has failed.
        let reads = ResponseGate()

        init(_ phase: Phase) throws {
            server = try ScriptServer { [hasRequest, hasEnded, reads] connection in
                let peer = WebSocketPeer(connection)
                hasRequest.open()
                if phase != .opening { peer.accept() }
                if phase == .sending {
                    // Reads nothing, so that the sender waits.
                    while !reads.isOpen { usleep(1_000) }
                }
                if peer.readsEnd() { hasEnded.open() }
            }
        }
    }

    private static func wait(_ phase: Phase, _ socket: WebSocket<NetworkError>) async throws(NetworkError) {
        switch phase {
        case .opening: break
        case .receiving: _ = try await socket.receive()
        case .sending: while true { try await socket.send(.data(Data(count: 4 << 20))) }
        case .pinging: try await socket.ping()
        case .closing: try await socket.close()
        }
    }

    /// Opens a WebSocket and waits in a phase. Returns the error.
    private static func open(
        _ manager: NetworkManager<Fetch>, _ options: RequestOptions, _ isOpen: ResponseGate, _ phase: Phase
    ) async -> String {
        do throws(NetworkError) {
            let socket = try await manager.webSocket(for: Fetch(options: options))
            isOpen.open()
            try await wait(phase, socket)
            return "none"
        } catch {
            return short(error)
        }
    }

    /// Opens a WebSocket and waits in a phase. Has `stop` end it, and returns the error.
    private func failure(
        in phase: Phase, _ options: RequestOptions = RequestOptions(),
        stop: @Sendable (NetworkManager<Fetch>, Task<String, Never>) -> Void
    ) async throws -> String {
        let deaf = try Deaf(phase)
        let manager = try NetworkManager(deaf.server)
        let isOpen = ResponseGate()
        let task = Task { await WebSocketLifeTests.open(manager, options, isOpen, phase) }
        let begins = phase == .opening ? deaf.hasRequest : isOpen
        try await begins.wait()
        XCTAssertEqual(manager.inFlight, 1, "\(phase)")
        stop(manager, task)
        let text = await task.value
        deaf.reads.open()
        try await deaf.hasEnded.wait()
        await until { manager.inFlight == 0 }
        return text
    }

    func testCancelAll() async throws {
        for phase in Phase.allCases {
            assertEqual(try await failure(in: phase) { manager, _ in manager.cancelAll() }, "cancelled", "\(phase)")
        }
    }

    /// The socket is released with its task.
    func testCancellingTheTask() async throws {
        for phase in Phase.allCases where phase != .closing {
            assertEqual(try await failure(in: phase) { _, task in task.cancel() }, "cancelled", "\(phase)")
        }
    }

    func testTheTimeoutAndTheDeadline() async throws {
        let timeout = try await failure(in: .opening, RequestOptions(timeout: .milliseconds(300))) { _, _ in }
        XCTAssertEqual(timeout, "timed out: attempt 0.3 seconds")
        let deadline = try await failure(in: .receiving, RequestOptions(deadline: .milliseconds(800))) { _, _ in }
        XCTAssertEqual(deadline, "timed out: deadline 0.8 seconds")
    }

    /// The timeout and the configuration's deadline end with the handshake.
    func testAnOpenSocketHasNoTimeout() async throws {
        let clock = ManualClock()
        let server = try WebSocketPeer.echo()
        var network = NetworkConfiguration(try server.url)
        network.clock = clock.networkClock
        network.options.deadline = .seconds(90)
        let manager = NetworkManager<Fetch>(network)
        let socket = try await manager.webSocket(for: Fetch(), pingInterval: nil)
        for _ in 0..<3 {
            try await socket.send(.text("x"))
            assertEqual(try await socket.receive(), .text("x"))
            XCTAssertEqual(clock.timerCount, 0)
            clock.advance(by: .seconds(3_600))
        }
        XCTAssertEqual(manager.inFlight, 1)
    }

    func testAnOpenSocketLeavesItsSlotToOthers() async throws {
        let server = try ScriptServer { connection in
            let peer = WebSocketPeer(connection)
            if peer.field("Upgrade").isEmpty {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
            } else {
                peer.accept()
                _ = peer.readsEnd()
            }
        }
        let network = NetworkConfiguration(try server.url) { $0.exchangesPerHost = 1 }
        let manager = NetworkManager<Fetch>(network)
        let sockets = [try await manager.webSocket(for: Fetch()), try await manager.webSocket(for: Fetch())]
        for _ in 0..<2 { assertEqual(await network.outcome(), "200 ok") }
        XCTAssertEqual(manager.inFlight, 2)
        for socket in sockets { socket.cancel() }
        await until { manager.inFlight == 0 }
    }

    func testReleaseEndsTheConnection() async throws {
        let deaf = try Deaf(.receiving)
        let manager = try NetworkManager(deaf.server)
        var socket: WebSocket? = try await manager.webSocket(for: Fetch())
        var messages = socket?.messages.makeAsyncIterator()
        socket = nil
        XCTAssertEqual(manager.inFlight, 1)
        messages = nil
        _ = (socket, messages)
        try await deaf.hasEnded.wait()
        await until { manager.inFlight == 0 }
    }

    /// While messages are unread, the server is stopped by the system's buffers. None is lost.
    func testAReaderThatIsSlow() async throws {
        let (hasStalled, sent) = (ResponseGate(), Kept(0))
        let count = 1_500
        let server = try WebSocketPeer.server { peer in
            var bytes = Data()
            for number in 0..<count {
                bytes += WebSocketPeer.bytes(.init(opcode: 2, payload: Data("\(number) ".utf8) + Data(count: 30_000)))
            }
            peer.connection.limitWrites(to: 400)
            var position = 0
            while position < bytes.count {
                let count = peer.connection.write(Data(bytes[position..<min(position + 65_536, bytes.count)]))
                if count > 0 {
                    position += count
                    sent.set(position)
                } else if !hasStalled.isOpen {
                    peer.connection.unlimitWrites()
                    hasStalled.open()
                } else {
                    return
                }
            }
            hasStalled.open()
            peer.write(8)
            _ = peer.read()
        }
        let socket = try await NetworkManager(server).webSocket(for: Fetch())
        try await hasStalled.wait()
        XCTAssertLessThan(sent.now, 24 << 20, "the server was not stopped")
        var number = 0
        for try await case .data(let data) in socket.messages {
            XCTAssertEqual(data.prefix { $0 != 32 }, Data("\(number)".utf8))
            number += 1
        }
        XCTAssertEqual(number, count)
        XCTAssertEqual(socket.peerClose, WebSocketClose(.none))
    }

    func testTheSizeLimit() async throws {
        let server = try WebSocketPeer.server { peer in
            peer.write(2, Data(count: 600), isFinal: false)
            peer.write(0, Data(count: 400))
            peer.write(2, Data(count: 600), isFinal: false)
            peer.write(0, Data(count: 401))
            _ = peer.readsEnd()
        }
        let socket = try await NetworkManager(server).webSocket(for: Fetch()) { $0.options.sizeLimit = 1_000 }
        assertEqual(try await socket.receive(), .data(Data(count: 1_000)))
        let text = await RecordKitCurlTests.failure { () async throws(NetworkError) in
            _ = try await socket.receive()
        }
        XCTAssertEqual(text, "too large: 1000")
    }

    func testManySocketsAndTheEndOfTheirThread() async throws {
        // In one process, other tests may have sockets, too. Their threads can only end meanwhile.
        let threads = ProcessFigures.threads(named: "RecordKitSocket")
        let server = try WebSocketPeer.echo()
        let network = NetworkConfiguration(try server.url) { $0.exchangesPerHost = 100 }
        let manager = NetworkManager<Fetch>(network)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    let socket = try await manager.webSocket(for: Fetch())
                    for _ in 0..<20 {
                        try await socket.send(.text("\(number)"))
                        assertEqual(try await socket.receive(), .text("\(number)"))
                    }
                    if number % 2 == 0 { try await socket.close() }
                }
            }
            try await group.waitForAll()
        }
        await until { manager.inFlight == 0 && ProcessFigures.threads(named: "RecordKitSocket") <= threads }
    }

    /// A WebSocket outlives its manager, configuration and transport.
    func testASocketOutlivesItsTransport() async throws {
        let server = try WebSocketPeer.echo()
        let socket = try await NetworkManager(server).webSocket(for: Fetch())
        try await socket.send(.text("x"))
        assertEqual(try await socket.receive(), .text("x"))
        try await socket.close()
    }

    func testIdleCostsNoProcessorTime() async throws {
        guard ProcessInfo.processInfo.environment["RECORDKIT_SOAK"] != nil else {
            throw XCTSkip("set RECORDKIT_SOAK to measure processor time, which other tests would add to")
        }
        let server = try WebSocketPeer.echo()
        let socket = try await NetworkManager(server).webSocket(for: Fetch())
        let start = clock()
        try await Task.sleep(for: .seconds(5))
        XCTAssertLessThan(Double(clock() - start) / Double(CLOCKS_PER_SEC), 0.05)
        try await socket.close()
    }
}
#endif
