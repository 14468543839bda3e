import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class FaultTests: TimedTestCase {
    private let clock = ManualClock()

    func testADelayIsWaitedForByTheClock() async throws {
        let network = StubServer(clock, .text("late").delayed(by: .seconds(20)).delayed(by: .seconds(10))).configuration
        async let answer = NetworkSession(network).value(for: Ask<String>())
        let moved = await clock.advanceToNextSleeper()
        let text = try await answer
        XCTAssertEqual(moved, .seconds(30))
        XCTAssertEqual(text, "late")
    }

    func testADelayPastTheTimeoutIsATimeout() async throws {
        let network = StubServer(clock, .text("late").delayed(by: .seconds(61)), .never).configuration
        for timeout in [nil, Duration.seconds(5)] {
            async let failure = network.failure(of: Ask<String>(options: RequestOptions(timeout: timeout)))
            let moved = await clock.advanceToNextSleeper()
            guard case .timedOut(let error) = await failure else { return XCTFail("no timeout") }
            XCTAssertEqual(moved, timeout ?? .seconds(60))
            XCTAssertEqual(error.limit, .attempt)
            XCTAssertEqual(error.after, timeout ?? .seconds(60))
        }
    }

    func testADripTakesItsTime() async throws {
        for (count, drips) in [(3, 3), (7, 1), (.max, 1)] {
            let network = StubServer(clock, .text("abcdefg").slow(bytes: count, every: .seconds(2))).configuration
            async let answer = NetworkSession(network).value(for: Ask<String>())
            for _ in 0..<drips { assertEqual(await clock.advanceToNextSleeper(), .seconds(2)) }
            assertEqual(try await answer, "abcdefg")
        }
    }

    func testAStreamGetsTheDripsAndThenTheLoss() async throws {
        let stub = StubServer(clock, .text("abcdefg").slow(bytes: 3, every: .seconds(2)).cut(after: 5))
        let url = try XCTUnwrap(URL(string: "https://stub.test/ask"))
        let response = try await stub.exchange(NetworkCall(url: url, delivery: .streamed, clock: clock.networkClock))
        let stream = try XCTUnwrap(response.stream)
        let reading = Task { await stream.chunks() }
        for _ in 0..<2 { await clock.advanceToNextSleeper() }
        let chunks = await reading.value
        XCTAssertEqual(
            chunks, ["abc", "de", "The connection to stub.test:443 was lost before the response was complete."])
        XCTAssertEqual(clock.now, .seconds(4))
    }

    func testConnectionsThatFail() async throws {
        let network = StubServer(
            clock, .refused, .text("abc").cut(after: 2), .failure(.notConnectedToInternet), .failure(.dnsLookupFailed),
            .failure(.serverCertificateUntrusted)
        ).configuration
        var kinds: [NetworkError.ConnectionFailure.Kind] = []
        var reached: [Bool] = []
        for _ in 0..<5 {
            guard case .connection(let failure) = await network.failure(of: Ask<Data>()) else {
                return XCTFail("no failure")
            }
            kinds.append(failure.kind)
            reached.append(failure.mayHaveReachedServer)
        }
        XCTAssertEqual(kinds, [.refused, .lost, .notConnected, .nameNotFound, .tls(.untrusted)])
        XCTAssertEqual(reached, [false, true, false, false, false])
    }

    func testAnErrorOfNetworkErrorPassesUnchanged() async throws {
        let timeout = NetworkError.Timeout(limit: .deadline, after: .seconds(3), host: "h")
        let network = StubServer(clock, .failure(NetworkError.timedOut(timeout))).configuration
        guard case .timedOut(timeout) = await network.failure(of: Ask<Data>()) else { return XCTFail("changed") }
    }

    func testASkewedClockShowsInTheDate() async throws {
        let network = StubServer(clock, .text("x").withDate(shiftedBy: .seconds(-3600))).configuration
        let response = try await NetworkSession(network).value(for: Ask<NetworkResponse>())
        let date = try XCTUnwrap(response.headers["Date"].flatMap { HTTPDate($0) }).date
        XCTAssertEqual(date, clock.date.addingTimeInterval(-3600))
    }

    func testCancellingEndsEveryWait() async throws {
        let gate = ResponseGate()
        let stub = StubServer(clock, .text("x").after(gate), .text("x").delayed(by: .seconds(1)), .never)
        let network = NetworkSession(stub.configuration)
        for index in 0..<3 {
            let call = Task { await network.failure(of: Ask<Data>()) }
            _ = try await stub.request(at: index)
            network.cancelAll()
            guard case .cancelled = await call.value else { return XCTFail("\(index) was not cancelled") }
        }
    }

    func testSessionsMeetTheSameFaults() async throws {
        let stub = StubServer(
            clock, .text("late").delayed(by: .seconds(30)).slow(every: .seconds(1)), .text("abc").cut(after: 2),
            .refused,
            .text("x").withDate(shiftedBy: .seconds(5)))
        let session = URLSession(configuration: stub.sessionConfiguration)
        let url = try XCTUnwrap(URL(string: "https://stub.test/ask"))
        async let late = session.data(from: url)
        let moved = await clock.advanceToNextSleeper()
        let data = try await late.0
        XCTAssertEqual(String(decoding: data, as: UTF8.self), "late")
        XCTAssertEqual(moved, .seconds(34))
        let lost = await failure { try await session.data(from: url) }
        XCTAssertEqual((lost as? URLError)?.code, .networkConnectionLost)
        let refused = await failure { try await session.data(from: url) }
        XCTAssertEqual((refused as? URLError)?.code, .cannotConnectToHost)
        let response = try await session.data(from: url).1 as? HTTPURLResponse
        let date = response?.value(forHTTPHeaderField: "Date").flatMap { HTTPDate($0) }?.date
        XCTAssertEqual(date, clock.date.addingTimeInterval(5))
    }

    // MARK: Extreme sizes, times and numbers

    func testNumbersBelowTheLeastAreTakenForIt() async throws {
        let stub = StubServer(
            clock, .text("abc").slow(bytes: 0, every: .zero), .text("abc").cut(after: -1), .text("abc").cut(after: -1))
        let network = NetworkSession(stub.configuration)
        assertEqual(try await stub.chunks(), ["a", "b", "c"])
        let cut = try await stub.chunks()
        XCTAssertEqual(cut, ["The connection to stub.test:443 was lost before the response was complete."])
        guard case .connection = await network.failure(of: Ask<Data>()) else { return XCTFail("not lost") }
    }

    func testNoTimeIsTooLongToWaitFor() async throws {
        let ever = Duration.seconds(Int64.max)
        let body = String(repeating: "a", count: 100)
        let late = (0..<20).reduce(StubResponse.text("x")) { answer, _ in answer.delayed(by: ever) }
        let stub = StubServer(clock: ManualClock(advancesItself: true).networkClock)
        stub.respond(to: "/ask", with: .text(body).slow(every: ever), late)
        let url = try XCTUnwrap(URL(string: "https://stub.test/ask"))
        let session = URLSession(configuration: stub.sessionConfiguration)
        for _ in 0..<2 {
            guard case .timedOut = await stub.configuration.failure(of: Ask<Data>()) else { return XCTFail("no end") }
        }
        stub.respond(to: "/ask", with: .text(body).slow(every: ever), late)
        for _ in 0..<2 {
            let error = await failure { try await session.data(from: url) }
            XCTAssertEqual((error as? URLError)?.code, .timedOut)
        }
    }

    func testACutBehindTheEndLosesNothing() async throws {
        let stub = StubServer(clock, .text("abc").cut(after: 3))
        assertEqual(try await NetworkSession(stub.configuration).value(for: Ask<String>()), "abc")
        assertEqual(try await stub.chunks(), ["abc"])
    }

    func testABodyThatIsCutTakesTheTimeOfWhatArrives() async throws {
        let network = StubServer(clock, .text("abcdef").cut(after: 2).slow(every: .seconds(3))).configuration
        async let failure = network.failure(of: Ask<Data>())
        for _ in 0..<2 { assertEqual(await clock.advanceToNextSleeper(), .seconds(3)) }
        guard case .connection = await failure else { return XCTFail("not lost") }
    }

    func testEverySeventhByteIsGarbled() async throws {
        let garbled = try await NetworkSession(StubServer(clock, .text("abcdefghijklmnop").corrupted()).configuration)
            .value(for: Ask<Data>())
        let changed = zip(garbled, "abcdefghijklmnop".utf8).enumerated().filter { $0.element.0 != $0.element.1 }
        XCTAssertEqual(changed.map(\.offset), [0, 7, 14])
        XCTAssertEqual(changed.map { ~$0.element.0 }, Array("aho".utf8))
    }

    func testAFileHasTheTypeOfItsExtension() async throws {
        let folder = try TemporaryFolder()
        let types = [
            "a.JSON": "application/json", "a.har": "application/json", "a.xml": "application/xml",
            "a.htm": "text/html; charset=utf-8", "a.txt": "text/plain; charset=utf-8",
            "a.csv": "text/csv; charset=utf-8", "a.jpeg": "image/jpeg", "a.svg": "image/svg+xml",
            "a": "application/octet-stream",
        ]
        for (name, type) in types {
            try folder.write("x", to: name)
            let network = StubServer(clock, try .file(folder.url.appending(path: name))).configuration
            let response = try await NetworkSession(network).value(for: Ask<NetworkResponse>())
            XCTAssertEqual(response.headers["Content-Type"], type)
        }
        XCTAssertThrowsError(try StubResponse.file(folder.url)) { error in
            guard case .unreadableFile = error as? StubError else { return XCTFail("\(error)") }
        }
    }
}

extension StubServer {
    /// Returns a streamed response.
    fileprivate func streamed(
        _ options: RequestOptions = RequestOptions()
    ) async throws(NetworkError) -> NetworkResponse {
        try await NetworkSession(configuration).value(for: Ask<NetworkResponse>(options: options)) {
            $0.delivery = .streamed
        }
    }

    /// Returns the chunks of a streamed response, and the error that it ends with.
    fileprivate func chunks(_ options: RequestOptions = RequestOptions()) async throws -> [String] {
        let response = try await streamed(options)
        return try await XCTUnwrap(response.stream).chunks()
    }
}
