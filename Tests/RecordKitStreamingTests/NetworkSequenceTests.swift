import RecordKit
import RecordKitStreaming
import RecordKitTesting
import TestSupport
import XCTest

/// A sequence begins, is counted, fails and ends like any call.
final class NetworkSequenceTests: TimedTestCase {
    private let clock = ManualClock()

    private struct Log: NetworkRequest {
        typealias ValueType = Void
        typealias ErrorType = LogError

        var path: RequestPath = "ask"
    }

    private enum LogError: NetworkFailure {
        case refused(Int, String)
        case network(NetworkError)

        init(_ error: NetworkError) {
            if let response = error.response, !response.isSuccess {
                self = .refused(response.statusCode, String(decoding: response.body, as: UTF8.self))
            } else {
                self = .network(error)
            }
        }
    }

    func testChunksArriveOneByOne() async throws {
        for source in try StreamSource.all(clock) {
            let manager = NetworkManager<Log>(source.network)
            let chunks = manager.chunks(for: Log())
            XCTAssertEqual(manager.inFlight, 0, source.name)
            for number in 0..<3 {
                source.send(number)
                let chunk = try await chunks.first()
                XCTAssertEqual(chunk, Data("chunk \(number)".utf8), source.name)
                XCTAssertEqual(manager.inFlight, 1, source.name)
            }
            source.finish()
            assertNil(try await chunks.first(), source.name)
            XCTAssertEqual(manager.inFlight, 0, source.name)
        }
    }

    func testTasksThatWaitForTheHeadTakeNoElement() async throws {
        for _ in 0..<500 {
            let transport = CannedTransport(body: "one\ntwo\n")
            let network = NetworkSession(NetworkConfiguration(transport))
            let lines = NetworkManager(network).lines(for: Log())
            let text = try await withThrowingTaskGroup { group in
                for _ in 0..<4 { group.addTask { _ = try await lines.response } }
                let text = try await lines.collect()
                try await group.waitForAll()
                return text
            }
            XCTAssertEqual(text, ["one", "two"])
            XCTAssertEqual(transport.calls.count, 1)
        }
    }

    func testACancelledTaskReadsNoFurtherElement() async throws {
        let transport = CannedTransport(body: "one\ntwo\nthree\n")
        let network = NetworkSession(NetworkConfiguration(transport))
        let lines = NetworkManager(network).lines(for: Log())
        let reader = Task {
            var iterator = lines.makeAsyncIterator()
            let first = try? await iterator.next()
            withUnsafeCurrentTask { $0?.cancel() }
            let error = await failure { () async throws(LogError) in try await iterator.next() }
            return (first, error)
        }
        let (first, error) = await reader.value
        XCTAssertEqual(first, "one")
        guard case .network(.cancelled) = error else { return XCTFail("\(String(describing: error))") }
    }

    func testTheSizeLimitIsNotThatOfTheWholeStream() async throws {
        let transport = CannedTransport(body: "one\ntwo\nthree\n")
        let network = NetworkSession(NetworkConfiguration(transport))
        let lines = try await NetworkManager(network).lines(for: Log()) { $0.options.sizeLimit = 5 }.collect()
        XCTAssertEqual(lines, ["one", "two", "three"])
        let error = await failure { () async throws(LogError) in
            try await NetworkManager(network).lines(for: Log()) { $0.options.sizeLimit = 4 }.collect()
        }
        guard case .network(.tooLarge) = error else { return XCTFail("\(String(describing: error))") }
    }

    func testTheHeadComesBeforeTheBody() async throws {
        for source in try StreamSource.all(clock) {
            let lines = NetworkManager(source.network).lines(for: Log())
            let head = try await lines.response
            XCTAssertEqual(head.statusCode, 200, source.name)
            XCTAssertTrue(head.body.isEmpty && head.stream == nil, source.name)
            for number in 0..<3 { source.send(number) }
            source.finish()
            assertEqual(try await lines.collect(), ["chunk 0chunk 1chunk 2"], source.name)
        }
    }

