import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

/// A live body is sent while it is made, by a transport that supports that. Any other one gets a file.
final class LiveBodyTests: TimedTestCase {
    private struct Broken: Error {}

    private func network(_ transport: any NetworkTransport) -> NetworkConfiguration {
        NetworkConfiguration(environment: "https://store.example", transport: transport)
    }

    func testAChunkIsSentBeforeTheNextOneIsMade() async throws {
        let transport = ReadingTransport(sendsLiveBodies: true)
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        let network = network(transport)
        let body = MultipartBody([.text("caption", "Front"), .stream("sound", StreamBody(chunks, sending: .live))])
        let call = Task { try await NetworkSession(network).value(for: Ask<String>(method: .post, content: body)) }
        await until { transport.text.contains("Front") }
        for number in 0..<3 {
            XCTAssertFalse(transport.text.contains("chunk \(number)"))
            continuation.yield(Data("chunk \(number)".utf8))
            await until { transport.text.contains("chunk \(number)") }
        }
        continuation.finish()
        _ = try await call.value
        XCTAssertTrue(transport.text.hasSuffix("--\r\n"))
        XCTAssertEqual(transport.lengths, [nil])
    }

    func testAnotherTransportGetsAFile() async throws {
        let transport = ReadingTransport(sendsLiveBodies: false)
        let body = StreamBody([Data("one".utf8), Data("two".utf8)].async, sending: .live)
        _ = try await NetworkSession(network(transport)).value(for: Ask<String>(method: .post, content: body))
        XCTAssertEqual(transport.text, "onetwo")
        XCTAssertEqual(transport.lengths, [6])
        let server = try LoopbackServer(responses: [.text("fine")])
        let other = StreamBody([Data("one".utf8), Data("two".utf8)].async, sending: .live)
        _ = try await NetworkSession(NetworkConfiguration(server.url)).value(
            for: Ask<String>(method: .post, content: other))
        XCTAssertEqual(server.requests.map(\.text), ["onetwo"])
        XCTAssertEqual(server.requests.map { $0.header("Content-Length") }, ["6"])
    }

    func testABodyInAFileIsSentAgain() async throws {
        let transport = ReadingTransport(sendsLiveBodies: false, answer: 503)
        var network = network(transport)
        let retry = RetryInterceptor(attempts: 2, backoff: Backoff(base: .zero, shortestWait: .zero))
        network.interceptors = [retry]
        let body = StreamBody([Data("one ".utf8)].async, sending: .live)
        for _ in 0..<2 {
            _ = try? await NetworkSession(network).value(for: Ask<String>(method: .put, content: body))
        }
        XCTAssertEqual(transport.text, "one one one one ")
        network.interceptors = [retry, CompressionInterceptor()]
        let large = StreamBody([Data(count: 5000)].async, sending: .live)
        let request = Ask<String>(method: .put, content: large)
        let error = await networkError { [network] in try await NetworkSession(network).value(for: request) }
        XCTAssertEqual(error?.response?.statusCode, 503)
    }

    func testAnOrdinaryStreamBesideALiveOneCanBeUsedAgain() async throws {
        let transport = ReadingTransport(sendsLiveBodies: true)
        let network = network(transport)
        let ordinary = StreamBody([Data("<ordinary>".utf8)].async)
        for _ in 0..<2 {
            let live = StreamBody([Data("<live>".utf8)].async, sending: .live)
            let body = MultipartBody([.stream("one", live), .stream("two", ordinary)])
            _ = try await NetworkSession(network).value(for: Ask<String>(method: .post, content: body))
        }
        XCTAssertEqual(transport.text.components(separatedBy: "<ordinary>").count, 3)
        XCTAssertEqual(transport.text.components(separatedBy: "<live>").count, 3)
    }

    func testACancelledBodyEndsASequenceThatGoesOn() async throws {
        for isLive in [false, true] {
            let source = Persistent()
            defer { source.state.withLock { $0.isStopped = true } }
            let call = Task { [network = network(ReadingTransport(sendsLiveBodies: true))] in
                let body = StreamBody(source, sending: isLive ? .live : .fromFile)
                return await NetworkSession(network).failure(of: Ask<String>(method: .post, content: body))
            }
            await until { source.state.withLock { $0.made } > 100 }
            call.cancel()
            let error = await call.value
            guard case .cancelled = error else { return XCTFail("\(String(describing: error))") }
            await until { source.state.withLock { $0.isReleased } }
        }
    }

    /// A sequence without an end, which doesn't notice that its task is cancelled.
    private struct Persistent: AsyncSequence {
        struct Figures: Sendable {
            var made = 0
            var isReleased = false
            /// Ends the sequence with the test.
            var isStopped = false
        }

