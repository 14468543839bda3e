import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

final class LoggingTests: TimedTestCase {
    private let clock = ManualClock(advancesItself: true)

    private func log(
        _ level: LogLevel, bodyLimit: Int = 1000, _ transport: CannedTransport, _ ask: Ask<Data> = Ask()
    ) async -> LogBook {
        let book = LogBook()
        var network = NetworkConfiguration(
            transport, [LoggingInterceptor(to: book, level: level, bodyLimit: bodyLimit)], clock: clock)
        network.sensitiveNames = ["till"]
        _ = await NetworkSession(network).outcome(of: ask)
        return book
    }

    func testOneLineForAnAttempt() async {
        let clock = clock
        let transport = CannedTransport { call throws(NetworkError) in
            try await call.sleep(for: .milliseconds(call.attempt == 1 ? 120 : 4))
            return NetworkResponse(statusCode: call.attempt == 1 ? 503 : 200, body: Data("four".utf8), url: call.url)
        }
        let book = LogBook()
        let network = NetworkSession(transport, [RetryInterceptor(), LoggingInterceptor(to: book)], clock: clock)
        _ = await network.outcome(of: Ask(path: "\("a?b")"))
        _ = try? await network.value(for: Shop.Many.list(title: "Kind of Blue"))
        XCTAssertEqual(
            book.messages,
            [
                "GET https://store.example/a%3Fb: 503, 4 bytes, 120 ms",
                "GET https://store.example/a%3Fb (attempt 2): 200, 4 bytes, 4.0 ms",
                "GET https://store.example/items?title=Kind%20of%20Blue: 503, 4 bytes, 120 ms",
                "GET https://store.example/items?title=Kind%20of%20Blue (attempt 2): 200, 4 bytes, 4.0 ms",
            ])
        XCTAssertEqual(book.entries.map(\.level), [.error, .info, .error, .info])
    }

    func testAFailureSaysWhy() async {
        let book = await log(.error, CannedTransport(.fail(.lost)))
        XCTAssertEqual(
            book.messages,
            [
                "GET https://store.example/ask: The connection to store.example:443 was lost before the response was "
                    + "complete. After 0.0 ms."
            ])
    }

    func testALevelLeavesOutWhatMattersLess() async {
        let outcomes: [(CannedTransport.Turn, LogLevel)] = [
            (.answer(200), .info), (.answer(304), .info), (.answer(400), .warning), (.answer(499), .warning),
            (.answer(500), .error),
            (.fail(.lost), .error), (.fail(.cancelled), .info),
        ]
        for (turn, weight) in outcomes {
            for level in LogLevel.allCases {
                let book = await log(level, CannedTransport(turn))
                let count = level > weight ? 0 : level <= .debug ? 2 : 1
                XCTAssertEqual(book.entries.count, count, "\(turn) \(level)")
                XCTAssertEqual(book.entries.last?.level, count == 0 ? nil : weight)
            }
        }
    }

