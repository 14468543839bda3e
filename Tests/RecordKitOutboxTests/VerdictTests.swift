import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitOutbox
import RecordKitTesting
import TestSupport
import XCTest

/// What each outcome of a call means for its entry.
final class VerdictTests: TimedTestCase {
    private typealias Response = @Sendable (NetworkCall) throws(NetworkError) -> NetworkResponse

    private func status(_ code: Int, _ headers: HTTPHeaders = [:], _ body: String = "{}") -> Response {
        { (call) throws(NetworkError) in
            NetworkResponse(statusCode: code, headers: headers, body: Data(body.utf8), url: call.url)
        }
    }

    private func error(_ error: NetworkError) -> Response {
        { (_) throws(NetworkError) in throw error }
    }

    func testWhatAServerSaysThatHasReadTheRequestIsFinal() async throws {
        let later: HTTPHeaders = ["RateLimit-Remaining": "0", "RateLimit-Reset": "60"]
        let rows: [(Response, String)] = [
            (status(201, [:], "{\"number\": 3}"), "3"), (status(200, [:], "[]"), "unreadable"),
            (status(200, [:], String(repeating: " ", count: 5000)), "too large"), (status(304), "304"),
            (status(400), "400"), (status(403), "403"), (status(404), "404"), (status(409), "409"),
            (status(410), "410"), (status(422, later), "422"), (status(451), "451"),
        ]
        for (response, expected) in rows {
            let bench = try Bench()
            let client = bench.session(options: RequestOptions(sizeLimit: 4096, redirects: .never))
            let outbox = try bench.outbox(client: client)
            bench.server.respond { (call, _) throws(NetworkError) in try response(call) }
            try await outbox.add(PostSale(sku: "a"))
            assertEqual(await outbox.sendPending(), OutboxStatus(), expected)
            XCTAssertEqual(bench.handled.now, ["a: \(expected)"])
            XCTAssertEqual(bench.server.count, 1)
        }
    }

    func testAMissingConnectionABusyServerAndASignOutPauseTheOutboxOnce() async throws {
        let later: HTTPHeaders = ["Retry-After": "30"]
        let tokens = TokenSource { _ in throw URLError(.userAuthenticationRequired) }
        let unsigned = [AuthorizationInterceptor(tokens, for: "https://shop.test")]
        let rows: [(String, Response, [any NetworkInterceptor], OutboxStatus.Pause)] = [
            ("401", status(401), [], .signedOut), ("407", status(407), [], .signedOut),
            ("proxy", error(.connection(.proxyRefused(status: 407))), [], .signedOut),
            ("no token", status(200), unsigned, .signedOut),
            ("offline", error(.connection(.notConnected)), [], .noConnection),
            ("name", error(.connection(.nameNotFound)), [], .noConnection),
            ("refused", error(.connection(.refused)), [], .noConnection),
            ("lost", error(.connection(.lost, reached: true)), [], .noConnection),
            ("tls", error(.connection(.tls(.untrusted))), [], .noConnection),
            ("attempt", error(.timeout(.attempt)), [], .noConnection),
            ("deadline", error(.timeout(.deadline)), [], .noConnection),
            ("408", status(408), [], .serverBusy), ("421", status(421), [], .serverBusy),
            ("425", status(425), [], .serverBusy), ("429", status(429), [], .serverBusy),
            ("502", status(502), [], .serverBusy), ("503", status(503), [], .serverBusy),
            ("504", status(504), [], .serverBusy), ("409, later", status(409, later), [], .serverBusy),
            ("500, later", status(500, later), [], .serverBusy),
        ]
        for (name, response, interceptors, pause) in rows {
            let bench = try Bench()
            let outbox = try bench.outbox(client: bench.session(interceptors))
            bench.server.respond { (call, _) throws(NetworkError) in try response(call) }
            for number in 0..<9 { try await outbox.add(PostSale(sku: "\(number)"), lane: "\(number)") }
            assertEqual(await outbox.sendPending(), OutboxStatus(waiting: 9, pause: pause), name)
            XCTAssertLessThanOrEqual(bench.server.count, 4, name)
            XCTAssertEqual(bench.handled.now, [], name)
            // The outbox goes on by itself, except after a sign-out.
            bench.server.sell()
            bench.clock.advance(by: .seconds(31))
            if pause == .signedOut {
                assertEqual(await outbox.sendPending(), OutboxStatus(waiting: 9, pause: .signedOut), name)
                if name == "no token" { try await tokens.use(TokenSet("t")) }
                await outbox.wake()
            }
            assertEqual(await outbox.sendPending(), OutboxStatus(), name)
            XCTAssertEqual(bench.handled.now.sorted(), (0..<9).map { "\($0): 7" }, name)
        }
    }

