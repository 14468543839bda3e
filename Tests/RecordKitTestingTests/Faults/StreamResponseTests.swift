import RecordKit
import RecordKitStreaming
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Bodies that a test scripts arrive step by step.
final class StreamResponseTests: TimedTestCase {
    private let clock = ManualClock()

    private func chunks(_ answer: StubResponse) -> NetworkSequence<Data, NetworkError> {
        NetworkManager(StubServer(clock, answer).configuration).chunks(for: Ask<Data>())
    }

    private static func text(_ chunk: Data?) -> String? { chunk.map { String(decoding: $0, as: UTF8.self) } }

    func testEachStepHappensInItsOrder() async throws {
        let gate = ResponseGate()
        let chunks = chunks([.chunk("one"), .wait(gate), .chunk("two"), .delay(.seconds(5)), .chunk("three")])
        let head = try await chunks.response
        XCTAssertEqual(head.headers["Content-Type"], "text/plain; charset=utf-8")
        XCTAssertNil(head.headers["Content-Length"])
        let one = try await chunks.first()
        XCTAssertEqual(Self.text(one), "one")

        async let second = chunks.first()
        // The reader waits, and its timeout runs.
        await until { clock.timerCount == 1 }
        gate.open()
        let two = try await second
        XCTAssertEqual(Self.text(two), "two")

        async let third = chunks.first()
        assertEqual(await clock.advanceToNextSleeper(), .seconds(5))
        let three = try await third
        XCTAssertEqual(Self.text(three), "three")
        assertNil(try await chunks.first())
    }

    func testAStreamThatIsHeldEndsWithItsReader() async throws {
        let chunks = chunks([.chunk(""), .hold])
        let reading = Task { await networkError { try await chunks.first() } }
        await until { clock.timerCount == 1 }
        clock.advance(by: .seconds(60))
        guard case .timedOut = await reading.value else { return XCTFail("It did not time out.") }
    }

    func testACallerOfTheWholeBodyGetsItAtTheEnd() async throws {
        let network = StubServer(clock, [.chunk("one "), .delay(.seconds(9)), .chunk("two")]).configuration
        async let text = NetworkSession(network).value(for: Ask<String>())
        assertEqual(await clock.advanceToNextSleeper(), .seconds(9))
        assertEqual(try await text, "one two")
    }

    func testFaultsChangeAScript() async throws {
        let script = StubResponse([.chunk("abc"), .delay(.zero), .chunk("def")])
        let dripped = try await chunks(script.slow(bytes: 2, every: .zero)).collect()
        XCTAssertEqual(dripped.map(Self.text), ["ab", "c", "de", "f"])
        let cut = chunks(script.cut(after: 4))
        assertEqual(try await cut.collect(upTo: 2).map(Self.text), ["abc", "d"])
        let error = await networkError { try await cut.first() }
        guard case .connection = error else { return XCTFail("\(error as Any)") }
        let answer = try await NetworkSession(StubServer(clock, script).configuration).value(
            for: Ask<NetworkResponse>(method: .head))
        XCTAssertEqual(answer.body, Data())
    }

    func testEventsAreReadAsTheyWereWritten() async throws {
        let steps: [StubResponse.Step] = [.event("a\n b\r\nc", type: "note", id: "7"), .event(""), .chunk(":\n\n")]
        let expected = [ServerSentEvent(type: "note", data: "a\n b\nc", id: "7"), ServerSentEvent(data: "", id: "7")]
        let server = try LoopbackServer(responses: [StubResponse(steps)])
        let url = NetworkEnvironment(server.url.absoluteString)
        for network in [StubServer(clock, StubResponse(steps)).configuration, NetworkConfiguration(environment: url)] {
            let events = try await NetworkManager(network).events(for: Ask<Data>(), reconnect: .never).collect()
            XCTAssertEqual(events, expected)
        }
    }

    func testATaskOfASessionGetsTheWholeBody() async throws {
        let gate = ResponseGate()
        let stub = StubServer(
            clock, [.chunk("one "), .delay(.seconds(4)), .wait(gate), .delay(.seconds(6)), .chunk("two")],
            [.chunk("one"), .delay(.seconds(2)), .reset], [.chunk("one"), .delay(.seconds(2)), .hold])
        let session = URLSession(configuration: stub.sessionConfiguration)
        let url = try XCTUnwrap(URL(string: "https://stub.test/ask"))

        async let whole = session.data(from: url).0
        let before = await clock.advanceToNextSleeper()
        gate.open()
        let after = await clock.advanceToNextSleeper()
        XCTAssertEqual([before, after], [.seconds(4), .seconds(6)])
        let data = try await whole
        XCTAssertEqual(Self.text(data), "one two")

        for (code, seconds) in [(URLError.Code.networkConnectionLost, 2), (.timedOut, 62)] {
            async let error = failure { try await session.data(from: url) }
            assertEqual(await clock.advanceToNextSleeper(), .seconds(seconds))
            assertEqual((await error as? URLError)?.code, code)
        }
    }
}
