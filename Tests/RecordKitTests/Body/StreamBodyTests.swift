import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

final class StreamBodyTests: TimedTestCase {
    private struct Broken: Error {}

    private func upload(_ body: StreamBody) -> Ask<Data> { Ask(method: .post, content: body) }

    private func pieces(_ data: Data, of size: Int) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for start in stride(from: 0, to: data.count, by: size) {
                continuation.yield(data.dropFirst(start).prefix(size))
            }
            continuation.finish()
        }
    }

    func testPiecesArriveWithALength() async throws {
        let server = try LoopbackServer(responses: [.status(200)])
        let bytes = Data.noise(200_000)
        let bodies = [
            StreamBody(pieces(bytes, of: 7_777)), StreamBody(pieces(bytes, of: 1), contentType: "audio/flac"),
        ]
        for body in bodies { _ = try await NetworkSession(NetworkConfiguration(server.url)).value(for: upload(body)) }

        XCTAssertEqual(server.requests.map { $0.body == bytes }, [true, true])
        XCTAssertEqual(server.requests.map { $0.header("Content-Length") }, ["200000", "200000"])
        XCTAssertEqual(server.requests.map { $0.header("Transfer-Encoding") }, [nil, nil])
        XCTAssertEqual(server.requests.map { $0.header("Content-Type") }, ["application/octet-stream", "audio/flac"])
    }

    func testItIsReadOnceAndSentAgain() async throws {
        let server = try LoopbackServer { request in
            request.path == "/ask" ? .redirect(to: "/there", status: 308) : .status(200)
        }
        let bytes = Data.noise(100_000)
        let body = StreamBody(pieces(bytes, of: 1000))
        for _ in 0..<2 { _ = try await NetworkSession(NetworkConfiguration(server.url)).value(for: upload(body)) }

        XCTAssertEqual(server.requests.map(\.path), ["/ask", "/there", "/ask", "/there"])
        XCTAssertTrue(server.requests.allSatisfy { $0.body == bytes })
    }

    func testTheTemporaryFileIsPrivateAndGoes() async throws {
        func file(_ body: EncodedBody) throws -> URL {
            guard case .pieces(let pieces) = body.content, case .file(let file)? = pieces.first else { throw Broken() }
            return file.url
        }
        let url: URL
        do {
            let body = StreamBody(pieces(Data("secret".utf8), of: 2))
            let spooled = try await body.encoded(using: JSONEncoder()).spooled()
            url = try file(spooled)
            XCTAssertEqual(try Data(contentsOf: url), Data("secret".utf8))
            XCTAssertEqual(spooled.length, 6)
            let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? NSNumber
            XCTAssertEqual(mode?.intValue, 0o600)
            XCTAssertEqual(try file(body.encoded(using: JSONEncoder())), url)
        }
        XCTAssertFalse(FileManager.default.fileExists(atPath: url.path))
    }

    func testAStreamThatFailsEndsTheCallBeforeAnythingIsSent() async throws {
        let server = try LoopbackServer(responses: [.status(200)])
        let body = StreamBody(
            AsyncThrowingStream<Data, any Error> { continuation in
                continuation.yield(Data(count: 10))
                continuation.finish(throwing: Broken())
            })
        for _ in 0..<2 {
            let error = await NetworkSession(NetworkConfiguration(server.url)).failure(of: upload(body))
            guard case .invalidRequest(let failure) = error else { return XCTFail("\(String(describing: error))") }
            XCTAssertEqual(failure.member, .body)
            XCTAssertTrue(failure.cause is Broken)
            XCTAssertFalse(failure.request.isEmpty)
        }
        XCTAssertEqual(server.connectionCount, 0)
    }

    func testACallThatIsCancelledWhileItReadsEnds() async throws {
        let server = try LoopbackServer(responses: [.status(200)])
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        continuation.yield(Data(count: 10))
        let body = StreamBody(
            stream.map { data in
                asking.yield()
                return data
            })
        let configuration = NetworkSession(NetworkConfiguration(server.url))
        let ask = upload(body)
        let call = Task { await configuration.failure(of: ask) }
        for await _ in asked { break }

        // A stream that is being read cannot be read by another call.
        let second = await configuration.failure(of: ask)
        guard case .invalidRequest = second else { return XCTFail("\(String(describing: second))") }

        configuration.cancelAll()
        let error = await call.value
        guard case .cancelled = error else { return XCTFail("\(String(describing: error))") }
        // A stream that was partly read cannot be sent whole.
        let third = await configuration.failure(of: ask)
        guard case .invalidRequest = third else { return XCTFail("\(String(describing: third))") }
        XCTAssertEqual(server.connectionCount, 0)
    }

    func testADataTaskRefusesAStreamAndTakesOneThatWasRead() async throws {
        let server = try LoopbackServer(responses: [.status(200)])
        let manager = NetworkManager<Ask<Data>>(NetworkConfiguration(server.url))
        let body = StreamBody(pieces(Data("abc".utf8), of: 1))
        let first = await manager.dataTaskResult(for: upload(body), begins: false)
        guard case .failure(.invalidRequest(let failure)) = first else { return XCTFail("\(first)") }
        XCTAssertTrue(failure.reason.contains("send(_:onProgress:configure:completion:)"))

        _ = try await body.encoded(using: JSONEncoder()).spooled()
        let second = await manager.dataTaskResult(for: upload(body))
        _ = try second.get()
        XCTAssertEqual(server.requests.map(\.text), ["abc"])
    }
}