    func testServerErrorsAreCountedAndThenSetAside() async throws {
        let refusal = NetworkError.RedirectRefusal(
            reason: .loop, response: NetworkResponse(statusCode: 302, url: URL(filePath: "/")), location: "/")
        let rows: [(String, Response)] = [
            ("500", status(500)), ("501", status(501)), ("507", status(507)),
            ("redirect", error(.redirectRefused(refusal))),
            ("bad HTTP", error(.badResponse(NetworkError.BadResponse(host: "shop.test")))),
        ]
        for (name, response) in rows {
            let (bench, outbox) = try Bench.opened()
            bench.server.respond { (call, received) throws(NetworkError) in
                received.sku == "bad" ? try response(call) : .receipt(call)
            }
            let bad = try await outbox.add(PostSale(sku: "bad"), lane: "bad")
            for attempt in 1...12 {
                // The others go on, so the outbox isn't paused.
                try await outbox.add(PostSale(sku: "\(attempt)"))
                let status = await outbox.sendPending()
                XCTAssertEqual(
                    status, OutboxStatus(waiting: attempt < 12 ? 1 : 0, setAside: attempt < 12 ? 0 : 1), name)
                bench.clock.advance(by: .seconds(300))
            }
            XCTAssertEqual(bench.handled.now, (1...12).map { "\($0): 7" }, name)
            assertEqual(await outbox.sendPending().setAside, 1)
            XCTAssertEqual(bench.server.skus.count { $0 == "bad" }, 12, name)
            // It isn't lost.
            let entry = try await outbox.entries().first
            XCTAssertEqual(entry?.state, .setAside)
            XCTAssertEqual(entry?.attempts, 12)
            XCTAssertNotNil(entry?.note)
            bench.server.sell()
            try await outbox.retry(bad.id)
            await outbox.sendPending()
            XCTAssertEqual(bench.handled.now.last, "bad: 7")
        }
    }

    func testFiveServerErrorsInARowPauseTheOutbox() async throws {
        let (bench, outbox) = try Bench.opened()
        bench.server.respond(500)
        for number in 0..<20 { try await outbox.add(PostSale(sku: "\(number)"), lane: "\(number)") }
        assertEqual(await outbox.sendPending(), OutboxStatus(waiting: 20, pause: .serverBusy))
        XCTAssertLessThan(bench.server.count, 9)
        bench.server.sell()
        bench.clock.advance(by: .seconds(5))
        assertEqual(await outbox.sendPending(), OutboxStatus())
    }

    func testWhatCannotBeSentIsSetAsideAndTriedByTheNextVersion() async throws {
        struct Older: NetworkRequest, Codable {
            typealias ValueType = Receipt
            var number: Int
            var path: RequestPath { "sales" }
        }
        let broken = Changing { $0.headers["X-Broken"] = "\n" }
        let rows: [(String, NetworkSession?, (Bench) -> [OutboxKind])] = [
            ("invalid request", try Bench().session([broken]), { [$0.sales()] }),
            ("unknown kind", nil, { _ in [] }),
            ("unreadable", nil, { _ in [OutboxKind("sale", Older.self) { _ in }] }),
        ]
        for (name, client, kinds) in rows {
            let bench = try Bench()
            try await bench.outbox().add(PostSale(sku: "a"))
            try await bench.outbox().add(PostOnce(sku: "b"))
            let older = try bench.outbox(client: client, kinds: kinds(bench) + [bench.once()])
            // It is in the way of nothing.
            let status = await older.sendPending()
            XCTAssertEqual(status.setAside, client == nil ? 1 : 2, name)
            XCTAssertEqual(status.waiting, 0, name)
            assertEqual(await older.sendPending(), status, name)
            XCTAssertFalse(bench.handled.now.contains { $0.hasPrefix("a") }, name)
            // The next version reads it, under a former name of the kind.
            let next = try bench.outbox(kinds: [bench.sales("sale-2", formerNames: ["sale"]), bench.once()])
            assertEqual(await next.sendPending(), OutboxStatus(), name)
            XCTAssertTrue(bench.handled.now.contains("a: 7"), name)
        }
    }

