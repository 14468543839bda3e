import RecordKit
import RecordKitCache
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The cache below the driver: slots, timeouts, cookies, redirects, interceptors and events.
final class CallTests: TimedTestCase {
    private let recorder = EventSpy()
    private let clock = ManualClock()
    private let cache = HTTPCache()

    private func network(
        _ server: any NetworkTransport, _ interceptors: [any NetworkInterceptor] = [],
        cookies: HTTPCookieStorage? = nil, observers: [any NetworkObserver] = []
    ) -> NetworkSession {
        NetworkSession(
            NetworkConfiguration(
                environment: NetworkEnvironment("https://store.example/"), transport: cache.transport(server),
                cookies: cookies, interceptors: interceptors, clock: clock.networkClock, observers: observers))
    }

    private static func ok(_ fields: String..., body: String = "new") -> HandledServer.Answer {
        .init(fields: fields, body: body)
    }

    func testAStoredResponseTakesNoSlotAndStartsNoTimer() async throws {
        let server = HandledServer(clock: clock, slots: HostSlots(limit: 1)) { call in
            if call.url.path == "/slow" { try? await Task.sleep(for: .seconds(600)) }
            return Self.ok("Cache-Control: max-age=60")
        }
        let network = network(server)
        _ = try await network.value(for: Ask<String>())
        let slow = Task { try await network.value(for: Ask<String>(path: "slow")) }
        await server.waitForCalls(2)
        let timers = clock.timerCount
        assertEqual(try await self.network(server, observers: [recorder]).value(for: Ask<String>()), "new")
        XCTAssertEqual(clock.timerCount, timers)
        XCTAssertEqual(recorder.kinds, [.built, .cacheHit, .attempt, .read])
        slow.cancel()
        _ = await slow.result
    }

    func testAStoredResponseIsUsedAfterATimeout() async throws {
        let isSlow = Kept(false)
        let server = HandledServer(clock: clock) { _ in
            if isSlow.now { try? await Task.sleep(for: .seconds(600)) }
            return Self.ok("Cache-Control: max-age=1, stale-if-error=3600", body: "old")
        }
        let network = network(server)
        _ = try await network.value(for: Ask<String>())
        isSlow.set(true)
        clock.advance(by: .seconds(10))
        let observed = self.network(server, observers: [recorder])
        let call = Task { try await observed.value(for: Ask<String>()) }
        await server.waitForCalls(2)
        clock.advance(by: .seconds(60))
        assertEqual(try await call.value, "old")
        XCTAssertEqual(recorder.details(of: .cacheStale), ["stored response after an error, 70 s old"])
    }

    func testAStaleResponseIsValidatedInTheBackground() async throws {
        let gate = ResponseGate()
        let server = HandledServer(clock: clock) { call in
            if call.headers.contains("If-None-Match") { try? await gate.wait() }
            return Self.ok(
                "Cache-Control: max-age=10, stale-while-revalidate=60", "ETag: \"a\"", "Set-Cookie: round=2", body: "x")
        }
        let storage = try XCTUnwrap(URLSessionConfiguration.ephemeral.httpCookieStorage)
        let network = network(server, cookies: storage, observers: [recorder])
        let ask = Ask<String>(headers: ["Cookie": "a=1"])
        _ = try await network.value(for: ask)
        storage.cookies?.forEach { storage.deleteCookie($0) }
        clock.advance(by: .seconds(20))
        for _ in 0..<3 { _ = try await network.value(for: ask) }
        await server.waitForCalls(2)
        XCTAssertEqual(server.calls.count, 2)
        XCTAssertEqual(
            recorder.details(of: .cacheStale),
            ["stale response, 20 s old, validated in the background"]
                + Array(repeating: "stale response, 20 s old", count: 2))
        // The stored Set-Cookie isn't read again.
        XCTAssertEqual(storage.cookies?.count, 0)
        gate.open()
        await cache.waitUntilFresh(ask, network, clock)
        // That of the validation is, after the response is stored.
        await until { storage.cookies?.first?.value == "2" }
        XCTAssertEqual(server.calls.count, 2)
    }

