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

    private func error(_ error: NetworkError) -> Response { { (_) throws(NetworkError) in throw error } }

    func testWhatAServerSaysThatHasReadTheRequestIsFinal() async throws {
        let later: HTTPHeaders = ["RateLimit-Remaining": "0", "RateLimit-Reset": "60"]
        let rows: [(Response, String)] = [
            (status(201, [:], "{\"number\": 3}"), "3"), (status(200, [:], "[]"), "unreadable"),
            (status(200, [:], String(repeating: " ", count: 5000)), "too large"),
            (status(400), "400"), (status(403), "403"), (status(404), "404"), (status(409), "409"),
            (status(410), "410"), (status(422, later), "422"), (status(451), "451"),
        ]
        for (response, expected) in rows {
            let bench = try Bench()
            let client = bench.session(options: RequestOptions(sizeLimit: 4096))
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
        let unavailable = NetworkError.InterceptorFailure(
            interceptor: "Tokens", reason: "down", kind: .unavailable, mayHaveReachedServer: false)
        let tooLong = NetworkError.InterceptorFailure(
            interceptor: "Limit", reason: "full",
            cause: NetworkError.status(
                NetworkResponse(statusCode: 429, headers: later, url: URL(filePath: "/"))))
        let rows: [(String, Response, [any NetworkInterceptor], OutboxStatus.Pause)] =
            [511, 521, 522, 523, 525, 526, 530].map { ("\($0)", status($0), [], .noConnection) } + [
                ("401", status(401), [], .signedOut), ("407", status(407), [], .signedOut),
                ("proxy", error(.connection(.proxyRefused(status: 407))), [], .signedOut),
                ("no token", status(200), unsigned, .signedOut),
                ("offline", error(.connection(.notConnected)), [], .noConnection),
                ("name", error(.connection(.nameNotFound)), [], .noConnection),
                ("refused", error(.connection(.refused)), [], .noConnection),
                ("tls", error(.connection(.tls(.untrusted))), [], .noConnection),
                ("429", status(429), [], .serverBusy), ("503, later", status(503, later), [], .serverBusy),
                ("unavailable", error(.interceptor(unavailable)), [], .serverBusy),
                ("limit", error(.interceptor(tooLong)), [], .serverBusy),
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

    func testWhatFailsIsCountedWhileOthersAreAnsweredAndThenSetAside() async throws {
        let refusal = NetworkError.RedirectRefusal(
            reason: .loop, response: NetworkResponse(statusCode: 302, url: URL(filePath: "/")),
            location: "https://other.test/?token=secret")
        let own = NetworkError.InterceptorFailure(interceptor: "Signer", reason: "secret")
        let page = "\u{FEFF}\n <HTML><p>secret"
        let rows: [(String, Response, note: String)] =
            [408, 421, 425, 500, 501, 502, 503, 504, 507, 520, 300, 304].map { ("\($0)", status($0), "\($0)") } + [
                ("409, later", status(409, ["Retry-After": "7"]), "409"),
                ("500, later", status(500, ["Retry-After": "7"]), "500"),
                ("redirect", error(.redirectRefused(refusal)), "other.test"),
                ("302", status(302, ["Location": "https://portal.test/secret?secret"]), "portal.test"),
                ("page", status(200, ["Content-Type": "text/html; charset=utf-8"], page), "HTML"),
                ("bad HTTP", error(.badResponse(NetworkError.BadResponse(host: "shop.test"))), "shop.test"),
                ("lost", error(.connection(.lost, reached: true)), "lost"),
                ("attempt", error(.timeout(.attempt)), "60"), ("deadline", error(.timeout(.deadline)), "60"),
                ("interceptor", error(.interceptor(own)), "Signer"), ("cancelled", error(.cancelled), "cancelled"),
            ]
        for (name, response, text) in rows {
            let (bench, outbox) = try Bench.opened()
            bench.server.respond { (call, received) throws(NetworkError) in
                received.sku == "bad" ? try response(call) : .receipt(call)
            }
            let bad = try await outbox.add(PostSale(sku: "bad"), lane: "bad")
            // The first one counts for nothing, since nothing was answered before.
            for attempt in 1...13 {
                // The others go on, so the outbox isn't paused.
                assertEqual(await outbox.sendPending(), OutboxStatus(attempt < 13), name)
                try await outbox.add(PostSale(sku: "\(attempt)"))
                await outbox.sendPending()
                bench.clock.advance(by: .seconds(300))
            }
            XCTAssertEqual(bench.handled.now, (1...13).map { "\($0): 7" }, name)
            assertEqual(await outbox.sendPending().setAside, 1)
            XCTAssertEqual(bench.server.skus.count { $0 == "bad" }, 13, name)
            // It isn't lost, and says why.
            let entry = try await outbox.entries().first
            XCTAssertEqual(entry?.state, .setAside)
            XCTAssertEqual(entry?.attempts, 13)
            let note = entry?.note ?? ""
            XCTAssertTrue(note.contains(text) && note.hasPrefix("Attempt 13, 2001-09-09T02:46:40Z: "), note)
            XCTAssertFalse(note.contains("secret"), note)
            // The next start doesn't change that.
            bench.server.sell()
            try await bench.outbox().sendPending()
            XCTAssertEqual(bench.server.skus.count { $0 == "bad" }, 13, name)
            try await outbox.retry(bad.id)
            await outbox.sendPending()
            XCTAssertEqual(bench.handled.now.last, "bad: 7")
            XCTAssertEqual(Set(bench.server.received.now.filter { $0.sku == "bad" }.map(\.body)).count, 1)
        }
    }

    func testAServersWaitForOneEntryIsItsOwn() async throws {
        let (bench, outbox) = try Bench.opened()
        bench.server.respond { (call, received) throws(NetworkError) in
            received.sku == "bad"
                ? NetworkResponse(statusCode: 409, headers: ["Retry-After": "3600"], url: call.url) : .receipt(call)
        }
        try await outbox.add(PostSale(sku: "bad"), lane: "bad")
        try await outbox.add(PostSale(sku: "a"))
        assertEqual(await outbox.sendPending(), OutboxStatus(waiting: 1))
        bench.server.sell()
        bench.clock.advance(by: .seconds(3599))
        await outbox.wake()
        assertEqual(await outbox.sendPending(), OutboxStatus(waiting: 1))
        bench.clock.advance(by: .seconds(1))
        assertEqual(await outbox.sendPending(), OutboxStatus())
    }

    func testTheSecondEntryThatFailsPausesTheOutbox() async throws {
        let (bench, outbox) = try Bench.opened()
        bench.server.respond(500)
        try await outbox.add(PostSale(sku: "0"))
        assertEqual(await outbox.sendPending(), OutboxStatus(waiting: 1))
        for number in 1..<20 { try await outbox.add(PostSale(sku: "\(number)"), lane: "\(number)") }
        assertEqual(await outbox.sendPending(), OutboxStatus(waiting: 20, pause: .serverBusy))
        // Each is tried once. Then one at a time is.
        XCTAssertEqual(bench.server.count, 20)
        bench.clock.advance(by: .seconds(300))
        await outbox.sendPending()
        XCTAssertEqual(bench.server.count, 21)
        bench.server.sell()
        bench.clock.advance(by: .seconds(300))
        assertEqual(await outbox.sendPending(), OutboxStatus())
    }

    func testWhatCannotBeSentIsSetAsideAndTriedByTheNextVersion() async throws {
        struct Older: NetworkRequest, Codable {
            typealias ValueType = Receipt
            var number: Int
            var path: RequestPath { "sales" }
        }
        let broken = Changing { $0.headers["X-Broken"] = "\n" }
        let rows: [(String, NetworkSession?, (Bench) -> [OutboxKind], String)] = [
            (
                "invalid request", try Bench().session([broken]), { [$0.sales()] },
                "PostSale can't be built: its headers isn't valid."
            ),
            ("unknown kind", nil, { _ in [] }, "This version of the app has no kind \"sale\"."),
            (
                "unreadable", nil, { _ in [OutboxKind("sale", Older.self) { _ in }] },
                "The stored request can't be read as sale."
            ),
        ]
        for (name, client, kinds, note) in rows {
            let bench = try Bench()
            let newer = try bench.outbox()
            try await bench.outbox().add(PostSale(sku: "a"))
            try await bench.outbox().add(PostOnce(sku: "b"))
            let older = try bench.outbox(client: client, kinds: kinds(bench) + [bench.once()])
            // It is in the way of nothing.
            let status = await older.sendPending()
            XCTAssertEqual(status.setAside, client == nil ? 1 : 2, name)
            XCTAssertEqual(status.waiting, 0, name)
            assertEqual(await older.sendPending(), status, name)
            XCTAssertFalse(bench.handled.now.contains { $0.hasPrefix("a") }, name)
            let entry = try await older.entries().first
            XCTAssertEqual(entry?.state, .setAside, name)
            XCTAssertEqual(entry?.note, note, name)
            // A running outbox with the kind goes on with what only lacks its kind.
            if name == "unknown kind" {
                assertEqual(try await newer.entries().first?.state, .waiting)
                await newer.sendPending()
                XCTAssertTrue(bench.handled.now.contains("a: 7"), name)
            }
            // The next version reads it, under a former name of the kind.
            let next = try bench.outbox(kinds: [bench.sales("sale-2", formerNames: ["sale"]), bench.once()])
            assertEqual(await next.sendPending(), OutboxStatus(), name)
            XCTAssertTrue(bench.handled.now.contains("a: 7"), name)
        }
    }

    func testTheDomainsOwnTryAgainLater() async throws {
        let bench = try Bench()
        let outbox = try bench.outbox(kinds: [
            bench.sales(tryAgain: { result, response in
                response.statusCode == 200 && (try? result.get().number) == 0
            })
        ])
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

    /// A page is no response to a sale, unless the request says so.
    func testAPageThatTheRequestAsksForIsItsResponse() async throws {
        struct GetPage: NetworkRequest, Codable {
            typealias ValueType = String
            var path: RequestPath { "page" }
        }
        struct PostForm: NetworkRequest, Codable {
            typealias ValueType = Void
            var accept: String?
            var type: String?
            var method: HTTPMethod { .post }
            var path: RequestPath { "form" }
            var headers: HTTPHeaders { accept.map { ["Accept": $0] } ?? [:] }
            var options: RequestOptions { RequestOptions(expectedType: type) }
        }
        let bench = try Bench()
        let outbox = try bench.outbox(
            kinds: [
                OutboxKind("page", GetPage.self) { [bench] _ in bench.handled.add("page") },
                OutboxKind("form", PostForm.self) { [bench] in
                    bench.handled.add($0.request.accept ?? $0.request.type ?? "form")
                },
            ])
        bench.server.respond(200, ["Content-Type": "text/html"], body: "<html></html>")
        try await outbox.add(GetPage(), lane: "1")
        try await outbox.add(PostForm(accept: "Text/HTML, */*"), lane: "2")
        try await outbox.add(PostForm(type: "text/html"), lane: "3")
        try await outbox.add(PostForm(), lane: "4")
        assertEqual(await outbox.sendPending(), OutboxStatus(waiting: 1))
        XCTAssertEqual(bench.handled.now.sorted(), ["Text/HTML, */*", "page", "text/html"])
        // The type alone is no sign.
        bench.server.respond(200, ["Content-Type": "text/html"], body: "ok")
        await outbox.wake()
        assertEqual(await outbox.sendPending(), OutboxStatus())
    }

    func testARequestThatIsSentOnceAtMost() async throws {
        let rows: [(Response, String?)] = [
            (error(.connection(.lost, reached: true)), "cancelled"), (error(.timeout(.attempt)), "cancelled"),
            (status(503), "503"), (error(.connection(.lost, reached: true)), "cancelled"),
            (error(.connection(.refused)), nil), (status(401), nil),
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
        // A domain that says "try again" can't have a second attempt.
        let bench = try Bench()
        let outbox = try bench.outbox(kinds: [OutboxKind("once", PostOnce.self, tryAgain: { _, _ in true }) { _ in }])
        try await outbox.add(PostOnce(sku: "a"))
        assertEqual(await outbox.sendPending().waiting, 0)
        bench.clock.advance(by: .seconds(600))
        assertEqual(await outbox.sendPending(), OutboxStatus())
        XCTAssertEqual(bench.server.count, 1)
    }
}