    func testTheDomainsOwnTryAgainLater() async throws {
        let bench = try Bench()
        let outbox = try bench.outbox(kinds: [bench.sales(tryAgain: { result in (try? result.get().number) == 0 })])
        bench.server.respond(200, body: "{\"number\": 0}")
        try await outbox.add(PostSale(sku: "a"))
        assertEqual(await outbox.sendPending(), OutboxStatus(waiting: 1))
        XCTAssertEqual(bench.handled.now, [])
        bench.server.sell()
        bench.clock.advance(by: .seconds(1))
        await outbox.sendPending()
        XCTAssertEqual(bench.handled.now, ["a: 7"])
    }

    func testACancelledCallIsSentAgainAndNotCounted() async throws {
        let (bench, outbox) = try Bench.opened()
        let gate = ResponseGate()
        bench.server.respond { (call, _) throws(NetworkError) in
            do { try await gate.wait() } catch { throw .cancelled }
            return .receipt(call)
        }
        try await outbox.add(PostSale(sku: "a"))
        let running = Task { await outbox.run() }
        await until { bench.server.count == 1 }
        running.cancel()
        await running.value
        let entry = try await outbox.entries().first
        XCTAssertEqual(entry?.state, .waiting)
        XCTAssertEqual(entry?.mayHaveReachedServer, true)
        assertNil(await outbox.status().pause)
        gate.open()
        await outbox.sendPending()
        XCTAssertEqual(bench.handled.now, ["a: 7"])
        XCTAssertEqual(Set(bench.server.received.now.map(\.key)).count, 1)
    }

    func testTheVerdictLooksAtTheFailureAndNotAtTheResult() async throws {
        /// Reads a missing connection as a value.
        struct Cached: NetworkRequest, Codable {
            typealias ValueType = Receipt
            var path: RequestPath { "sales" }
            func handleError(_ error: NetworkError) -> Result<Receipt, NetworkError> { .success(Receipt(number: 0)) }
        }
        let bench = try Bench()
        let outbox = try bench.outbox(
            kinds: [OutboxKind("cached", Cached.self) { [bench] in bench.handled.add(Bench.text($0.result)) }])
        bench.server.fail(.connection(.refused))
        try await outbox.add(Cached())
        assertEqual(await outbox.sendPending(), OutboxStatus(waiting: 1, pause: .noConnection))
        XCTAssertEqual(bench.handled.now, [])
        bench.server.sell()
        await outbox.wake()
        await outbox.sendPending()
        XCTAssertEqual(bench.handled.now, ["7"])
    }

    func testARequestThatIsSentOnceAtMost() async throws {
        let rows: [(Response, String?)] = [
            (error(.connection(.lost, reached: true)), "cancelled"), (error(.timeout(.attempt)), "cancelled"),
            (status(503), "503"), (error(.connection(.refused)), nil), (status(401), nil),
        ]
        for (response, result) in rows {
            let (bench, outbox) = try Bench.opened()
            bench.server.respond { (call, _) throws(NetworkError) in try response(call) }
            try await outbox.add(PostOnce(sku: "a"))
            await outbox.sendPending()
            XCTAssertEqual(bench.handled.now, result.map { ["a: \($0)"] } ?? [])
            // What certainly hasn't reached the server is sent again.
            bench.server.sell()
            await outbox.wake()
            await outbox.sendPending()
            XCTAssertEqual(bench.handled.now, ["a: \(result ?? "7")"])
            XCTAssertEqual(bench.server.count, result == nil ? 2 : 1)
        }
    }
}
