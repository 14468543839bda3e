import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordKit

/// A streamed response holds its slot, its place in the count, its deadline and its timeout until it ends. Each is
/// released once.
final class StreamedCallTests: TimedTestCase {
    private let clock = ManualClock()

    /// Begins a stream and reads its first chunk.
    private func begin(
        _ source: StreamSource, path: RequestPath = "ask"
    ) async throws -> (bytes: NetworkBytes, reader: NetworkBytes.Iterator) {
        let response = try await source.network.value(for: Ask<NetworkResponse>(path: path))
        let bytes = try XCTUnwrap(response.stream, source.name)
        XCTAssertEqual(source.network.inFlight, 1, source.name)
        source.send(0)
        var reader = bytes.makeAsyncIterator()
        assertEqual(try await reader.next(), Data("chunk 0".utf8), source.name)
        return (bytes, reader)
    }

    /// Asserts that nothing is held: another call gets the only slot.
    private func assertEnded(_ source: StreamSource, line: UInt = #line) {
        XCTAssertEqual(source.network.inFlight, 0, source.name, line: line)
        let origin = URLOrigin(stringLiteral: source.network.configuration.environment?.baseURL ?? "")
        XCTAssertEqual(
            source.network.configuration.transport.traits.slots?.count(origin).taken, 0, source.name, line: line)
        XCTAssertEqual(clock.timerCount, 0, source.name, line: line)
    }

    func testASlowReaderGetsItAll() async throws {
        for source in try StreamSource.all(clock) {
            var (_, reader) = try await begin(source)
            for number in 1..<3 {
                // The time that the reader takes does not count.
                clock.advance(by: .seconds(1000))
                source.send(number)
                let chunk = try await reader.next()
                XCTAssertEqual(chunk, Data("chunk \(number)".utf8), source.name)
            }
            XCTAssertEqual(source.network.inFlight, 1, source.name)
            source.finish()
            assertNil(try await reader.next(), source.name)
            assertEnded(source)
        }
    }

    func testOneThatIsDroppedEndsItsTransfer() async throws {
        for source in try StreamSource.all(clock) {
            func readThree() async throws {
                var (_, reader) = try await begin(source)
                for number in 1..<3 {
                    source.send(number)
                    _ = try await reader.next()
                }
            }
            try await readThree()
            // The thread that delivered the last chunk may hold the stream for a moment longer.
            try await source.isAbandoned()
            await until { source.network.inFlight == 0 }
            assertEnded(source)
        }
    }

    func testOneThatIsCancelledEndsItsTransferAndAPendingRead() async throws {
        for source in try StreamSource.all(clock) {
            let (bytes, reader) = try await begin(source)
            async let pending = error(of: reader)
            while clock.timerCount == 0 { await Task.yield() }
            bytes.cancel()
            guard case .cancelled = await pending else { return XCTFail(source.name) }
            assertEnded(source)
            try await source.isAbandoned()
            guard case .cancelled = await error(of: reader) else { return XCTFail("\(source.name), later") }
        }
    }

    func testCancellingTheTaskThatReadsEndsTheTransfer() async throws {
        for source in try StreamSource.all(clock) {
            let (bytes, reader) = try await begin(source)
            let reading = Task { await error(of: reader) }
            while clock.timerCount == 0 { await Task.yield() }
            reading.cancel()
            guard case .cancelled = await reading.value else { return XCTFail(source.name) }
            assertEnded(source)
            try await source.isAbandoned()
            withExtendedLifetime(bytes) {}
        }
    }

    func testCancelAllEndsIt() async throws {
        for source in try StreamSource.all(clock) {
            let (bytes, reader) = try await begin(source)
            source.network.cancelAll()
            assertEnded(source)
            guard case .cancelled = await error(of: reader) else { return XCTFail(source.name) }
            try await source.isAbandoned()
            withExtendedLifetime(bytes) {}
        }
    }

    func testTheDeadlineEndsItWhetherItIsReadOrNot() async throws {
        for isRead in [true, false] {
            for source in try StreamSource.all(
                clock, options: RequestOptions(timeout: .seconds(99), deadline: .seconds(9)))
            {
                let (bytes, reader) = try await begin(source)
                async let pending = isRead ? error(of: reader) : nil
                while clock.timerCount < (isRead ? 2 : 1) { await Task.yield() }
                clock.advance(by: .seconds(9))
                let first = await pending
                let last = await error(of: reader)
                for error in [isRead ? first : last, last] {
                    guard case .timedOut(let timeout) = error else { return XCTFail("\(source.name): \(error as Any)") }
                    XCTAssertEqual(timeout.limit, .deadline, source.name)
                    XCTAssertTrue(timeout.mayHaveReachedServer, source.name)
                }
                assertEnded(source)
                try await source.isAbandoned()
                withExtendedLifetime(bytes) {}
            }
        }
    }