    func testARefusedStatusThrowsTheRequestsErrorWithTheBody() async throws {
        let server = try LoopbackServer(responses: [.text("not today", status: 403)])
        let lines = NetworkManager<Log>(NetworkConfiguration(server.url)).lines(for: Log())
        let error = await failure { for try await line in lines { XCTFail(line) } }
        guard case .refused(403, "not today") = error as? LogError else { return XCTFail("\(error as Any)") }
        do {
            _ = try await lines.response
            XCTFail("It was not refused.")
        } catch {
            guard case .refused(403, _) = error else { return XCTFail("\(error)") }
        }
        XCTAssertEqual(server.requests.count, 1)
    }

    func testACancelledSequenceOrTaskEndsTheCall() async throws {
        for isTask in [false, true] {
            for source in try StreamSource.all(clock) {
                let name = "\(source.name), \(isTask ? "task" : "sequence")"
                let manager = NetworkManager<Log>(source.network)
                let chunks = manager.chunks(for: Log())
                source.send(0)
                _ = try await chunks.first()
                let reading = Task { await failure { () async throws(LogError) in try await chunks.first() } }
                while clock.timerCount == 0 { await Task.yield() }
                if isTask { reading.cancel() } else { chunks.cancel() }
                guard case .network(.cancelled) = await reading.value else { return XCTFail(name) }
                XCTAssertEqual(manager.inFlight, 0, name)
                try await source.isAbandoned()
            }
        }
    }

    /// Runs an action after the head has arrived.
    private struct Interrupting: NetworkClient {
        let inner: NetworkSession
        let action: @Sendable () -> Void

        func outcome<Request>(of outgoing: OutgoingRequest<Request>) async -> NetworkOutcome<Request> {
            await inner.outcome(of: outgoing)
        }

        func open<Request>(_ outgoing: OutgoingRequest<Request>) async -> NetworkOpening {
            defer { action() }
            return await inner.open(outgoing)
        }
    }

    func testASequenceThatIsCancelledRightAfterTheHeadEndsTheTransfer() async throws {
        for source in try StreamSource.all(clock) {
            let sequence = Kept<NetworkSequence<Data, LogError>?>(nil)
            let client = Interrupting(inner: source.network) { sequence.now?.cancel() }
            let chunks = client.chunks(for: Log())
            sequence.set(chunks)
            source.send(0)
            _ = await failure { () async throws(LogError) in try await chunks.response }
            try await source.isAbandoned()
            guard
                case .network(.cancelled) = await failure(of: { () async throws(LogError) in try await chunks.first() })
            else { return XCTFail(source.name) }
            sequence.set(nil)
        }
    }

    func testASequenceThatIsCancelledBeforeItBeginsSendsNothing() async throws {
        let server = try LoopbackServer(responses: [.text("one")])
        let lines = NetworkManager(NetworkConfiguration(server.url)).lines(for: Log())
        lines.cancel()
        let error = await failure { () async throws(LogError) in try await lines.first() }
        guard case .network(.cancelled) = error else { return XCTFail("\(error as Any)") }
        XCTAssertEqual(server.requests.count, 0)
    }

    func testAReleasedSequenceEndsItsCall() async throws {
        for source in try StreamSource.all(clock) {
            func readOne() async throws {
                let chunks = NetworkManager(source.network).chunks(for: Log())
                source.send(0)
                _ = try await chunks.first()
                XCTAssertEqual(source.network.inFlight, 1, source.name)
            }
            try await readOne()
            try await source.isAbandoned()
            await until { source.network.inFlight == 0 }
        }
    }

    func testTwoReadersShareTheElements() async throws {
        let text = (0..<1000).map { "line \($0)\n" }.joined()
        let server = try LoopbackServer(responses: [.text(text)])
        let lines = NetworkManager(NetworkConfiguration(server.url)).lines(for: Log())
        async let one = lines.collect()
        async let other = lines.collect()
        let (first, second) = try await (one, other)
        XCTAssertEqual(Set(first + second).count, 1000)
        XCTAssertEqual(first.count + second.count, 1000)
        XCTAssertEqual(server.requests.count, 1)
    }

    func testElementsThatCameBeforeAnErrorAreDelivered() async throws {
        let server = try LoopbackServer(responses: [.text("one\ntwo\nthree").cut(after: 9)])
        var read: [String] = []
        let error = await failure {
            for try await line in NetworkManager(NetworkConfiguration(server.url)).lines(for: Log()) {
                read.append(line)
            }
        }
        guard case .network(.connection) = error as? LogError else { return XCTFail("\(error as Any)") }
        XCTAssertEqual(read, ["one", "two"])
    }
}