    func testAResponseIsLookedUpOnceForAnExchange() async throws {
        let store = StubbornStore()
        let server = HandledServer(clock: clock) { call in
            call.headers.contains("If-None-Match")
                ? .init(status: 304, fields: ["ETag: \"a\""]) : Self.ok("Cache-Control: max-age=10", "ETag: \"a\"")
        }
        let network = NetworkSession(
            NetworkConfiguration(
                environment: NetworkEnvironment("https://store.example/"),
                transport: CircuitBreaker().transport(HTTPCache(store: store).transport(server)),
                clock: clock.networkClock))
        // Missing, fresh, and stale.
        for (seconds, exchanges) in [(0, 1), (5, 1), (20, 2)] {
            clock.advance(by: .seconds(seconds))
            assertEqual(try await network.value(for: Ask<String>()), "new")
            XCTAssertEqual(server.calls.count, exchanges)
        }
        XCTAssertEqual(store.lookUps.now, 3)
    }

    /// Only what the server has sent in an exchange sets cookies. A cookie that was deleted stays so.
    func testStoredFieldsSetNoCookies() async throws {
        let cases: [(name: String, later: HandledServer.Answer, cookie: String?)] = [
            ("304", .init(status: 304), nil),
            ("304 with a cookie", .init(status: 304, fields: ["Set-Cookie: round=2"]), "2"),
            ("503", .init(status: 503), nil),
            ("503 with a cookie", .init(status: 503, fields: ["Set-Cookie: round=2"]), "2"),
            ("200", Self.ok("Set-Cookie: round=2"), "2"),
        ]
        for fields in [["ETag: \"a\""], []] {
            for (name, later, cookie) in cases where later.status != 304 || !fields.isEmpty {
                let storage = try XCTUnwrap(URLSessionConfiguration.ephemeral.httpCookieStorage)
                storage.cookies?.forEach { storage.deleteCookie($0) }
                let count = Kept(0)
                let server = HandledServer(clock: clock) { _ in
                    if count.next() + 1 > 1 { return later }
                    return .init(
                        fields: ["Cache-Control: max-age=1, stale-if-error=600", "Set-Cookie: round=1"] + fields)
                }
                let network = NetworkSession(
                    NetworkConfiguration(
                        environment: NetworkEnvironment("https://store.example/"),
                        transport: HTTPCache().transport(server), cookies: storage, clock: clock.networkClock))
                let ask = Ask<String>(headers: ["Cookie": "a=1"])
                _ = try await network.value(for: ask)
                XCTAssertEqual(storage.cookies?.map(\.value), ["1"], name)
                storage.cookies?.forEach { storage.deleteCookie($0) }
                clock.advance(by: .seconds(2))
                _ = try await network.value(for: ask)
                XCTAssertEqual(server.calls.count, 2, name)
                XCTAssertEqual(storage.cookies?.map(\.value), cookie.map { [$0] } ?? [], name)
            }
        }
    }

    /// The delay of the response is part of its age (RFC 9111 section 4.2.3).
    func testTheDelayCounts() async throws {
        let clock = clock
        let server = HandledServer(clock: clock) { _ in
            clock.advance(by: .seconds(10))
            return Self.ok("Cache-Control: max-age=60")
        }
        let network = network(server)
        _ = try await network.value(for: Ask<String>())
        clock.advance(by: .seconds(49))
        _ = try await network.value(for: Ask<String>())
        XCTAssertEqual(server.calls.count, 1)
        clock.advance(by: .seconds(1))
        _ = try await network.value(for: Ask<String>())
        XCTAssertEqual(server.calls.count, 2)
    }

    func testNothingStaleIsUsedDuringAChange() async throws {
        let gate = ResponseGate()
        let server = HandledServer(clock: clock) { call in
            if call.method == .post { try? await gate.wait() }
            return call.headers.contains("Is-Down")
                ? .init(status: 503) : Self.ok("Cache-Control: max-age=1, stale-if-error=600")
        }
        let network = network(server)
        _ = try await network.value(for: Ask<String>())
        clock.advance(by: .seconds(10))
        let down = Ask<String>(headers: ["Is-Down": "1"])
        assertEqual(try await network.value(for: down), "new")
        let post = Task { try await network.value(for: Ask<String>(method: .post)) }
        await server.waitForCalls(3)
        assertEqual(await network.failure(of: down)?.response?.statusCode, 503)
        gate.open()
        _ = try await post.value
    }

