import RecordKit
import RecordKitCache
import RecordKitCurl
import RecordKitInterceptors
import RecordKitStreaming
import RecordKitTesting
import TestSupport
import XCTest

/// The cache around the real transports, with a server on the loopback interface, and streams.
final class TransportTests: TimedTestCase {
    private static let minute: HTTPHeaders = ["Cache-Control": "max-age=60", "Content-Type": "text/plain"]

    private static func transports() -> [(name: String, transport: any NetworkTransport)] {
        [("URLSession", URLSessionTransport()), ("libcurl", CurlTransport())]
    }

    private func network(
        _ cache: HTTPCache, _ transport: any NetworkTransport, _ server: LoopbackServer
    ) -> NetworkSession {
        NetworkSession(
            NetworkConfiguration(
                environment: NetworkEnvironment(server.url.absoluteString), transport: cache.transport(transport)))
    }

    func testHitsAndValidation() async throws {
        for (name, transport) in Self.transports() {
            let tag: HTTPHeaders = ["ETag": "\"a\""]
            let server = try LoopbackServer(responses: [
                .status(200, headers: Self.minute, body: Data("one".utf8)),
                .status(200, headers: tag, body: Data("two".utf8)), .status(304, headers: tag),
            ])
            let network = network(HTTPCache(), transport, server)
            for _ in 0..<2 {
                let one = try await network.value(for: Ask<String>(path: "one"))
                XCTAssertEqual(one, "one", name)
            }
            for _ in 0..<2 {
                let two = try await network.value(for: Ask<String>(path: "two"))
                XCTAssertEqual(two, "two", name)
            }
            XCTAssertEqual(server.requests.map { $0.headers("If-None-Match") }, [[], [], ["\"a\""]], name)
        }
    }

    func testAStreamIsStoredWhileItIsRead() async throws {
        for (name, transport) in Self.transports() {
            let body = Data(repeating: 7, count: 300_000)
            let server = try LoopbackServer(responses: [.status(200, headers: Self.minute, body: body)])
            let network = network(HTTPCache(), transport, server)
            for _ in 0..<2 {
                var count = 0
                for try await chunk in NetworkManager(network).chunks(for: Ask<Data>()) { count += chunk.count }
                XCTAssertEqual(count, body.count, name)
            }
            assertEqual(try await network.value(for: Ask<Data>()), body, name)
            XCTAssertEqual(server.requests.count, 1, name)
        }
    }

    func testADroppedStreamIsNotStored() async throws {
        let cache = HTTPCache()
        let pipe = Pipe()
        let network = NetworkSession(NetworkConfiguration(cache.transport(pipe)))
        do {
            let response = try await NetworkManager(network).open(Ask<Data>())
            var iterator = try XCTUnwrap(response.stream).makeAsyncIterator()
            pipe.writer.change { _ = $0?.write(Data("a".utf8)) }
            assertEqual(try await iterator.next(), Data("a".utf8))
        }
        pipe.writer.change { $0?.finish() }
        assertEqual(await cache.usage.count, 0)
    }

    /// A body over an eighth of the limit passes, and isn't stored.
    func testALongStreamIsNotStored() async throws {
        let cache = HTTPCache(store: MemoryCacheStore(limit: 80))
        let pipe = Pipe()
        let network = NetworkSession(NetworkConfiguration(cache.transport(pipe)))
        let response = try await NetworkManager(network).open(Ask<Data>())
        pipe.writer.change { writer in
            for _ in 0..<3 { writer?.write(Data("1234".utf8)) }
            writer?.finish()
        }
        var body = Data()
        var iterator = try XCTUnwrap(response.stream).makeAsyncIterator()
        while let chunk = try await iterator.next() { body += chunk }
        XCTAssertEqual(body.count, 12)
        assertEqual(await cache.usage.count, 0)
    }

