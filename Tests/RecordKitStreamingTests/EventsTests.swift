import RecordKit
import RecordKitStreaming
import RecordKitTesting
import TestSupport
import XCTest

/// A sequence of events reconnects by its policy, and ends as the WHATWG standard says.
final class EventsTests: TimedTestCase {
    private typealias Manager = NetworkManager<Ask<Data>>

    private let clock = ManualClock()

    /// A stub whose waits take no time.
    private func stub(_ answers: StubResponse...) -> (stub: StubServer, clock: ManualClock) {
        let clock = ManualClock(advancesItself: true)
        let stub = StubServer(clock: clock.networkClock)
        stub.respond(to: "/ask", with: answers)
        return (stub, clock)
    }

    private func events(
        _ stub: StubServer, _ request: Ask<Data> = Ask(), reconnect: ReconnectPolicy = .standard
    ) -> NetworkSequence<ServerSentEvent, NetworkError> {
        NetworkManager(stub.configuration).events(for: request, reconnect: reconnect)
    }

    // MARK: Reconnects

    func testReconnectsWithTheLastIDAndAfterTheServersTime() async throws {
        let server = try LoopbackServer(responses: [
            [.event("a", id: "1"), .chunk(Data("retry: 1500\n\nid: 2\ndata: dropped\n".utf8))],
            [.event("b"), .close],
            .status(204),
        ])
        let network = NetworkConfiguration(server.url, clock: clock)
        let manager = Manager(network)
        let reading = Task { try await manager.events(for: Ask()).collect() }
        for number in 1...2 {
            assertEqual(await clock.advanceToNextSleeper(), .milliseconds(1500))
            _ = try await server.request(at: number)
        }
        let events = try await reading.value
        XCTAssertEqual(events.map(\.data), ["a", "b"])
        XCTAssertEqual(events.map(\.id), ["1", "1"])
        XCTAssertEqual(server.requests.map { $0.header("Last-Event-ID") }, [nil, "1", "1"])
        XCTAssertEqual(
            server.requests.map { $0.header("Accept") }, Array(repeating: "text/event-stream, */*;q=0.5", count: 3))
        XCTAssertEqual(server.requests.map { $0.header("Cache-Control") }, Array(repeating: "no-cache", count: 3))
        XCTAssertEqual(manager.inFlight, 0)
    }

    func testTheWaitDoublesWithEachAttemptThatBringsNoEvent() async throws {
        let (stub, clock) = stub(
            .refused, .refused, StubResponse([.chunk(": no event\n\n")], contentType: "text/event-stream"), .refused,
            .refused, .failure(.timedOut),
            [.event("a")], [.event("b"), .reset], .status(204))
        assertEqual(try await events(stub).collect().map(\.data), ["a", "b"])
        XCTAssertEqual(clock.sleeps, [3, 6, 12, 24, 48, 60, 3, 3].map { .seconds($0) })
    }

    func testTheServersTimeIsBounded() async throws {
        for (retry, first, second) in [
            ("0", 500, 1000), ("499", 500, 1000), ("700", 700, 1400),
            ("99999999999999999999999999", 3_600_000, 3_600_000),
            ("1x", 3000, 6000), ("-1", 3000, 6000), ("", 3000, 6000), ("100000", 100_000, 100_000),
        ] {
            let (stub, clock) = stub([.chunk("retry: \(retry)\n"), .event("a")], .refused, .status(204))
            _ = try await events(stub).collect()
            XCTAssertEqual(clock.sleeps, [.milliseconds(first), .milliseconds(second)], retry)
        }
    }

    func testAnEmptyIDIsNotSent() async throws {
        let (stub, _) = stub([.event("a", id: "7")], [.event("b", id: "")], .status(204))
        let network = NetworkSession(stub.configuration)
        let events = try await NetworkManager(network).events(for: Ask<Data>()) { $0.headers["Last-Event-ID"] = "5" }
            .collect()
        XCTAssertEqual(events.map(\.id), ["7", ""])
        XCTAssertEqual(stub.requests.map { $0.headers["Last-Event-ID"] }, ["5", "7", nil])
    }

    func testAnIDThatNoFieldCanContainIsNotSent() async throws {
        for id in ["\u{1}", String(repeating: "7", count: 5000)] {
            let (stub, _) = stub([.event("a", id: id)], [.event("b")], .status(204))
            assertEqual(try await events(stub).collect().map(\.data), ["a", "b"])
            XCTAssertEqual(stub.requests.map { $0.headers["Last-Event-ID"] }, [nil, nil, nil])
        }
    }

    // MARK: Ends