    /// Of two changes at once, either may be the later one for the server.
    func testOverlappingChangesStoreNothing() async throws {
        let gate = ResponseGate()
        let server = HandledServer(clock: clock) { call in
            if call.headers.contains("Is-Slow") { try? await gate.wait() }
            return Self.ok("Cache-Control: max-age=60", "Content-Location: /ask")
        }
        let network = network(server)
        let slow = Task { try await network.value(for: Ask<String>(method: .post, headers: ["Is-Slow": "1"])) }
        await server.waitForCalls(1)
        _ = try await network.value(for: Ask<String>(method: .post))
        gate.open()
        _ = try await slow.value
        _ = try await network.value(for: Ask<String>())
        XCTAssertEqual(server.calls.count, 3)
    }

    /// Six validations that hang leave slots to the calls that someone waits for.
    func testBackgroundValidationsTakeTwoSlots() async throws {
        let server = HandledServer(clock: clock, slots: HostSlots(limit: 6)) { call in
            if call.headers.contains("If-None-Match") { try? await Task.sleep(for: .seconds(600)) }
            return Self.ok("Cache-Control: max-age=10, stale-while-revalidate=60", "ETag: \"a\"")
        }
        let network = network(server)
        let paths = ["a", "b", "c", "d", "e", "f"] as [RequestPath]
        for path in paths { _ = try await network.value(for: Ask<String>(path: path)) }
        clock.advance(by: .seconds(20))
        for path in paths { _ = try await network.value(for: Ask<String>(path: path)) }
        await server.waitForCalls(8)
        XCTAssertEqual(network.inFlight, 2)
        // More of them would leave no slot to the next call.
        if network.inFlight == 2 { _ = try await network.value(for: Ask<String>(path: "new")) }
        XCTAssertEqual(server.calls.count, 9)
        network.cancelAll()
    }

    func testABackgroundValidationNeverTakesTheLastSlot() async throws {
        let slots = HostSlots(limit: 2)
        let server = HandledServer(clock: clock, slots: slots) { call in
            if call.url.path == "/slow" { try? await Task.sleep(for: .seconds(600)) }
            return Self.ok("Cache-Control: max-age=10, stale-while-revalidate=60")
        }
        let network = network(server)
        _ = try await network.value(for: Ask<String>())
        clock.advance(by: .seconds(20))
        let slow = Task { try await network.value(for: Ask<String>(path: "slow")) }
        await server.waitForCalls(2)
        for _ in 0..<2 { _ = try await network.value(for: Ask<String>()) }
        XCTAssertEqual(server.calls.count, 2)
        slow.cancel()
        _ = await slow.result
        _ = try await network.value(for: Ask<String>())
        await server.waitForCalls(3)
    }

    func testABackgroundValidationHasATimeout() async throws {
        let isSlow = Kept(false)
        let server = HandledServer(clock: clock) { _ in
            if isSlow.now { try? await Task.sleep(for: .seconds(600)) }
            return Self.ok("Cache-Control: max-age=10, stale-while-revalidate=6000")
        }
        let network = network(server)
        _ = try await network.value(for: Ask<String>())
        isSlow.set(true)
        clock.advance(by: .seconds(20))
        _ = try await network.value(for: Ask<String>())
        await server.waitForCalls(2)
        clock.advance(by: .seconds(60))
        // It has ended, so another one begins.
        await server.waitForCalls(3) { _ = try? await network.value(for: Ask<String>()) }
    }

    func testABackgroundValidationEndsWithTheSession() async throws {
        let hasEnded = Kept(false)
        let server = HandledServer(clock: clock) { call in
            if call.headers.contains("If-None-Match") {
                try? await Task.sleep(for: .seconds(600))
                hasEnded.set(true)
            }
            return Self.ok("Cache-Control: max-age=10, stale-while-revalidate=60", "ETag: \"a\"")
        }
        let network = network(server)
        _ = try await network.value(for: Ask<String>())
        XCTAssertEqual(network.inFlight, 0)
        clock.advance(by: .seconds(20))
        _ = try await network.value(for: Ask<String>())
        await server.waitForCalls(2)
        XCTAssertEqual(network.inFlight, 1)
        network.cancelAll()
        XCTAssertEqual(network.inFlight, 0)
        while !hasEnded.now { await Task.yield() }
    }

    func testNothingStoredIsAnErrorThatIsNotRetried() async throws {
        let server = HandledServer(clock: clock) { _ in Self.ok() }
        let network = network(server, [RetryInterceptor()])
        let ask = Ask<String>(options: RequestOptions { $0.cache = .cacheOnly })
        let failure = await network.failure(of: ask)
        let error = try XCTUnwrap(failure)
        XCTAssertFalse(error.mayHaveReachedServer)
        XCTAssertFalse(error.isTransient)
        XCTAssertEqual(
            "\(error)",
            "HTTPCache ended the call: no response is stored, and the policy is `cacheOnly`; use `cacheFirst` to "
                + "send the request.")
        XCTAssertEqual(server.calls.count, 0)
        XCTAssertEqual(clock.sleeps.count, 0)
    }

