import RecordKit
import RecordKitInterceptors
import RecordKitOutbox
import RecordKitTesting
import TestSupport
import XCTest

/// What can be added: keys, expiries, limits and kinds.
final class AddingTests: TimedTestCase {
    func testAKeyIsOneEntryOfItsAccount() async throws {
        let bench = try Bench()
        let holder = Kept<Outbox?>(nil)
        let again = Kept<OutboxError.Kind?>(nil)
        let outbox = try bench.outbox(kinds: [
            bench.sales("sale-2", formerNames: ["sale"]) { reply in
                do {
                    try await holder.now?.add(PostSale(sku: "again"), key: reply.entry.key)
                } catch {
                    again.set((error as? OutboxError)?.kind)
                }
            }, bench.once(),
        ])
        holder.set(outbox)
        // An earlier version of the app has added it.
        let first = try await bench.outbox().add(PostSale(sku: "a"), key: "sale-1")
        // The first request counts, whatever it has become.
        let second = try await outbox.add(PostSale(sku: "other"), key: "sale-1")
        XCTAssertEqual(first, second)
        // The mail of the sale is another request.
        await assertRefused(.keyTaken) { try await outbox.add(PostOnce(sku: "mail"), key: "sale-1") }
        for key in ["a\nb", "", " a", "a ", "\ta"] {
            await assertRefused(.notEncodable) { try await outbox.add(PostSale(sku: "a"), key: key) }
        }
        await outbox.sendPending()
        XCTAssertEqual(bench.server.received.now.map(\.key), ["sale-1"])
        // What is added within its own handler would be removed with it.
        XCTAssertEqual(again.now, .keyTaken)
        assertEqual(try await outbox.entries(), [])
    }