        final class State: Sendable {
            private let figures = Kept(Figures())

            func withLock<Value: Sendable>(_ work: (inout Figures) -> Value) -> Value {
                figures.change { work(&$0) }
            }
        }

        final class AsyncIterator: AsyncIteratorProtocol {
            let state: State

            init(_ state: State) {
                self.state = state
            }

            deinit { state.withLock { $0.isReleased = true } }

            func next() async -> Data? {
                await Task.yield()
                return state.withLock { figures in
                    figures.made += 1
                    return figures.isStopped ? nil : Data(count: 10)
                }
            }
        }

        let state = State()

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(state) }
    }

    func testTheSourceWaitsForASlowTransport() async throws {
        let made = Kept(0)
        let source = AsyncStream<Data> {
            made.change { $0 += 1 }
            return made.now > 1000 ? nil : Data(count: 1 << 14)
        }
        let body = try StreamBody(source, sending: .live).encoded(using: JSONEncoder())
        var reader = EncodedBody.Reader(body)
        var count = 0
        for _ in 0..<10 { count += try await reader.next()?.count ?? 0 }
        // What has been read, and a buffer of a few chunks.
        XCTAssertLessThan(made.now, 30)
        while let chunk = try await reader.next() { count += chunk.count }
        XCTAssertEqual(count, 1000 << 14)
    }

    func testABodyThatFailsIsAnErrorNotAnEnd() async throws {
        let transport = ReadingTransport(sendsLiveBodies: true)
        let chunks = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data("one".utf8))
            continuation.finish(throwing: Broken())
        }
        let ask = Ask<String>(method: .post, content: StreamBody(chunks, sending: .live))
        for _ in 0..<2 {
            let error = await network(transport).failure(of: ask)
            guard case .invalidRequest(let failure) = error else { return XCTFail("\(error as Any)") }
            XCTAssertEqual(failure.member, .body)
        }
        XCTAssertEqual(transport.text, "one")
    }

    func testItIsNotSentAgain() async throws {
        let transport = ReadingTransport(sendsLiveBodies: true, answer: 307)
        let body = StreamBody([Data("one".utf8)].async, sending: .live)
        let error = await network(transport).failure(of: Ask<String>(method: .post, content: body))
        guard case .redirectRefused = error else { return XCTFail("\(error as Any)") }
        XCTAssertEqual(transport.lengths.count, 1)
    }

    func testEveryPartOfAMultipartBodyMayBeAStream() async throws {
        let server = try LoopbackServer { _ in .text("fine") }
        let body = MultipartBody([
            .stream("one", StreamBody([Data("first".utf8)].async), fileName: "one.txt", contentType: "text/plain"),
            .text("two", "second"),
            .stream("three", StreamBody([Data("third".utf8)].async)),
        ])
        for _ in 0..<2 {
            _ = try await NetworkSession(NetworkConfiguration(server.url)).value(
                for: Ask<String>(method: .post, content: body))
        }
        for request in server.requests {
            let parts = request.text.components(separatedBy: "\r\n\r\n").dropFirst().map { $0.prefix { $0 != "\r\n" } }
            XCTAssertEqual(parts, ["first", "second", "third"])
            XCTAssertTrue(request.text.contains(#"name="one"; filename="one.txt""#))
            XCTAssertEqual(request.header("Content-Length"), "\(request.bodyLength)")
        }
        XCTAssertEqual(server.requests.count, 2)
    }
}

/// A transport that reads the body of a call as it comes.
private final class ReadingTransport: NetworkTransport {
    let traits: TransportTraits
    private let status: Int
    private let state = Kept<(text: String, lengths: [Int?])>(("", []))

    init(sendsLiveBodies: Bool, answer status: Int = 200) {
        traits = TransportTraits(sendsLiveBodies: sendsLiveBodies)
        self.status = status
    }

    var text: String { state.change { $0.text } }
    var lengths: [Int?] { state.change { $0.lengths } }

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        if let body = call.body {
            state.change { $0.lengths.append(body.length) }
            var reader = EncodedBody.Reader(body)
            while let chunk = try await reader.next() {
                state.change { $0.text += String(decoding: chunk, as: UTF8.self) }
            }
        }
        return NetworkResponse(statusCode: status, headers: ["Location": "/there"], url: call.url)
    }
}

extension Array where Element: Sendable {
    /// The elements as an asynchronous sequence.
    fileprivate var async: AsyncStream<Element> {
        AsyncStream { continuation in
            for element in self { continuation.yield(element) }
            continuation.finish()
        }
    }
}
