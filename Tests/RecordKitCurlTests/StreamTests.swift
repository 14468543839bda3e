#if os(Linux)
import RecordKit
import RecordKitCurl
import RecordKitTesting
import TestSupport
import XCTest

final class StreamTests: TimedTestCase {
    private static let length = 64 << 20

    /// Sends 64 MB. Notes when the client reads none of it for a while, then waits until it is read on.
    private func largeServer(_ hasStalled: ResponseGate, _ stalledAt: Kept<Int>) throws -> ScriptServer {
        try ScriptServer { connection in
            _ = connection.read()
            connection.limitWrites(to: 400)
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(Self.length)\r\n\r\n")
            let block = Data((0..<(1 << 16)).map { UInt8(truncatingIfNeeded: $0 % 251) })
            var sent = 0
            while sent < Self.length {
                let count = connection.write(block.dropFirst(sent % block.count))
                if count > 0 {
                    sent += count
                } else if !hasStalled.isOpen {
                    stalledAt.set(sent)
                    connection.unlimitWrites()
                    hasStalled.open()
                } else {
                    return
                }
            }
            hasStalled.open()
            _ = connection.read()
        }
    }

    func testAReaderThatIsSlowPausesTheServer() async throws {
        let (gate, sent) = (ResponseGate(), Kept(Self.length))
        let server = try largeServer(gate, sent)
        let network = NetworkConfiguration(try server.url)
        let stream = try await network.stream()
        try await gate.wait()
        // The system's own buffers hold some megabytes.
        XCTAssertLessThan(sent.now, 24 << 20, "the server was not paused")

        // Other transfers go on meanwhile.
        let other = try LoopbackServer(responses: [.text("x")])
        let text = await NetworkConfiguration(
            environment: NetworkEnvironment(other.url.absoluteString), transport: network.transport
        ).outcome()
        XCTAssertEqual(text, "200 x")

        var count = 0
        for try await chunk in stream {
            for index in [chunk.startIndex, chunk.endIndex - 1] {
                let offset = count + index - chunk.startIndex
                XCTAssertEqual(chunk[index], UInt8(truncatingIfNeeded: offset % (1 << 16) % 251))
            }
            count += chunk.count
        }
        XCTAssertEqual(count, Self.length)
    }

    /// One read of the socket may be decoded to more than libcurl keeps for a paused transfer, which is 64 MB.
    func testSlowReadersOfCompressedStreamsNeedLittleMemory() async throws {
        let length = 80 << 20
        let packed = try shell("head -c \(length) /dev/zero | gzip")
        let server = try LoopbackServer { _ in .status(200, headers: ["Content-Encoding": "gzip"], body: packed) }
        let network = NetworkConfiguration(server.url)
        let before = ProcessFigures.now.memory
        var streams: [NetworkBytes] = []
        for _ in 0..<4 { streams.append(try await network.stream()) }
        // The transport has taken all of it, and serves others.
        for stream in streams {
            var (count, isFirst) = (0, true)
            for try await chunk in stream {
                if isFirst, !ProcessFigures.areSanitized {
                    let growth = ProcessFigures.now.memory - before
                    XCTAssertLessThan(growth, 60_000, "KB")
                    isFirst = false
                }
                count += chunk.count
            }
            XCTAssertEqual(count, length)
        }
    }

    func testAPausedTransferEndsWhenItsStreamIsDropped() async throws {
        let (gate, isClosed) = (ResponseGate(), ResponseGate())
        let server = try ScriptServer { connection in
            _ = connection.read()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(Self.length)\r\n\r\n")
            let block = Data(count: 1 << 20)
            var isFirst = true
            connection.limitWrites(to: 300)
            // Much more than the client takes before it pauses.
            for _ in 0..<200 {
                if connection.write(block) > 0 { continue }
                if errno != EAGAIN { return isClosed.open() }
                if isFirst { gate.open() }
                isFirst = false
            }
            gate.open()
        }
        let network = NetworkConfiguration(try server.url)
        var stream: NetworkBytes? = try await network.stream()
        try await gate.wait()
        XCTAssertNotNil(stream)
        stream = nil
        try await isClosed.wait()
    }

    func testAStreamOutlivesItsTransport() async throws {
        let gate = ResponseGate()
        let server = try LoopbackServer(responses: [
            [.head(200, headers: ["Content-Length": "6"]), .body("abc"), .wait(gate), .body("def")]
        ])
        func begin() async throws -> NetworkBytes { try await NetworkConfiguration(server.url).stream() }
        let stream = try await begin()
        gate.open()
        var text = ""
        for try await chunk in stream { text += String(decoding: chunk, as: UTF8.self) }
        XCTAssertEqual(text, "abcdef")
    }
}
#endif