    /// The bodies that are collected at the same time have one limit together.
    func testStreamsShareALimit() async throws {
        let cache = HTTPCache(store: MemoryCacheStore(limit: 80_000))
        let pipes = (0..<3).map { _ in Pipe() }
        var responses: [NetworkResponse] = []
        for (number, pipe) in pipes.enumerated() {
            let network = NetworkSession(NetworkConfiguration(cache.transport(pipe)))
            responses.append(try await NetworkManager(network).open(Ask<Data>(path: "\(number)")))
            pipe.writer.change { _ = $0?.write(Data(count: 4000)) }
        }
        for response in responses {
            var iterator = try XCTUnwrap(response.stream).makeAsyncIterator()
            assertEqual(try await iterator.next()?.count, 4000)
        }
        for pipe in pipes { pipe.writer.change { $0?.finish() } }
        for response in responses {
            var iterator = try XCTUnwrap(response.stream).makeAsyncIterator()
            assertNil(try await iterator.next())
        }
        var usage = await cache.usage
        XCTAssertEqual(usage.count, 2)
        // All of them have given their share back.
        let pipe = Pipe()
        let network = NetworkSession(NetworkConfiguration(cache.transport(pipe)))
        let response = try await NetworkManager(network).open(Ask<Data>(path: "large"))
        pipe.writer.change { writer in
            writer?.write(Data(count: 10_000))
            writer?.finish()
        }
        var iterator = try XCTUnwrap(response.stream).makeAsyncIterator()
        while try await iterator.next() != nil {}
        usage = await cache.usage
        XCTAssertEqual(usage.count, 3)
    }

    /// The reader's backpressure reaches the source as without a cache: the number of unread bytes is that of the
    /// reader.
    func testBackpressureIsThatOfTheReader() async throws {
        let pipe = Pipe()
        let network = NetworkSession(NetworkConfiguration(HTTPCache().transport(pipe)))
        let response = try await NetworkManager(network).open(Ask<Data>())
        let unread = pipe.writer.change { writer in (0..<3).map { _ in writer?.write(Data(count: 10)) ?? 0 } }
        XCTAssertEqual(unread, [10, 20, 30])
        withExtendedLifetime(response) {}
    }

    func testTraitsArePassedOn() {
        let transport = URLSessionTransport()
        let wrapped = HTTPCache().transport(CircuitBreaker().transport(transport)).traits
        XCTAssertTrue(wrapped.dataTasks as? URLSessionTransport === transport)
        XCTAssertTrue(wrapped.slots === transport.traits.slots)
        let curl = CurlTransport()
        XCTAssertEqual(HTTPCache().transport(curl).traits.upgradesConnections, curl.traits.upgradesConnections)
        XCTAssertEqual(HTTPCache().transport(curl).traits.sendsLiveBodies, curl.traits.sendsLiveBodies)
    }

    /// An open breaker inside the cache leaves stored responses available.
    func testABreakerInsideTheCache() async throws {
        let clock = ManualClock()
        let origin = OriginServer(clock: clock)
        let player = Player(transport: CircuitBreaker(minimumCalls: 1).transport(origin), server: origin, clock: clock)
        player.server.respond(with: .init(fields: ["Cache-Control: max-age=10, stale-if-error=60"]))
        _ = try await player.send(.init())
        clock.advance(by: .seconds(20))
        player.server.respond(with: .init(error: .lost))
        for _ in 0..<3 {
            let response = try await player.send(.init())
            XCTAssertEqual(String(decoding: response.body, as: UTF8.self), "1")
        }
        XCTAssertEqual(player.server.calls.count, 2)
    }
}

/// A transport whose only stream the test writes.
private final class Pipe: NetworkTransport {
    let writer = Kept<NetworkBytes.Writer?>(nil)

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        let (bytes, writer) = NetworkBytes.makeStream(bufferLimit: call.bufferLimit, onCancel: {})
        self.writer.set(writer)
        return NetworkResponse(
            statusCode: 200, headers: ["Cache-Control": "max-age=60"], content: .stream(bytes), url: call.url)
    }
}
