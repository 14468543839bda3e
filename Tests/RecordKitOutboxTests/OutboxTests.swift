import RecordKit
import RecordKitInterceptors
import RecordKitOutbox
import RecordKitTesting
import TestSupport
import XCTest

/// Order, handlers, and what an app sees of the queue.
final class OutboxTests: TimedTestCase {
    private struct Failure: Error {}

    func testARequestOutlivesTheProcessAndIsRemovedAfterItsHandler() async throws {
        let bench = try Bench()
        let entry = try await bench.outbox().add(PostSale(sku: "a"))
        XCTAssertEqual(entry.kind, "sale")
        XCTAssertEqual(entry.state, .waiting)
        XCTAssertNotNil(UUID(uuidString: entry.key))
        // A new process.
        let outbox = try bench.outbox()
        assertEqual(try await outbox.entries(), [entry])
        assertEqual(await outbox.sendPending(), OutboxStatus())
        XCTAssertEqual(bench.handled.now, ["a: 7"])
        XCTAssertEqual(bench.server.received.now.map(\.key), [entry.key])
        assertEqual(try await outbox.entries(), [])
    }

    func testARunningOutboxSendsWhatIsAdded() async throws {
        let (bench, outbox) = try Bench.opened()
        let running = Task { await outbox.run() }
        // A second one takes its turn when the first is cancelled.
        let second = Task { await outbox.run() }
        for number in 0..<5 { try await outbox.add(PostSale(sku: "\(number)")) }
        await until { bench.handled.now.count == 5 }
        running.cancel()
        await running.value
        try await outbox.add(PostSale(sku: "5"))
        await until { bench.handled.now.count == 6 }
        XCTAssertEqual(bench.handled.now, (0..<6).map { "\($0): 7" })
        second.cancel()
        await second.value
    }

    func testLanesKeepTheirOrderAndRunAtOnce() async throws {
        let (bench, outbox) = try Bench.opened()
        let gates = (0..<2).map { _ in ResponseGate() }
        bench.server.respond { (call, received) throws(NetworkError) in
            if let lane = Int(received.sku.prefix(1)) { try? await gates[lane].wait() }
            return .receipt(call)
        }
        for number in 0..<3 {
            for lane in 0..<2 { try await outbox.add(PostSale(sku: "\(lane)\(number)"), lane: "\(lane)") }
        }
        let sending = Task { await outbox.sendPending() }
        await until { bench.server.count == 2 }
        gates[1].open()
        // A lane that is slow holds up no other.
        await until { bench.handled.now.count == 3 }
        XCTAssertEqual(bench.handled.now, ["10: 7", "11: 7", "12: 7"])
        XCTAssertEqual(bench.server.skus.filter { $0.hasPrefix("0") }, ["00"])
        gates[0].open()
        _ = await sending.value
        XCTAssertEqual(bench.handled.now.suffix(3), ["00: 7", "01: 7", "02: 7"])
    }

    func testConcurrencyIsLimited() async throws {
        let bench = try Bench()
        var limits = OutboxLimits()
        limits.concurrency = 3
        let outbox = try bench.outbox(limits: limits)
        let gate = ResponseGate()
        bench.server.respond { (call, _) throws(NetworkError) in
            try? await gate.wait()
            return .receipt(call)
        }
        for number in 0..<30 { try await outbox.add(PostSale(sku: "\(number)"), lane: "\(number)") }
        let sending = Task { await outbox.sendPending() }
        await until { bench.server.count == 3 }
        assertEqual(await outbox.status().sending, 3)
        XCTAssertEqual(bench.server.count, 3)
        gate.open()
        _ = await sending.value
        XCTAssertEqual(bench.handled.now.count, 30)
    }

    func testALaneWaitsForTheHandlerAndAHandlerNeverRepeatsTheRequest() async throws {
        let bench = try Bench()
        let fails = Kept(true)
        let outbox = try bench.outbox(
            kinds: [bench.sales { reply in if fails.now, reply.request.sku == "a" { throw Failure() } }])
        try await outbox.add(PostSale(sku: "a"))
        try await outbox.add(PostSale(sku: "b"))
        assertEqual(await outbox.sendPending(), OutboxStatus(waiting: 2))
        XCTAssertEqual(bench.server.skus, ["a"])
        assertEqual(try await outbox.entries().first?.state, .unhandled)
        // A new process gets the stored result.
        fails.set(false)
        let next = try bench.outbox()
        await next.sendPending()
        XCTAssertEqual(bench.handled.now, ["a: 7", "a: 7", "b: 7"])
        XCTAssertEqual(bench.server.skus, ["a", "b"])
    }