    func testAWaitThatIsLongerThanTheTimeoutEndsIt() async throws {
        for source in try StreamSource.all(clock, options: RequestOptions(timeout: .seconds(5))) {
            let (bytes, reader) = try await begin(source)
            async let pending = error(of: reader)
            while clock.timerCount == 0 { await Task.yield() }
            clock.advance(by: .seconds(5))
            guard case .timedOut(let timeout) = await pending else { return XCTFail(source.name) }
            XCTAssertEqual(timeout.limit, .attempt, source.name)
            assertEnded(source)
            try await source.isAbandoned()
            withExtendedLifetime(bytes) {}
        }
    }

    func testARedirectBeforeItIsFollowed() async throws {
        for source in try StreamSource.all(clock) {
            let response = try await source.network.value(for: Ask<NetworkResponse>(path: "moved"))
            XCTAssertEqual(response.redirects.count, 1, source.name)
            XCTAssertEqual(response.url.path, "/ask", source.name)
            source.send(0)
            var reader = try XCTUnwrap(response.stream).makeAsyncIterator()
            assertEqual(try await reader.next(), Data("chunk 0".utf8), source.name)
            source.network.cancelAll()
            assertEnded(source)
        }
    }

    func testARefusedStatusIsCollected() async throws {
        let server = try LoopbackServer(responses: [StubResponse([.chunk("not "), .chunk("here")], status: 404)])
        let stub = StubServer()
        stub.respond(to: "/ask", with: .text("not here", status: 404).slow(bytes: 4, every: .zero))
        for (environment, transport) in [
            (NetworkEnvironment(server.url.absoluteString), URLSessionTransport() as any NetworkTransport),
            (stub.environment, stub),
        ] {
            let network = NetworkSession(
                environment, transport: transport, interceptors: [Changing { $0.delivery = .streamed }])
            let error = await network.failure(of: Ask<NetworkResponse>())
            XCTAssertNil(error?.response?.stream)
            XCTAssertEqual(error?.response?.body, Data("not here".utf8))
            XCTAssertEqual(network.inFlight, 0)
        }
    }

    /// Chunks that arrive before the first read are kept. The end comes after them.
    func testChunksThatArriveBeforeTheyAreReadComeInOrder() async throws {
        for source in try StreamSource.all(clock) {
            let response = try await source.network.value(for: Ask<NetworkResponse>())
            for number in 0..<3 { source.send(number) }
            source.finish()
            var text = ""
            for try await chunk in try XCTUnwrap(response.stream) { text += String(decoding: chunk, as: UTF8.self) }
            XCTAssertEqual(text, "chunk 0chunk 1chunk 2", source.name)
            assertEnded(source)
        }
    }

    /// An empty value would report success and lose the body.
    func testAStreamIsReadAsNothingButAResponse() async throws {
        for source in try StreamSource.all(clock) {
            let error = await source.network.failure(of: Ask<Data>())
            guard case .decoding(let failure) = error else { return XCTFail("\(source.name): \(error as Any)") }
            assertEnded(source)
            XCTAssertEqual(failure.cause as? NetworkResponse.ReadingError, .stream, source.name)
        }
    }

    /// Each stream ends once, and nothing is held, however and whenever it ends.
    func testStreamsThatEndAtRandomLeaveNothingBehind() async throws {
        let server = try LoopbackServer { _ in
            StubResponse(Array(repeating: String(repeating: "x", count: 4_000), count: 5).map { .chunk($0) })
        }
        let transport = URLSessionTransport(exchangesPerHost: 4)
        let network = NetworkSession(
            NetworkConfiguration(
                server.url, transport: transport, interceptors: [Changing { $0.delivery = .streamed }]))
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    var chance = SplitMix(seed: UInt64(worker))
                    for _ in 0..<40 {
                        let end = Int.random(in: 0..<5, using: &chance)
                        let reading = Task {
                            guard let response = try? await network.value(for: Ask<NetworkResponse>()),
                                let stream = response.stream
                            else { return }
                            var reader = stream.makeAsyncIterator()
                            if end == 0 { return }
                            if end == 1 { stream.cancel() }
                            if end == 2 { network.cancelAll() }
                            while (try? await reader.next()) != nil {}
                        }
                        if end == 3 { reading.cancel() }
                        await reading.value
                    }
                }
            }
        }
        await until { network.inFlight == 0 && transport.traits.slots?.count(URLOrigin(server.url)).taken == 0 }
        let whole = try await network.value(for: Ask<NetworkResponse>())
        var count = 0
        for try await chunk in try XCTUnwrap(whole.stream) { count += chunk.count }
        XCTAssertEqual(count, 20_000)
    }

    func testABodyOfAStreamThatIsWantedWholeIsCollectedUnderTheSizeLimit() async throws {
        for (limit, expected) in [(6, "200 abcdef"), (5, "too large: 5")] {
            let stub = StubServer()
            stub.respond(to: "/ask", with: .text("abcdef").slow(bytes: 1, every: .zero))
            var network = stub.configuration
            network.options.sizeLimit = limit
            assertEqual(await HostileBehavior.Way.value.outcome(network), expected)
        }
    }
}

/// Returns the error of the next read, or `nil` if it succeeds.
private func error(of reader: NetworkBytes.Iterator) async -> NetworkError? {
    await networkError {
        var reader = reader
        return try await reader.next()
    }
}