    func testARefusedStatusOrAnotherTypeEndsIt() async throws {
        for isFirst in [true, false] {
            for (answer, expected) in [
                (StubResponse.text("later", status: 503), "503"), (.text("page"), "unexpected content"),
                (.status(200), "unexpected content"), (.data(Data(), contentType: "events"), "unexpected content"),
                (Self.event(205), "205"), (Self.event(210), "210"), (Self.event(299), "299"),
                (.failure(NetworkError.tooLarge(NetworkError.TooLarge(limit: 1, host: "x"))), "too large"),
                (.status(401), "401"),
            ] {
                let (stub, _) = stub()
                stub.respond(to: "/ask", with: isFirst ? [answer] : [[.event("a", id: "1")], answer])
                let sequence = events(stub)
                if !isFirst { _ = try await sequence.first() }
                let error = await networkError { try await sequence.first() }
                switch error {
                case .status(let response): XCTAssertEqual("\(response.statusCode)", expected)
                case .decoding(let failure):
                    XCTAssertEqual(expected, "unexpected content")
                    XCTAssertEqual(failure.type, "text/event-stream")
                    XCTAssertNotNil(failure.response.stream, "\(failure)")
                case .tooLarge: XCTAssertEqual(expected, "too large")
                default: XCTFail("\(error as Any)")
                }
                XCTAssertEqual(stub.requests.count, isFirst ? 1 : 2)
            }
        }
    }

    private static func event(_ status: Int) -> StubResponse { StubResponse([.event("b")], status: status) }

    func testTheStatus204EndsIt() async throws {
        let (stub, clock) = stub(.status(204))
        let sequence = events(stub)
        assertEqual(try await sequence.response.statusCode, 204)
        assertEqual(try await sequence.collect(), [])
        XCTAssertEqual(stub.requests.count, 1)
        XCTAssertEqual(clock.sleeps, [])
    }

    func testAnErrorThatIsNotTransientEndsTheStandardPolicy() async throws {
        let failure = NetworkError.ConnectionFailure(kind: .tls(.untrusted), host: "x", mayHaveReachedServer: false)
        let (stub, _) = stub(.failure(NetworkError.connection(failure)))
        let sequence = events(stub)
        let error = await TestSupport.networkError { try await sequence.first() }
        guard case .connection = error else { return XCTFail("\(error as Any)") }
        XCTAssertEqual(stub.requests.count, 1)
    }

    // MARK: Policies

    func testAPostIsOnlySentAgainWhenAsked() async throws {
        let request = Ask<Data>(method: .post, content: "prompt")
        let (once, _) = stub([.event("a"), .event("[DONE]")], .status(204))
        let events = try await events(once, request).collect()
        XCTAssertEqual(events.map(\.data), ["a", "[DONE]"])
        XCTAssertEqual(once.requests.count, 1)

        let (broken, _) = stub([.event("a"), .reset], .status(204))
        let sequence = self.events(broken, request)
        _ = try await sequence.first()
        let error = await networkError { try await sequence.first() }
        guard case .connection = error else { return XCTFail("\(error as Any)") }
        XCTAssertEqual(broken.requests.count, 1)

        let (asked, _) = stub([.event("a", id: "1"), .reset], [.event("b")], .status(204))
        let both = try await self.events(asked, request, reconnect: ReconnectPolicy { $0.wait }).collect()
        XCTAssertEqual(both.map(\.data), ["a", "b"])
        XCTAssertEqual(asked.requests.map { String(decoding: $0.body, as: UTF8.self) }, ["prompt", "prompt", "prompt"])
        XCTAssertEqual(asked.requests.map { $0.headers["Last-Event-ID"] }, [nil, "1", "1"])
    }

    func testARuleDecidesAndGivesUp() async throws {
        let seen = Kept<[(Int, Bool, Duration)]>([])
        let rule = ReconnectPolicy { interruption in
            seen.add((interruption.attempt, interruption.error == nil, interruption.outage))
            return interruption.attempt < 3 ? .seconds(interruption.attempt) : nil
        }
        let (stub, _) = stub([.event("a")], .refused, [.event("b"), .reset], .refused, .refused)
        let sequence = events(stub, reconnect: rule)
        let events = try await sequence.collect(upTo: 2)
        XCTAssertEqual(events.map(\.data), ["a", "b"])
        let error = await networkError { try await sequence.first() }
        guard case .connection(let lost) = error, lost.kind == .refused else { return XCTFail("\(error as Any)") }
        let asked = seen.now
        XCTAssertEqual(asked.map(\.0), [1, 2, 1, 2, 3])
        XCTAssertEqual(asked.map(\.1), [true, false, false, false, false])
        XCTAssertEqual(asked.map(\.2), [0, 1, 0, 1, 3].map { .seconds($0) })

        // Without an error, it ends.
        let (short, _) = self.stub([.event("a")], StubResponse([.chunk("")], contentType: "text/event-stream"))
        let all = try await self.events(short, reconnect: ReconnectPolicy { $0.attempt < 2 ? .zero : nil }).collect()
        XCTAssertEqual(all.map(\.data), ["a"])
        XCTAssertEqual(short.requests.count, 2)
    }