    func testHeadersAtDebugAndBodiesAtTrace() async {
        let transport = CannedTransport(
            .answer(201, ["Content-Type": "application/json", "Set-Cookie": "id=s3cret"], body: #"{"sku":"LP"}"#))
        let ask = Ask<Data>(
            method: .put, headers: ["X-Plain": "yes", "Authorization": "Bearer s3cret"],
            content: ["sku": "LP-0042", "password": "s3cret"])
        let headers = await log(.debug, transport, ask)
        XCTAssertEqual(headers.entries.map(\.level), [.debug, .info])
        XCTAssertTrue(headers.messages[0].hasPrefix("PUT https://store.example/ask Ask\n"), headers.messages[0])
        XCTAssertTrue(headers.messages[0].contains("\n  X-Plain: yes\n  Authorization: redacted\n"))
        XCTAssertEqual(
            headers.messages[1],
            "PUT https://store.example/ask: 201, 12 bytes, 0.0 ms\n"
                + "  Content-Type: application/json\n  Set-Cookie: redacted")
        XCTAssertFalse(headers.messages.joined().contains("LP-0042"))

        let bodies = await log(.trace, transport, ask)
        XCTAssertTrue(
            ["\n{\"password\":\"redacted\",\"sku\":\"LP-0042\"}", "\n{\"sku\":\"LP-0042\",\"password\":\"redacted\"}"]
                .contains { bodies.messages[0].hasSuffix($0) }, bodies.messages[0])
        XCTAssertTrue(bodies.messages[1].hasSuffix("\n{\"sku\":\"LP\"}"))
    }

    func testABodyIsWrittenUpToItsLimit() async {
        let transport = CannedTransport(.answer(200, ["Content-Type": "application/json"], body: "0123456789"))
        let book = await log(.trace, bodyLimit: 4, transport)
        XCTAssertTrue(book.messages[1].hasSuffix("\n0123… (10 bytes in total)"))
        let none = await log(.trace, bodyLimit: -1, transport)
        XCTAssertTrue(none.messages[1].hasSuffix("\n… (10 bytes in total)"))
    }

    func testControlCharactersNeverReachTheTerminal() async {
        let transport = CannedTransport(
            .answer(
                200, ["Content-Type": "application/json", "X-Name": "a\u{1B}[2Jb\nGET forged"],
                body: "c\u{1B}]0;d\u{202E}\ne"
            ))
        let book = await log(.trace, transport)
        XCTAssertTrue(book.messages[1].contains(#"X-Name: a\u{1b}[2Jb\u{a}GET forged"#))
        XCTAssertTrue(book.messages[1].hasSuffix("c\\u{1b}]0;d\\u{202e}\ne"), book.messages[1])

        let reason = "a\u{1B}[2J\nGET forged\u{9B}"
        let failure = CannedTransport(
            .fail(.interceptor(NetworkError.InterceptorFailure(interceptor: "Own", reason: reason))))
        let failed = await log(.info, failure)
        XCTAssertTrue(failed.messages[0].contains(#"a\u{1b}[2J\u{a}GET forged\u{9b}"#), failed.messages[0])
    }

    // MARK: As the first interceptor

    func testTheNameOfACredentialIsSensitiveInTheResponse() async {
        let book = LogBook()
        let body = #"{"x-till": "s3cret"}"#
        let headers: HTTPHeaders = ["Content-Type": "application/json", "X-Till": "s3cret"]
        let interceptors: [any NetworkInterceptor] = [
            LoggingInterceptor(to: book, level: .trace),
            AuthorizationInterceptor(.header("X-Till", "key"), for: "https://store.example"),
        ]
        let transport = CannedTransport(.answer(200, headers, body: body))
        _ = await NetworkSession(NetworkConfiguration(transport, interceptors, clock: ManualClock())).outcome(of: Ask())
        XCTAssertTrue(book.messages[1].contains("\n  X-Till: redacted\n"), book.messages[1])
        XCTAssertTrue(book.messages[1].hasSuffix(#"{"x-till": "redacted"}"#), book.messages[1])
    }

    func testADeadlineThatPassesWhileARetryWaitsIsNoCancellation() async throws {
        let (book, clock, isWaiting) = (LogBook(), ManualClock(), ResponseGate())
        let wait = ConnectionWait { (_) async throws(NetworkError) in
            isWaiting.open()
            do { try await ResponseGate().wait() } catch { throw .cancelled }
        }
        let network = NetworkConfiguration(
            CannedTransport(.fail(.refused)), [LoggingInterceptor(to: book), RetryInterceptor(connectionWait: wait)],
            clock: clock,
            options: RequestOptions(deadline: .seconds(30)))
        let call = Task { await NetworkSession(network).outcome(of: Ask()) }
        await until { isWaiting.isOpen }
        clock.advance(by: .seconds(30))
        _ = await call.value
        // The caller gets its error before the interceptors do.
        await until { !book.entries.isEmpty }
        XCTAssertEqual(book.entries.map(\.level), [.error])
        XCTAssertTrue(book.messages[0].contains(" was not done within "), book.messages[0])
    }
}