    /// Eight tasks add the same request at once, whose files are copied before the key is looked up.
    func testARefusedOrRepeatedAddLeavesNoFiles() async throws {
        let bench = try Bench()
        let cover = try bench.folder.file("cover.png", Data("image".utf8))
        var limits = OutboxLimits()
        limits.count = 1
        let outbox = try bench.outbox(limits: limits, kinds: [OutboxKind("cover", BodyTests.PostCover.self) { _ in }])
        let request = BodyTests.PostCover(sku: "a", cover: OutboxAttachment(cover))
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { _ = try? await outbox.add(request, key: "1") } }
        }
        await assertRefused(.full) { try await outbox.add(request) }
        let files = URL(filePath: bench.file.path + ".files")
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: files.path).count, 1)
    }

    func testAnExpiryThatIsNoDateIsRefusedAndAFarOneNeverComes() async throws {
        let (bench, outbox) = try Bench.opened()
        for time in [Double.infinity, -.infinity, .nan] {
            await assertRefused(.notEncodable) {
                try await outbox.add(PostSale(sku: "a"), expiry: Date(timeIntervalSince1970: time))
            }
        }
        bench.server.fail(.connection(.refused))
        try await outbox.add(PostSale(sku: "a"), expiry: Date(timeIntervalSince1970: 1e300))
        assertEqual(await outbox.sendPending(), OutboxStatus(waiting: 1, pause: .noConnection))
        bench.server.sell()
        let next = try bench.outbox()
        await next.sendPending()
        XCTAssertEqual(bench.handled.now, ["a: 7"])
    }

    func testAnExpiredEntrySaysHowLongItHadAndWhetherItMayHaveArrived() async throws {
        let bench = try Bench()
        let timeouts = Kept<[NetworkError.Timeout]>([])
        let kind = bench.sales { reply in
            if case .failure(.timedOut(let timeout)) = reply.result { timeouts.add(timeout) }
        }
        let outbox = try bench.outbox(kinds: [kind])
        for reached in [true, false] {
            bench.server.fail(.connection(.lost, reached: reached))
            try await outbox.add(PostSale(sku: "a"), expiry: bench.clock.date.addingTimeInterval(90))
            await outbox.sendPending()
            bench.clock.advance(by: .seconds(600))
            assertEqual(await outbox.sendPending(), OutboxStatus())
        }
        XCTAssertEqual(timeouts.now.map(\.mayHaveReachedServer), [true, false])
        XCTAssertEqual(timeouts.now.map(\.after), [.seconds(90), .seconds(90)])
    }

    func testKeysAreSentWithMethodsThatAreNotIdempotent() async throws {
        struct PutSale: NetworkRequest, Codable {
            typealias ValueType = Receipt
            var path: RequestPath { "sales" }
            var method: HTTPMethod { .put }
            var body: [String: String] { [:] }
        }
        struct OwnKey: NetworkRequest, Codable {
            typealias ValueType = Receipt
            var path: RequestPath { "sales" }
            var method: HTTPMethod { .post }
            var headers: HTTPHeaders { ["Idempotency-Key": "own"] }
        }
        let bench = try Bench()
        let outbox = try bench.outbox(
            kinds: [OutboxKind("put", PutSale.self) { _ in }, OutboxKind("own", OwnKey.self) { _ in }])
        try await outbox.add(PutSale())
        try await outbox.add(OwnKey())
        await outbox.sendPending()
        XCTAssertEqual(bench.server.received.now.map(\.key), [nil, "own"])
    }

    func testExpiryIsNoticedWhileTheOutboxIsPaused() async throws {
        let (bench, outbox) = try Bench.opened()
        bench.server.fail(.connection(.refused))
        try await outbox.add(PostSale(sku: "a"))
        try await outbox.add(PostSale(sku: "b"), expiry: bench.clock.date.addingTimeInterval(3600))
        await outbox.sendPending()
        bench.server.respond(401)
        bench.clock.advance(by: .seconds(1))
        assertEqual(await outbox.sendPending().pause, .signedOut)
        let running = Task { await outbox.run() }
        await bench.clock.waitForSleepers(1)
        XCTAssertEqual(bench.handled.now, [])
        bench.clock.advance(by: .seconds(3599))
        await until { bench.handled.now == ["b: expired"] }
        running.cancel()
        await running.value
        assertEqual(await outbox.status(), OutboxStatus(waiting: 1, pause: .signedOut))
        XCTAssertEqual(Set(bench.server.skus), ["a"])
    }

    func testKindsMustDiffer() throws {
        let bench = try Bench()
        let other = OutboxKind("other", formerNames: ["sale"], PostOnce.self) { _ in }
        for kinds in [[bench.sales(), bench.sales("sale-2")], [bench.sales(), other]] {
            XCTAssertThrowsError(try bench.outbox(kinds: kinds)) {
                XCTAssertEqual(($0 as? OutboxError)?.kind, .duplicateKind)
            }
        }
    }

    func testWhatCannotBeAddedIsRefusedAtOnce() async throws {
        struct Live: NetworkRequest, Codable {
            typealias ValueType = Receipt
            var path: RequestPath { "sales" }
            var method: HTTPMethod { .post }
            var body: StreamBody { StreamBody(AsyncStream<Data> { $0.finish() }, sending: .live) }
        }
        struct Unencodable: NetworkRequest, Codable {
            typealias ValueType = Receipt
            var path: RequestPath { "sales" }
            var url: OutboxAttachment
        }
        struct Own: NetworkRequest, Codable {
            typealias ValueType = Receipt
            var file: URL
            var path: RequestPath { "sales" }
            var method: HTTPMethod { .post }
            var body: FileBody { FileBody(file) }
        }
        let bench = try Bench()
        var limits = OutboxLimits()
        (limits.count, limits.bytes) = (3, 1500)
        let outbox = try bench.outbox(
            limits: limits,
            kinds: [
                bench.sales(), OutboxKind("live", Live.self) { _ in }, OutboxKind("own", Own.self) { _ in },
                OutboxKind("unencodable", Unencodable.self) { _ in },
            ])
        await assertRefused(.unknownKind) { try await outbox.add(PostOnce(sku: "a")) }
        await assertRefused(.notEncodable) { try await outbox.add(Live()) }
        for url in [bench.folder.url, bench.folder.url.appending(path: "missing"), URL(string: "https://a.test")!] {
            await assertRefused(.notEncodable) { try await outbox.add(Unencodable(url: OutboxAttachment(url))) }
        }
        await assertRefused(.full) { try await outbox.add(PostSale(sku: String(repeating: "a", count: 1500))) }
        // Other files may be gone when they are sent.
        let own = try bench.folder.file("own.png", Data("image".utf8))
        await assertRefused(.notEncodable) { try await outbox.add(Own(file: own)) }
        // A large attachment says its own size, before it is copied.
        let large = try bench.folder.file("large.png", Data(count: 2000))
        do {
            try await outbox.add(Unencodable(url: OutboxAttachment(large)))
            XCTFail("nothing was refused")
        } catch {
            XCTAssertEqual(error.kind, .full)
            XCTAssertTrue(error.description.contains("large.png has 2000 bytes"), error.description)
        }
        for _ in 0..<3 { try await outbox.add(PostSale(sku: "a")) }
        await assertRefused(.full) { try await outbox.add(PostSale(sku: "a")) }
        assertEqual(await outbox.status(), OutboxStatus(waiting: 3))
        let left = try FileManager.default.subpathsOfDirectory(atPath: bench.folder.url.path)
        XCTAssertFalse(left.contains { $0.contains(".files/") }, "\(left)")
    }
}

/// Asserts that something is refused with a kind of error.
func assertRefused<Value>(
    _ kind: OutboxError.Kind, file: StaticString = #filePath, line: UInt = #line,
    _ work: () async throws -> Value
) async {
    do {
        _ = try await work()
        XCTFail("nothing was refused", file: file, line: line)
    } catch {
        XCTAssertEqual((error as? OutboxError)?.kind, kind, "\(error)", file: file, line: line)
    }
}