    func testAStoredErrorIsNotUsedOnASecondAttempt() async throws {
        let server = HandledServer(clock: clock) { call in
            call.attempt == 1
                ? .init(status: 503, fields: ["Cache-Control: max-age=60"], body: "down") : Self.ok(body: "up")
        }
        let clock = ManualClock(advancesItself: true)
        let network = NetworkSession(NetworkConfiguration(cache.transport(server), [RetryInterceptor()], clock: clock))
        assertEqual(try await network.value(for: Ask<String>()), "up")
    }

    func testTwentyCallsToAStaleResponseAreOneValidation() async throws {
        let gate = ResponseGate()
        let server = HandledServer(clock: clock) { call in
            if call.headers.contains("If-None-Match") {
                try? await gate.wait()
                return .init(status: 304)
            }
            return Self.ok("ETag: \"a\"", body: "old")
        }
        let recorder = EventSpy()
        let network = network(server, [SingleFlightInterceptor()], observers: [recorder])
        _ = try await network.value(for: Ask<String>())
        let calls = (0..<20).map { _ in Task { try await network.value(for: Ask<String>()) } }
        await until { recorder.count(of: .joined) >= 19 }
        gate.open()
        for call in calls { assertEqual(try await call.value, "old") }
        XCTAssertEqual(server.calls.count, 2)
    }

    func testAResponseRequestedBeforeAChangeIsNotStored() async throws {
        let gate = ResponseGate()
        let server = HandledServer(clock: clock) { call in
            if call.method == .get { try? await gate.wait() }
            return Self.ok("Cache-Control: max-age=60")
        }
        let network = network(server)
        let get = Task { try await network.value(for: Ask<String>()) }
        await server.waitForCalls(1)
        _ = try await network.value(for: Ask<String>(method: .post))
        gate.open()
        _ = try await get.value
        _ = try await network.value(for: Ask<String>())
        XCTAssertEqual(server.calls.map(\.method), [.get, .post, .get])
        _ = try await network.value(for: Ask<String>())
        XCTAssertEqual(server.calls.count, 3)
    }

    func testARequestDuringAChangeIsSent() async throws {
        let gate = ResponseGate()
        let server = HandledServer(clock: clock) { call in
            if call.method == .post { try? await gate.wait() }
            return Self.ok("Cache-Control: max-age=60")
        }
        let network = network(server)
        _ = try await network.value(for: Ask<String>())
        let post = Task { try await network.value(for: Ask<String>(method: .post)) }
        await server.waitForCalls(2)
        _ = try await network.value(for: Ask<String>())
        XCTAssertEqual(server.calls.count, 3)
        gate.open()
        _ = try await post.value
    }

    func testEachHopOfARedirectIsStored() async throws {
        let server = HandledServer(clock: clock) { call in
            call.url.path == "/ask"
                ? .init(status: 301, fields: ["Cache-Control: max-age=60", "Location: /target", "ETag: \"a\""])
                : Self.ok("Cache-Control: max-age=10", "ETag: \"b\"", body: "target")
        }
        let network = network(server)
        _ = try await network.value(for: Ask<String>())
        let reply = try await NetworkManager(network).reply(for: Ask<String>())
        XCTAssertEqual(reply.value, "target")
        XCTAssertEqual(reply.response?.redirects.count, 1)
        XCTAssertEqual(server.calls.count, 2)
        clock.advance(by: .seconds(10))
        _ = try await network.value(for: Ask<String>())
        XCTAssertEqual(server.calls.count, 3)
        XCTAssertEqual(server.calls.last?.headers["If-None-Match"], "\"b\"")
    }

    func testTheRulesOfTheDriverApplyToStoredResponses() async throws {
        let server = HandledServer(clock: clock) { _ in
            Self.ok("Cache-Control: max-age=60", "Content-Type: text/plain", body: "12345")
        }
        let network = network(server)
        _ = try await network.value(for: Ask<String>())
        for options in [RequestOptions(sizeLimit: 4), RequestOptions(expectedType: "application/json")] {
            switch await network.failure(of: Ask<String>(options: options)) {
            case .tooLarge, .decoding: break
            case let other: XCTFail("\(other as Any)")
            }
        }
        XCTAssertEqual(server.calls.count, 1)
    }

