import RecordKit
import RecordKitInterceptors
import RecordKitOutbox
import RecordKitSQLite
import RecordKitTesting
import TestSupport
import XCTest

/// What belongs to an account is neither sent nor shown with another one.
final class AccountTests: TimedTestCase {
    func testEntriesOfOtherAccountsStayAndAreNotShown() async throws {
        let bench = try Bench()
        let outbox = try bench.outbox(account: "ann")
        try await outbox.add(PostSale(sku: "ann"), key: "1", expiry: bench.clock.date.addingTimeInterval(10))
        await outbox.use(account: "bob")
        try await outbox.add(PostSale(sku: "bob"), key: "1")
        await outbox.use(account: nil)
        try await outbox.add(PostSale(sku: "none"))
        for (account, skus) in [("ann", ["ann", "none"]), ("bob", ["bob", "none"]), (nil, ["none"]), ("", ["none"])] {
            await outbox.use(account: account)
            assertEqual(try await outbox.pending(PostSale.self).map(\.request.sku), skus)
            assertEqual(await outbox.status(), OutboxStatus(waiting: skus.count))
        }
        assertEqual(try await outbox.entries().map(\.account), ["ann", "bob", nil])
        // The same lane of another account holds up none, and an expiry waits for its account.
        bench.clock.advance(by: .seconds(20))
        await outbox.use(account: "bob")
        await outbox.sendPending()
        XCTAssertEqual(bench.handled.now.sorted(), ["bob: 7", "none: 7"])
        await outbox.use(account: "ann")
        await outbox.sendPending()
        XCTAssertEqual(bench.handled.now.last, "ann: expired")
    }

    func testRemovingAnAccount() async throws {
        let bench = try Bench()
        let outbox = try bench.outbox(account: "ann")
        for number in 0..<3 { try await outbox.add(PostSale(sku: "\(number)")) }
        // One of them is set aside.
        try SQLiteDatabase(file: bench.file.path).execute("UPDATE entries SET aside = 1 WHERE id = 1")
        await outbox.use(account: "bob")
        try await outbox.add(PostSale(sku: "bob"))
        assertEqual(try await outbox.removeAll(account: "ann"), 3)
        assertEqual(try await outbox.removeAll(account: ""), 0)
        assertEqual(try await outbox.entries().map(\.account), ["bob"])
        await outbox.use(account: "")
        try await outbox.add(PostSale(sku: "none"))
        assertEqual(try await outbox.removeAll(account: ""), 1)
        try await outbox.add(PostSale(sku: "none"))
        assertEqual(try await outbox.removeAll(), 2)
    }

    /// Each call carries the token of the time at which it is signed. A server sees whose entry it is.
    func testNoCallHasTheTokenOfAnotherAccount() async throws {
        let rounds = ProcessInfo.processInfo.environment["RECORDKIT_OUTBOX_KILLS"] == nil ? 200 : 1_000
        let bench = try Bench()
        let tokens = TokenSource(store: MemoryTokenStore(TokenSet("ann"))) { _ in throw URLError(.unknown) }
        let outbox = try bench.outbox(
            account: "ann", client: bench.session([AuthorizationInterceptor(tokens, for: "https://shop.test")]))
        let wrong = Kept<[String]>([])
        let holds = Kept(true)
        bench.server.respond { (call, received) throws(NetworkError) in
            if received.token != "Bearer \(received.sku)" { wrong.add("\(received.sku) by \(received.token ?? "")") }
            // Half of the calls are in flight until the account changes.
            if holds.now, Bool.random() { do { try await ResponseGate().wait() } catch { throw .cancelled } }
            return .receipt(call)
        }
        let running = Task { await outbox.run() }
        var sent = 0
        for number in 0..<rounds {
            let account = ["ann", "bob"][number % 2]
            for lane in 0..<2 { try await outbox.add(PostSale(sku: account), lane: "\(lane)") }
            await until { [sent] in bench.server.count > sent }
            await outbox.use(account: nil)
            sent = bench.server.count
            try await tokens.signOut()
            let next = ["bob", "ann"][number % 2]
            try await tokens.use(TokenSet(next))
            await outbox.use(account: next)
        }
        holds.set(false)
        for account in ["ann", "bob"] {
            await outbox.use(account: nil)
            try await tokens.use(TokenSet(account))
            await outbox.use(account: account)
            await outbox.sendPending()
        }
        running.cancel()
        await running.value
        XCTAssertEqual(wrong.now, [])
        XCTAssertEqual(bench.handled.now.count, 2 * rounds)
        XCTAssertGreaterThan(bench.server.count, 2 * rounds + rounds / 10)
    }

    func testUseReturnsWhenNoCallIsInFlight() async throws {
        let bench = try Bench()
        let session = bench.session()
        let outbox = try bench.outbox(account: "ann", client: session)
        bench.server.respond { (_, _) throws(NetworkError) in
            do { try await ResponseGate().wait() } catch {}
            throw .cancelled
        }
        for lane in 0..<3 { try await outbox.add(PostSale(sku: "a"), lane: "\(lane)") }
        let running = Task { await outbox.run() }
        await until { bench.server.count == 3 }
        await outbox.use(account: nil)
        XCTAssertEqual(session.inFlight, 0)
        running.cancel()
        await running.value
    }
}
