import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

/// A compressed body arrives whole, whatever it is made of.
final class CompressionInterceptorTests: TimedTestCase {
    private let text = String(repeating: "One record is like another. ", count: 10_000)

    private func send(
        _ body: any NetworkEncodable & Sendable, headers: HTTPHeaders = [:], compresses: Bool? = nil,
        with interceptor: CompressionInterceptor = CompressionInterceptor(), to server: LoopbackServer
    ) async throws {
        var options = RequestOptions()
        options.compressesBody = compresses
        let network = NetworkSession(NetworkConfiguration(server.url, interceptors: [interceptor]))
        _ = try await network.value(for: Ask<String>(method: .post, headers: headers, content: body, options: options))
    }

    /// Returns the bytes of a gzip file, according to the system's `gzip`.
    private func unzipped(_ data: Data) throws -> Data {
        let folder = try TemporaryFolder()
        let file = try folder.file("body", data)
        return try shell("gzip -dc < \"$1\"", file.path)
    }

    func testDataFilesAndStreamsAreCompressed() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file()
        try Data(text.utf8).write(to: file)
        let stream = AsyncStream<Data> { [text] continuation in
            for start in stride(from: 0, to: text.utf8.count, by: 1000) {
                continuation.yield(Data(text.utf8.dropFirst(start).prefix(1000)))
            }
            continuation.finish()
        }
        for body in [text, FileBody(file), StreamBody(stream)] as [any NetworkEncodable & Sendable] {
            let server = try LoopbackServer { _ in .text("fine") }
            try await send(body, to: server)
            let request = try XCTUnwrap(server.requests.first)
            XCTAssertEqual(request.header("Content-Encoding"), "gzip")
            XCTAssertEqual(request.header("Content-Length"), "\(request.bodyLength)")
            XCTAssertLessThan(request.bodyLength, text.utf8.count / 50)
            XCTAssertEqual(String(decoding: try unzipped(request.body), as: UTF8.self), text)
        }
    }

    func testAStreamIsSentAgain() async throws {
        let server = try LoopbackServer(responses: [.status(503), .text("fine"), .text("fine")])
        let stream = AsyncStream<Data> { [text] continuation in
            continuation.yield(Data(text.utf8))
            continuation.finish()
        }
        let retries = RetryInterceptor(backoff: Backoff(base: .zero, shortestWait: .zero))
        let network = NetworkSession(
            NetworkConfiguration(server.url, interceptors: [retries, CompressionInterceptor()]))
        let request = Ask<String>(method: .put, content: StreamBody(stream))
        for _ in 0..<2 { _ = try await network.value(for: request) }
        XCTAssertEqual(server.requests.count, 3)
        for request in server.requests {
            XCTAssertEqual(String(decoding: try unzipped(request.body), as: UTF8.self), text)
        }
    }

    func testAStreamThatFailsIsAnErrorOfTheRequest() async throws {
        struct Broken: Error {}
        let stream = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: Broken()) }
        let network = NetworkSession(NetworkConfiguration(CannedTransport(), [CompressionInterceptor()]))
        let error = await network.failure(of: Ask<String>(method: .post, content: StreamBody(stream)))
        guard case .invalidRequest(let problem) = error else { return XCTFail("\(String(describing: error))") }
        XCTAssertEqual(problem.request, "Ask")
        XCTAssertTrue(problem.cause is Broken, "\(problem)")
    }

    func testALargeAndRandomBodyArrivesWhole() async throws {
        let noise = Data.noise(300_000) + Data(count: 1 << 20)
        let server = try LoopbackServer { _ in .text("fine") }
        try await send(noise, to: server)
        XCTAssertEqual(try unzipped(try XCTUnwrap(server.requests.first).body), noise)
    }

    func testABodyThatCompressionDoesNotReduceIsSentAsItIs() async throws {
        let cases: [(any NetworkEncodable & Sendable, HTTPHeaders)] = [
            (String(text.prefix(1000)), [:]), (Data.noise(5000), [:]), (text, ["Content-Type": "image/jpeg"]),
            (text, ["Content-Type": "application/zip"]), (text, ["Content-Encoding": "identity"]),
        ]
        for (body, headers) in cases {
            let server = try LoopbackServer { _ in .text("fine") }
            try await send(body, headers: headers, to: server)
            XCTAssertEqual(server.requests.first?.header("Content-Encoding"), headers["Content-Encoding"])
            XCTAssertGreaterThanOrEqual(server.requests.first?.bodyLength ?? 0, 1000)
        }
    }

    func testARequestDecidesForItself() async throws {
        let server = try LoopbackServer { _ in .text("fine") }
        try await send(text, compresses: false, to: server)
        let onRequest = CompressionInterceptor(isOnByDefault: false)
        try await send(text, with: onRequest, to: server)
        try await send(text, compresses: true, with: onRequest, to: server)
        XCTAssertEqual(server.requests.map { $0.header("Content-Encoding") }, [nil, nil, "gzip"])
    }

    func testAnImageThatIsTextIsCompressed() async throws {
        let server = try LoopbackServer { _ in .text("fine") }
        try await send(text, headers: ["Content-Type": "image/svg+xml"], to: server)
        XCTAssertEqual(server.requests.first?.header("Content-Encoding"), "gzip")
    }
}