    // MARK: Cancellation

    /// How a sequence is cancelled.
    private enum Way: CaseIterable { case sequence, task, manager }

    func testCancellationEndsEachPhase() async throws {
        for way in Way.allCases {
            for phase in ["first head", "first event", "next event", "wait", "second head", "failed wait"] {
                let stub = StubServer(clock: clock.networkClock)
                switch phase {
                case "first head": stub.respond(to: "/ask", with: .never)
                case "first event":
                    stub.respond(to: "/ask", with: StubResponse([.chunk(""), .hold], contentType: "text/event-stream"))
                case "next event": stub.respond(to: "/ask", with: [.event("a"), .hold])
                case "second head": stub.respond(to: "/ask", with: [.event("a")], .never)
                case "failed wait": stub.respond(to: "/ask", with: .refused)
                default: stub.respond(to: "/ask", with: [.event("a")], .status(500))
                }
                let manager = Manager(stub.configuration)
                let sequence = manager.events(for: Ask())
                if !["first head", "first event", "failed wait"].contains(phase) { _ = try await sequence.first() }
                let reading = Task { await networkError { try await sequence.first() } }
                if phase == "second head" { await clock.advanceToNextSleeper() }
                _ = try await stub.request(at: phase == "second head" ? 1 : 0)
                let isWait = phase.hasSuffix("wait")
                if isWait || phase.hasSuffix("head") { await clock.waitForSleepers(1) }
                if phase.hasSuffix("event") { await until { self.clock.timerCount == 1 } }
                XCTAssertEqual(manager.inFlight, 1, "\(way), \(phase)")
                let count = stub.requests.count
                switch way {
                case .sequence: sequence.cancel()
                case .task: reading.cancel()
                case .manager: manager.cancelAll()
                }
                let error = await reading.value
                guard case .cancelled = error else { return XCTFail("\(way), \(phase): \(error as Any)") }
                await until { self.clock.sleeperCount == 0 && self.clock.timerCount == 0 }
                XCTAssertEqual(manager.inFlight, 0, "\(way), \(phase)")
                let later = await networkError { try await sequence.first() }
                if way == .sequence { XCTAssertTrue(later?.isCancelled == true, "\(phase): \(later as Any)") }
                XCTAssertEqual(stub.requests.count, count, "\(way), \(phase)")
            }
        }
    }

    // MARK: Time

    func testAStreamMayLastAnyTime() async throws {
        let stub = StubServer(clock: clock.networkClock)
        let steps = (0..<20).flatMap { [StubResponse.Step.delay(.seconds(30)), .event("\($0)")] }
        stub.respond(to: "/ask", with: StubResponse(steps), .status(204))
        var network = stub.configuration
        network.options.deadline = .seconds(60)
        let session = NetworkSession(network)
        let sequence = NetworkManager(session).events(for: Ask<Data>())
        for number in 0..<20 {
            async let event = sequence.first()
            await clock.advanceToNextSleeper()
            assertEqual(try await event?.data, "\(number)")
            XCTAssertEqual(session.inFlight, 1)
        }
        XCTAssertEqual(clock.now, .seconds(600))
        sequence.cancel()
    }

    func testADeadlineOfTheRequestCoversAllConnections() async throws {
        let (stub, clock) = stub([.event("a")], [.event("b")], .refused)
        let sequence = events(stub, Ask(options: RequestOptions(deadline: .seconds(15))))
        assertEqual(try await sequence.collect(upTo: 2).map(\.data), ["a", "b"])
        let error = await networkError { try await sequence.first() }
        guard case .timedOut(let timeout) = error else { return XCTFail("\(error as Any)") }
        XCTAssertEqual(timeout.limit, .deadline)
        XCTAssertEqual(clock.now, .seconds(15))
    }

    func testASilentConnectionCountsAsLost() async throws {
        let stub = StubServer(clock: clock.networkClock)
        stub.respond(to: "/ask", with: [.event("a", id: "1"), .hold], [.event("b")])
        let sequence = NetworkManager(stub.configuration).events(
            for: Ask<Data>(options: RequestOptions(timeout: .seconds(45))))
        _ = try await sequence.first()
        async let next = sequence.first()
        await until { self.clock.timerCount == 1 }
        clock.advance(by: .seconds(45))
        await clock.advanceToNextSleeper()
        assertEqual(try await next?.data, "b")
        XCTAssertEqual(clock.sleeps, [.seconds(3)])
        XCTAssertEqual(stub.requests.last?.headers["Last-Event-ID"], "1")
    }
}