    func testAStoredResponseIsReadByTheConfigurationsDecoder() async throws {
        let bench = try Bench()
        bench.server.respond(201, ["Content-Type": "application/json"], body: #"{"Number": 7}"#)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .custom { $0.last.map { Key($0.stringValue.lowercased()) } ?? Key("") }
        var configuration = bench.session().configuration
        configuration.decoder = decoder
        let fails = Kept(true)
        for _ in 0..<2 {
            let kinds = [bench.sales { _ in if fails.now { throw Failure() } }]
            let outbox = try bench.outbox(client: NetworkSession(configuration), kinds: kinds)
            if fails.now { try await outbox.add(PostSale(sku: "a")) }
            await outbox.sendPending()
            fails.set(false)
        }
        // Before and after a restart.
        XCTAssertEqual(bench.handled.now, ["a: 7", "a: 7"])
        XCTAssertEqual(bench.server.count, 1)
    }

    func testAHandlerThatFailsFiveTimesIsSetAsideWithItsResult() async throws {
        let bench = try Bench()
        let fails = Kept(true)
        let outbox = try bench.outbox(kinds: [bench.sales { _ in if fails.now { throw Failure() } }])
        let entry = try await outbox.add(PostSale(sku: "a"))
        for _ in 0..<7 {
            await outbox.sendPending()
            bench.clock.advance(by: .seconds(60))
        }
        XCTAssertEqual(bench.handled.now.count, 5)
        assertEqual(await outbox.status(), OutboxStatus(setAside: 1))
        fails.set(false)
        try await outbox.retry(entry.id + 1)
        assertEqual(await outbox.status(), OutboxStatus(setAside: 1))
        try await outbox.retryAll()
        assertEqual(await outbox.sendPending(), OutboxStatus())
        XCTAssertEqual(bench.handled.now.count, 6)
        XCTAssertEqual(bench.server.count, 1)
    }

    func testHandlersMayUseTheOutbox() async throws {
        let bench = try Bench()
        let holder = Kept<Outbox?>(nil)
        let outbox = try bench.outbox(
            account: "ann",
            kinds: [
                bench.sales { reply in
                    guard let outbox = holder.now, reply.request.sku == "a" else { return }
                    try await outbox.add(PostSale(sku: "b"))
                    await outbox.sendPending()
                    try await outbox.remove(reply.entry.id)
                    await outbox.use(account: "bob")
                }
            ])
        holder.set(outbox)
        try await outbox.add(PostSale(sku: "a"))
        await withTimeLimit { _ = await outbox.sendPending() }
        XCTAssertEqual(bench.handled.now, ["a: 7"])
        await outbox.use(account: "ann")
        await outbox.sendPending()
        XCTAssertEqual(bench.handled.now, ["a: 7", "b: 7"])
    }

    /// A slow handler holds up its own lane only.
    func testHandlersHavePlacesOfTheirOwn() async throws {
        let bench = try Bench()
        let gate = ResponseGate()
        var limits = OutboxLimits()
        limits.concurrency = 2
        let outbox = try bench.outbox(
            limits: limits,
            kinds: [bench.sales { reply in if reply.entry.lane != "fast" { try? await gate.wait() } }])
        for number in 0..<3 { try await outbox.add(PostSale(sku: "slow \(number)"), lane: "\(number)") }
        for number in 0..<2 { try await outbox.add(PostSale(sku: "fast \(number)"), lane: "fast") }
        let sending = Task { await outbox.sendPending() }
        // The handlers of two lanes hang. What others have received waits for a place, and isn't asked for again.
        await until { bench.server.count == 4 }
        XCTAssertEqual(bench.handled.now.count, 2)
        assertEqual(await outbox.status().waiting, 5)
        gate.open()
        assertEqual(await sending.value, OutboxStatus())
        XCTAssertEqual(bench.server.count, 5)
        XCTAssertEqual(Set(bench.handled.now).count, 5)
    }

    func testARetryInterceptorDoesNotMultiplyTheAttempts() async throws {
        let bench = try Bench()
        let retry = RetryInterceptor(attempts: 5, backoff: Backoff(random: { 0 }), connectionWait: .automatic)
        let outbox = try bench.outbox(client: bench.session([retry]))
        bench.server.respond(503)
        try await outbox.add(PostSale(sku: "a"))
        await outbox.sendPending()
        XCTAssertEqual(bench.server.count, 1)
        bench.server.fail(.connection(.refused))
        await outbox.wake()
        await outbox.sendPending()
        XCTAssertEqual(bench.server.count, 2)
    }

    func testObserversFindTheEntryOfACall() async throws {
        struct Observer: NetworkObserver {
            let found = Kept<[Int64?]>([])
            func observe(_ event: NetworkEvent, of call: NetworkCall) { found.add(call.outboxEntry?.id) }
        }
        let bench = try Bench()
        let observer = Observer()
        let session = bench.session(observers: [observer])
        let outbox = try bench.outbox(client: session)
        let entry = try await outbox.add(PostSale(sku: "a"))
        await outbox.sendPending()
        XCTAssertEqual(observer.found.now.first, .some(nil))
        XCTAssertEqual(observer.found.now.last, entry.id)
        observer.found.set([])
        _ = try await session.value(for: PostSale(sku: "b"))
        XCTAssertTrue(observer.found.now.allSatisfy { $0 == nil })
    }

    func testADefaultLogHasNoBodyAndNoAccount() async throws {
        let bench = try Bench()
        let log = LogBook()
        let outbox = try bench.outbox(
            account: "account-of-ann", client: bench.session([LoggingInterceptor(to: log, level: .debug)]))
        try await outbox.add(PostSale(sku: "sku-of-ann"), key: "key-of-ann")
        await outbox.sendPending()
        let text = "\(log.messages)"
        XCTAssertTrue(text.contains("POST https://shop.test/sales: 201"), text)
        XCTAssertFalse(text.contains("sku-of-ann") || text.contains("account-of-ann"), text)
    }

    func testTheStatusHasNoHandlersOfOtherAccountsAndIsToldOnce() async throws {
        let bench = try Bench()
        let gate = ResponseGate()
        var outbox: Outbox? = try bench.outbox(account: "ann", kinds: [bench.sales { _ in try? await gate.wait() }])
        weak let released = outbox
        let told = Kept(0)
        let reader = Task { [updates = outbox!.statusUpdates] in for await _ in updates { told.next() } }
        await until { told.now == 1 }
        for _ in 0..<5 { await outbox?.wake() }
        assertEqual(await outbox?.status(), OutboxStatus())
        XCTAssertEqual(told.now, 1)
        try await outbox?.add(PostSale(sku: "a"))
        let sending = Task { [outbox] in await outbox?.sendPending() }
        await until { bench.handled.now.count == 1 }
        assertEqual(await outbox?.status().sending, 1)
        await outbox?.use(account: "bob")
        assertEqual(await outbox?.status(), OutboxStatus())
        gate.open()
        _ = await sending.value
        // The stream keeps the outbox only until its reader ends.
        reader.cancel()
        await reader.value
        outbox = nil
        await until { released == nil }
    }

    func testStatusUpdatesBeginWithTheStatusAndTellEachChange() async throws {
        let bench = try Bench()
        let outbox = try bench.outbox(account: "ann")
        try await outbox.add(PostSale(sku: "a"))
        var changes = outbox.statusUpdates.makeAsyncIterator()
        assertEqual(await changes.next(), OutboxStatus(waiting: 1))
        bench.server.fail(.connection(.refused))
        await outbox.sendPending()
        while let status = await changes.next(), status != OutboxStatus(waiting: 1, pause: .noConnection) {}
        await outbox.use(account: "bob")
        while let status = await changes.next(), status != OutboxStatus() {}
    }

    func testPendingRequestsAndRemoval() async throws {
        let (bench, outbox) = try Bench.opened()
        let first = try await outbox.add(PostSale(sku: "a"))
        try await outbox.add(PostOnce(sku: "b"))
        let last = try await outbox.add(PostSale(sku: "c"))
        assertEqual(try await outbox.pending(PostSale.self).map(\.request.sku), ["a", "c"])
        assertEqual(try await outbox.pending(PostSale.self).map(\.entry), [first, last])
        assertEqual(try await outbox.entries(after: first.id, limit: 1).map(\.kind), ["once"])
        assertEqual(try await outbox.remove(first.id), true)
        assertEqual(try await outbox.remove(first.id), false)
        await outbox.sendPending()
        XCTAssertEqual(bench.handled.now, ["b: 7", "c: 7"])
    }

    func testRemovingAnEntryInFlightEndsItsCallAndItsLaneGoesOn() async throws {
        let (bench, outbox) = try Bench.opened()
        bench.server.respond { (call, received) throws(NetworkError) in
            if received.sku == "a" { do { try await ResponseGate().wait() } catch { throw .cancelled } }
            return .receipt(call)
        }
        let entry = try await outbox.add(PostSale(sku: "a"))
        try await outbox.add(PostSale(sku: "b"))
        let sending = Task { await outbox.sendPending() }
        await until { bench.server.count == 1 }
        assertEqual(try await outbox.remove(entry.id), true)
        _ = await sending.value
        XCTAssertEqual(bench.handled.now, ["b: 7"])
    }
}

private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ stringValue: String) { self.stringValue = stringValue }
    init(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}
