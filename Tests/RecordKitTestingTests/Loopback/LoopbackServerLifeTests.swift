import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Many connections, cancelled connections, and the end of a server.
final class LoopbackServerLifeTests: TimedTestCase {
    func testSixtyFourConnectionsAreServedAtOnce() async throws {
        let gate = ResponseGate()
        let server = try LoopbackServer { .text($0.target).after(.wait(gate)) }
        let session = URLSession.fresh(connections: 64)
        let texts = await withTaskGroup(of: String.self) { group in
            for number in 0..<64 {
                group.addTask { await session.exchange(server.url.appending(path: "\(number)")).text }
            }
            do {
                // All responses are held back, so each request needs its own connection.
                _ = try await server.request(at: 63)
            } catch {
                XCTFail("\(error)")
            }
            XCTAssertEqual(server.openConnectionCount, 64)
            gate.open()
            return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        XCTAssertEqual(texts, Set((0..<64).map { "/\($0)" }))
    }

    func testOneHangingConnectionDisturbsNoOther() async throws {
        let server = try LoopbackServer { $0.path == "/hang" ? .never : .text("fine") }
        let hanging = try WireClient(server)
        hanging.send("GET /hang HTTP/1.1\r\n\r\n")
        let half = try WireClient(server)
        half.send("GET /half HTT")
        _ = try await server.request(at: 0)
        let session = URLSession.fresh()
        for _ in 0..<20 { assertEqual(await session.exchange(server.url).text, "fine") }
    }

    func testStoppingEndsWhatHangsAndClosesThePort() async throws {
        let gate = ResponseGate()
        let server = try LoopbackServer { _ in .status(200).after(.wait(gate)) }
        let session = URLSession.fresh(connections: 16)
        let exchanges = (0..<16).map { _ in StartedExchange(URLRequest(url: server.url), in: session) }
        _ = try await server.request(at: 15)
        async let end: Void = server.waitForDisconnection(of: 15)
        server.stop()
        try await end
        XCTAssertEqual(server.openConnectionCount, 0)
        for exchange in exchanges {
            let ended = await exchange.exchange
            XCTAssertNil(ended.status)
            XCTAssertNotNil(ended.error)
        }
        assertEqual(await session.exchange(server.url).errorCode, .cannotConnectToHost)
        server.stop()
        gate.open()
        XCTAssertEqual(server.requests.count, 16)
    }

    func testAReleasedServerIsStopped() throws {
        var server: LoopbackServer? = try LoopbackServer(responses: [.never])
        let client = try WireClient(XCTUnwrap(server))
        client.send("GET / HTTP/1.1\r\n\r\n")
        server = nil
        let (text, error) = client.readToEnd()
        XCTAssertEqual(text, "")
        XCTAssertNotEqual(error, POSIXErrorCode.EAGAIN.rawValue, "The connection is still open.")
    }

    func testAServerCanBeStoppedByItsHandler() throws {
        let holder = Kept<LoopbackServer?>(nil)
        let server = try LoopbackServer { _ in
            holder.now?.stop()
            return .status(200)
        }
        holder.set(server)
        let client = try WireClient(server)
        client.send("GET / HTTP/1.1\r\n\r\n")
        XCTAssertEqual(client.readToEnd().text, "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n")
        holder.set(nil)
    }

    #if os(Linux)
    func testNoDescriptorIsLeftBehind() throws {
        func descriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        }
        let before = try descriptors()
        for _ in 0..<20 {
            let servers = try (0..<10).map { _ in try LoopbackServer(responses: [.never]) }
            let clients = try servers.map(WireClient.init)
            clients.forEach { $0.send("GET / HTTP/1.1\r\n\r\n") }
            servers.forEach { $0.stop() }
            clients.forEach { $0.hangUp() }
        }
        XCTAssertLessThanOrEqual(try descriptors(), before + 5)
    }
    #endif

    func testWaitingEndsWithATypedError() async throws {
        let server = try LoopbackServer(responses: [.status(200)])
        _ = await URLSession.fresh().exchange(
            server.url.appending(path: "a").appending(queryItems: [URLQueryItem(name: "token", value: "s3cret")]))
        let error = await failure { () async throws(WaitingError) in
            try await server.request(at: 1, within: .milliseconds(20))
        }
        XCTAssertEqual(
            error?.description,
            "Timed out after 0.02 seconds while waiting for request 1. Received: GET /a?token=redacted.")

        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await Result { try await server.request(at: 7) }
        }
        assertEqual(await cancelled.value.failure as? WaitingError, .cancelled(waitingFor: "request 7"))

        let stopped = Task { await Result { try await server.request(at: 8) } }
        server.stop()
        assertEqual(await stopped.value.failure as? WaitingError, .stopped(waitingFor: "request 8"))
        assertEqual(try await server.request(at: 0).target, "/a?token=s3cret")
    }

    func testAGateLetsGoOfACancelledTask() async throws {
        let gate = ResponseGate()
        let waiting = Task { await Result { try await gate.wait() } }
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await Result { try await gate.wait() }
        }
        waiting.cancel()
        for task in [waiting, cancelled] {
            let outcome = await task.value
            XCTAssertTrue(outcome.failure is CancellationError)
        }
        gate.open()
        try await gate.wait()
        XCTAssertTrue(gate.isOpen)
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ work: () async throws -> Success) async {
        do { self = .success(try await work()) } catch { self = .failure(error) }
    }
}
