#if os(Linux)
import RecordKit
import RecordKitCurl
import RecordKitTesting
import TestSupport
import XCTest

/// A live body is sent while it is made.
final class LiveBodyTests: TimedTestCase {
    private struct Broken: Error {}

    /// What a server has received.
    private final class Received: Sendable {
        let text = Kept("")
        let isClosed = ResponseGate()

        func contains(_ part: String) -> Bool { text.change { $0.contains(part) } }
    }

    private func server(_ received: Received) throws -> ScriptServer {
        try ScriptServer { connection in
            while !received.contains("\r\n0\r\n\r\n") {
                let bytes = connection.read()
                if bytes.isEmpty { return received.isClosed.open() }
                received.text.change { $0 += String(decoding: bytes, as: UTF8.self) }
            }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
    }

    func testAChunkIsSentBeforeTheNextOneIsMade() async throws {
        let received = Received()
        let server = try server(received)
        let network = NetworkConfiguration(try server.url)
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        let body = MultipartBody([.text("caption", "Front"), .stream("sound", StreamBody(chunks, sending: .live))])
        let call = Task { await network.outcome(Fetch(method: .post, content: body)) }
        await until { received.contains("Front") }
        for number in 0..<5 {
            XCTAssertFalse(received.contains("chunk \(number)"))
            continuation.yield(Data("chunk \(number)".utf8))
            await until { received.contains("chunk \(number)") }
        }
        continuation.finish()
        assertEqual(await call.value, "200 ok")
        XCTAssertTrue(received.contains("Transfer-Encoding: chunked"))
        XCTAssertFalse(received.contains("Content-Length"))
    }

    func testALargeLiveBodyArrivesWhole() async throws {
        let server = try LoopbackServer { .text("\($0.bodyLength)") }
        let left = Kept(300)
        let source = AsyncStream<Data> {
            let number = left.change { left in
                left -= 1
                return left
            }
            return number < 0 ? nil : Data(count: 50_000)
        }
        let text = await NetworkConfiguration(server.url).outcome(
            Fetch(method: .put, content: StreamBody(source, sending: .live)))
        XCTAssertEqual(text, "200 15000000")
    }

    func testASourceThatFailsEndsTheCallAndTheConnection() async throws {
        let received = Received()
        let server = try server(received)
        let (chunks, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
        let network = NetworkSession(NetworkConfiguration(try server.url))
        let call = Task {
            do throws(NetworkError) {
                _ = try await network.value(for: Fetch(method: .post, content: StreamBody(chunks, sending: .live)))
                return nil as NetworkError?
            } catch {
                return error
            }
        }
        continuation.yield(Data("one".utf8))
        await until { received.contains("one") }
        continuation.finish(throwing: Broken())
        guard case .invalidRequest(let failure) = await call.value else { return XCTFail("not invalid") }
        XCTAssertEqual(failure.member, .body)
        XCTAssertTrue(failure.mayHaveReachedServer)
        try await received.isClosed.wait()
    }

    /// A server that has its say before the request body has ended.
    func testAnEarlyResponseDoesNotWaitForTheBody() async throws {
        for (head, body) in [("Content-Length: 2", "ok"), ("Content-Length: 0", "")] {
            let server = try ScriptServer { connection in
                _ = connection.read()
                connection.write("HTTP/1.1 200 OK\r\n\(head)\r\n\r\n\(body)")
                while !connection.read().isEmpty {}
            }
            let network = NetworkConfiguration(try server.url)
            for isStreamed in [false, true] {
                let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
                continuation.yield(Data("one".utf8))
                let fetch = Fetch(method: .post, content: StreamBody(chunks, sending: .live))
                if isStreamed {
                    let response = try await NetworkSession(network).value(for: fetch) { $0.delivery = .streamed }
                    var text = ""
                    for try await chunk in try XCTUnwrap(response.stream) {
                        text += String(decoding: chunk, as: UTF8.self)
                    }
                    XCTAssertEqual(text, body)
                } else {
                    assertEqual(await network.outcome(fetch), "200 \(body)")
                }
                withExtendedLifetime(continuation) {}
            }
        }
    }

    /// The server responds to each chunk, and the next chunk is made of the response.
    func testAnInterleavedEchoIsLiveOrRefusedAndNeverHangs() async throws {
        let server = try ScriptServer { connection in
            var isFirst = true
            while true {
                let bytes = connection.read()
                if bytes.isEmpty { return }
                if isFirst { connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n") }
                isFirst = false
                if bytes.suffix(5) == Data("0\r\n\r\n".utf8) {
                    connection.write("0\r\n\r\n")
                    return
                }
                connection.write("4\r\necho\r\n")
            }
        }
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        continuation.yield(Data("one".utf8))
        var network = NetworkConfiguration(try server.url)
        let live = Fetch(method: .post, content: StreamBody(chunks, sending: .onlyLive))
        let response = try await NetworkSession(network).value(for: live) { $0.delivery = .streamed }
        var count = 0
        for try await _ in try XCTUnwrap(response.stream) {
            count += 1
            if count < 4 { continuation.yield(Data("more".utf8)) } else { continuation.finish() }
        }
        XCTAssertGreaterThanOrEqual(count, 4)

        network.transport = URLSessionTransport()
        let (others, other) = AsyncStream.makeStream(of: Data.self)
        let refused = await network.outcome(Fetch(method: .post, content: StreamBody(others, sending: .onlyLive)))
        XCTAssertTrue(refused.hasPrefix("invalid body: it can only be sent while it is made"), refused)
        // Without that word, the wait for the next chunk is limited.
        other.yield(Data("one".utf8))
        network.options.timeout = .milliseconds(200)
        let late = await network.outcome(Fetch(method: .post, content: StreamBody(others, sending: .live)))
        XCTAssertTrue(late.contains("did not respond in full within"), late)
        withExtendedLifetime(other) {}
    }

    func testCancellingTheCallEndsTheSource() async throws {
        let received = Received()
        let server = try server(received)
        let hasEnded = ResponseGate()
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        continuation.onTermination = { _ in hasEnded.open() }
        let network = NetworkConfiguration(try server.url)
        let call = Task { await network.outcome(Fetch(method: .post, content: StreamBody(chunks, sending: .live))) }
        continuation.yield(Data("one".utf8))
        await until { received.contains("one") }
        call.cancel()
        assertEqual(await call.value, "cancelled")
        try await hasEnded.wait()
        try await received.isClosed.wait()
    }
}
#endif