    /// A transport of the app may store responses itself.
    func testAStoredResponseHasTheSensitiveNamesOfItsCall() async throws {
        struct Shelf: NetworkTransport, ResponseStore {
            func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse { throw .cancelled }

            var traits: TransportTraits { TransportTraits(store: self) }

            func response(
                for call: inout NetworkCall, after error: NetworkError?
            ) async throws(NetworkError) -> StoredResponse? {
                StoredResponse(NetworkResponse(statusCode: 200, headers: ["Till": "secret"], url: call.url))
            }
        }
        let network = NetworkSession(
            NetworkConfiguration(
                environment: NetworkEnvironment("https://store.example/"), transport: Shelf(),
                sensitiveNames: ["Till"]))
        let response = try await NetworkManager(network).reply(for: Ask<Data>()).response
        XCTAssertEqual(response?.headers["Till"], "secret")
        XCTAssertEqual(response?.headers.redacted()["Till"], "redacted")
    }

    func testEvents() async throws {
        let server = HandledServer(clock: clock) { call in
            call.headers.contains("If-None-Match")
                ? .init(status: 304) : Self.ok("Cache-Control: max-age=10", "ETag: \"a\"")
        }
        let network = network(server, observers: [recorder])
        for _ in 0..<3 {
            _ = try await network.value(for: Ask<String>())
            clock.advance(by: .seconds(6))
        }
        XCTAssertEqual(recorder.details(of: .cacheMiss), ["no stored response"])
        XCTAssertEqual(recorder.details(of: .cacheHit), ["stored response, 6 s old"])
        XCTAssertEqual(recorder.details(of: .cacheValidation), ["stored response confirmed"])
    }

    func testTheLogTellsWhereAResponseComesFrom() async throws {
        let server = HandledServer(clock: clock) { _ in Self.ok("Cache-Control: max-age=60") }
        for level in [LogLevel.info, .debug] {
            let book = LogBook()
            let log = LoggingInterceptor(to: book, level: level)
            let network = network(server, [log], observers: [log])
            let name = "\(level)"
            for _ in 0..<2 { _ = try await network.value(for: Ask<String>(path: "\(name)")) }
            let url = "GET https://store.example/\(name): "
            XCTAssertEqual(
                book.messages.filter { $0.contains("stored response") },
                level == .info ? [] : [url + "no stored response, 0.0 ms", url + "stored response, 0 s old, 0.0 ms"])
        }
    }

    /// A cassette around a cache leaves it its say, and records what it returns.
    func testACassetteRecordsStoredResponses() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "stored.har")
        let server = HandledServer(clock: clock) { _ in Self.ok("Cache-Control: max-age=60") }
        func texts(_ mode: Cassette.Mode) async throws -> [String] {
            let cassette = try Cassette(file, mode)
            let network = NetworkSession(NetworkConfiguration(cassette, clock: clock))
            var texts: [String] = []
            for policy in [CachePolicy.standard, .cacheOnly] {
                texts.append(try await network.value(for: Ask<String>()) { $0.options.cache = policy })
            }
            try cassette.verify()
            return texts
        }
        let recorded = try await texts(.record(through: cache.transport(server)))
        XCTAssertEqual(recorded, ["new", "new"])
        XCTAssertEqual(server.calls.count, 1, "a request with `cacheOnly` was sent")
        assertEqual(try await texts(.replay), recorded)
    }

    /// A store that can't remove: what it still has isn't used.
    func testAFailedRemoval() async throws {
        let store = StubbornStore()
        let cache = HTTPCache(store: store)
        let server = HandledServer(clock: clock) { _ in Self.ok("Cache-Control: max-age=60") }
        let network = NetworkSession(NetworkConfiguration(cache.transport(server), clock: clock))
        _ = try await network.value(for: Ask<String>())
        _ = try await network.value(for: Ask<String>(method: .post))
        for _ in 0..<2 { _ = try await network.value(for: Ask<String>()) }
        XCTAssertEqual(server.calls.count, 4)
        do {
            try await cache.removeAll()
            XCTFail("removed")
        } catch {}
        store.canRemove.set(true)
        for _ in 0..<2 { _ = try await network.value(for: Ask<String>()) }
        XCTAssertEqual(server.calls.count, 5)
    }
}
