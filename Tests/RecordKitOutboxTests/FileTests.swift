import CSQLite
import RecordKit
import RecordKitInterceptors
import RecordKitSQLite
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordKitOutbox

/// The file: who may read it, what is in it, and what happens when it can't be used.
final class FileTests: TimedTestCase {
    override func tearDown() {
        FaultyDisk.set()
        super.tearDown()
    }

    private func permissions(_ path: String) throws -> Int {
        let found = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        return try XCTUnwrap(found?.intValue)
    }

    func testOnlyTheOwnerMayReadTheFiles() async throws {
        let bench = try Bench()
        let cover = try bench.folder.file("cover.png", Data("image".utf8))
        let kind = OutboxKind("cover", BodyTests.PostCover.self) { _ in }
        let outbox = try bench.outbox(kinds: [kind])
        bench.server.fail(.connection(.refused))
        try await outbox.add(BodyTests.PostCover(sku: "a", cover: OutboxAttachment(cover)))
        await outbox.sendPending()
        let folder = bench.file.deletingLastPathComponent()
        XCTAssertEqual(try permissions(folder.path), 0o700)
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            XCTAssertEqual(try permissions(folder.appending(path: name).path) & 0o077, 0, name)
        }
    }

    func testNoFileIsOpenedThroughASymbolicLink() async throws {
        let bench = try Bench()
        let target = try bench.folder.file("target")
        try FileManager.default.createDirectory(
            at: bench.file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(at: bench.file, withDestinationURL: target)
        await assertRefused(.unusable) { try await bench.outbox().add(PostSale(sku: "a")) }
        XCTAssertEqual(try Data(contentsOf: target), Data())
    }

    func testAFileOfALaterVersionOrAnotherProgramIsNotTouched() async throws {
        let changes: [(String, OutboxError.Kind)] = [
            ("PRAGMA user_version = 3", .newerFormat), ("PRAGMA user_version = 1", .unusable),
            ("PRAGMA application_id = 1", .unusable),
        ]
        for (change, kind) in changes {
            let bench = try Bench()
            try await bench.outbox().add(PostSale(sku: "a"))
            try SQLiteDatabase(file: bench.file.path).execute("\(change); PRAGMA wal_checkpoint(TRUNCATE)")
            let before = try Data(contentsOf: bench.file)
            let outbox = try bench.outbox()
            await assertRefused(kind) { try await outbox.add(PostSale(sku: "b")) }
            let status = await outbox.sendPending()
            guard case .file(let error) = status.pause else { return XCTFail("\(status)") }
            XCTAssertEqual(error.kind, kind)
            XCTAssertEqual(try Data(contentsOf: bench.file), before)
            XCTAssertEqual(bench.damage.now, [])
        }
    }

    func testAWrongStatementIsNoDamage() throws {
        let database = try SQLiteDatabase(file: ":memory:")
        XCTAssertThrowsError(try database.execute("SELECT * FROM missing")) { error in
            let error = error as? SQLiteError
            XCTAssertEqual(error?.isDamage, false)
            XCTAssertEqual(error?.isStatementError, true)
            XCTAssertEqual(error?.isFull, false)
        }
    }

    func testAnAddOfAFullDiskIsRefused() async throws {
        let bench = try Bench()
        FaultyDisk.set()
        let outbox = try bench.outbox()
        try await outbox.add(PostSale(sku: "a"))
        FaultyDisk.set(isFull: true)
        await assertRefused(.noSpace) { try await outbox.add(PostSale(sku: "b")) }
        FaultyDisk.set()
        try await outbox.add(PostSale(sku: "c"))
        await outbox.sendPending()
        XCTAssertEqual(bench.handled.now, ["a: 7", "c: 7"])
    }

    /// The disk is full while the server responds, and then while the handler runs.
    func testWhatCannotBeStoredIsNeitherSentNorHandledTwice() async throws {
        for isFullInHandler in [false, true] {
            let bench = try Bench()
            FaultyDisk.set()
            let outbox = try bench.outbox(kinds: [bench.sales { _ in if isFullInHandler { FaultyDisk.setFull(true) } }])
            bench.server.respond { (call, _) throws(NetworkError) in
                if !isFullInHandler { FaultyDisk.setFull(true) }
                return .receipt(call)
            }
            try await outbox.add(PostSale(sku: "a"))
            for _ in 0..<3 {
                let status = await outbox.sendPending()
                guard case .file(let error)? = status.pause else { return XCTFail("\(status)") }
                XCTAssertEqual(error.kind, .noSpace)
                bench.clock.advance(by: .seconds(10))
            }
            FaultyDisk.setFull(false)
            assertEqual(await outbox.sendPending(), OutboxStatus())
            XCTAssertEqual(bench.server.count, 1)
            XCTAssertEqual(bench.handled.now, ["a: 7"])
        }
    }

    /// Fails each of the first 200 writes and syncs in turn, and some in a row.
    func testFailingWritesAndSyncsLoseNothing() async throws {
        let step = ProcessInfo.processInfo.environment["RECORDKIT_OUTBOX_KILLS"] == nil ? 7 : 1
        for index in stride(from: 0, to: 200, by: step) {
            for length in [1, 10] {
                let bench = try Bench()
                FaultyDisk.set(failing: index..<index + length)
                var added: Set<String> = []
                var outbox = try bench.outbox()
                for number in 0..<12 {
                    if (try? await outbox.add(PostSale(sku: "\(number)"), lane: "\(number % 3)")) != nil {
                        added.insert("\(number)")
                    }
                    if number % 3 == 2 { await outbox.sendPending() }
                }
                for _ in 0..<3 {
                    bench.clock.advance(by: .seconds(300))
                    await outbox.sendPending()
                }
                FaultyDisk.set()
                outbox = try bench.outbox()
                assertEqual(await outbox.sendPending(), OutboxStatus(), "\(index)")
                let handled = Set(bench.handled.now.map { String($0.prefix { $0 != ":" }) })
                XCTAssertTrue(handled.isSuperset(of: added), "\(index): \(added.subtracting(handled)) lost")
                XCTAssertTrue(handled.isSubset(of: bench.server.skus), "\(index)")
                XCTAssertTrue(bench.handled.now.allSatisfy { $0.hasSuffix(": 7") }, "\(index)")
                XCTAssertEqual(bench.damage.now, [], "\(index)")
                for repeats in Dictionary(grouping: bench.server.received.now, by: \.key).values {
                    XCTAssertEqual(Set(repeats.map(\.body)).count, 1)
                }
            }
        }
    }

    func testAnAddNeedsAtMostTwoSyncs() async throws {
        let bench = try Bench()
        let outbox = try bench.outbox()
        FaultyDisk.set()
        for number in 0..<1000 { try await outbox.add(PostSale(sku: "\(number)")) }
        print("syncs for 1,000 adds: \(FaultyDisk.now.syncs)")
        XCTAssertLessThanOrEqual(FaultyDisk.now.syncs, 2000)
        XCTAssertGreaterThanOrEqual(FaultyDisk.now.syncs, 1000)
    }

    func testNoCredentialIsStored() async throws {
        let bench = try Bench()
        let cover = try bench.folder.file("cover.png", Data("image".utf8))
        let tokens = TokenSource(store: MemoryTokenStore(TokenSet("secret-token"))) { _ in throw URLError(.unknown) }
        let signing: [any NetworkInterceptor] = [
            AuthorizationInterceptor(tokens, for: "https://shop.test"),
            Changing { $0.headers["Cookie"] = "secret-cookie" },
        ]
        struct Failure: Error {}
        let outbox = try bench.outbox(
            client: bench.session(signing),
            kinds: [
                bench.sales { _ in throw Failure() }, bench.once(),
                OutboxKind("cover", BodyTests.PostCover.self) { _ in throw Failure() },
            ])
        let headers: HTTPHeaders = ["Set-Cookie": "a=secret-cookie", "Location": "/sales?access_token=secret-token"]
        for status in [201, 500, 503, 401] {
            bench.server.respond { (call, _) throws(NetworkError) in
                // As after a redirect.
                let url = call.url.appending(queryItems: [URLQueryItem(name: "api_key", value: "secret-key")])
                return NetworkResponse(
                    statusCode: status, headers: headers, body: Data("{\"number\": 7}".utf8), url: url)
            }
            try await outbox.add(PostSale(sku: "\(status)"), lane: "\(status)")
            try await outbox.add(PostOnce(sku: "\(status)"), lane: "\(status)")
            try await outbox.add(
                BodyTests.PostCover(sku: "\(status)", cover: OutboxAttachment(cover)), lane: "cover \(status)")
            await outbox.sendPending()
            bench.clock.advance(by: .seconds(2))
        }
        XCTAssertTrue(bench.server.received.now.allSatisfy { $0.token == "Bearer secret-token" })
        let bytes = try bench.bytes()
        XCTAssertNotNil(bytes.range(of: Data("500".utf8)))
        for text in ["secret", "Bearer", "Cookie"] { XCTAssertNil(bytes.range(of: Data(text.utf8)), text) }
    }

    func testTheFileShrinksAndForgetsWhatWasSent() async throws {
        let (bench, outbox) = try Bench.opened()
        let sku = "private " + String(repeating: "a", count: 10_000)
        for _ in 0..<50 { try await outbox.add(PostSale(sku: sku)) }
        assertEqual(await outbox.sendPending(), OutboxStatus())
        XCTAssertNil(try bench.bytes().range(of: Data("private".utf8)))
        XCTAssertLessThan(try bench.bytes().count, 200_000)
    }

    /// Two outboxes of one process, as of two processes.
    func testOneOutboxSendsAtATime() async throws {
        let bench = try Bench()
        let first = try bench.outbox()
        let second = try bench.outbox()
        let gate = ResponseGate()
        bench.server.respond { (call, _) throws(NetworkError) in
            try? await gate.wait()
            return .receipt(call)
        }
        try await first.add(PostSale(sku: "0"))
        let sending = Task { await first.sendPending() }
        await until { bench.server.count == 1 }
        try await second.add(PostSale(sku: "1"))
        assertEqual(await second.sendPending(), OutboxStatus(waiting: 2, pause: .otherOutbox))
        gate.open()
        _ = await sending.value
        // The lock is free between two calls.
        bench.clock.advance(by: .seconds(2))
        let running = [first, second].map { outbox in Task { await outbox.run() } }
        for number in 2..<100 {
            try await [first, second][number % 2].add(PostSale(sku: "\(number)"), lane: "\(number % 3)")
        }
        while bench.handled.now.count < 100 {
            await bench.clock.advanceToNextSleeper(within: .milliseconds(20))
        }
        for task in running {
            task.cancel()
            await task.value
        }
        XCTAssertEqual(bench.server.count, 100)
        for lane in 0..<3 {
            let numbers = bench.server.skus.compactMap { Int($0) }.filter { $0 > 1 && $0 % 3 == lane }
            XCTAssertEqual(numbers, numbers.sorted())
        }
    }

    func testNoStatementReadsMoreWhenTheQueueGrows() async throws {
        let (bench, outbox) = try Bench.opened()
        let isLong = ProcessInfo.processInfo.environment["RECORDKIT_OUTBOX_KILLS"] != nil
        let count: Int64 = isLong ? 100_000 : 10_000
        #if os(Linux)
        let before = ProcessFigures.now.memory
        #endif
        let body = try Sealed.encode(
            try await StoredBody(PostSale(sku: "a"), in: EntryFolder(bench.folder.url), by: NetworkSession.shared))
        try await outbox.store.perform { file in
            try file.database.transaction(.write) {
                for number in 1...count {
                    try file.insert(
                        EntryRow(
                            key: "\(number)", kind: "sale", lane: "\(number / 2)", account: "", added: Date(),
                            expiry: nil, folder: "", size: 20, request: Data("{\"sku\":\"\(number)\"}".utf8),
                            body: body))
                }
            }
        }
        let running = Task { await outbox.run() }
        /// Returns the steps for the next thousand.
        func send() async throws -> Int {
            let steps = try await outbox.store.perform { $0.database.steps }
            let sent = bench.handled.now.count
            // A busy machine may need half a minute for a hundred.
            for part in 1...50 { await until { bench.handled.now.count >= sent + part * 20 } }
            return try await outbox.store.perform { $0.database.steps } - steps
        }
        let first = try await send()
        running.cancel()
        await running.value
        try await outbox.store.perform { file in
            try file.database.run("DELETE FROM entries WHERE id <= ?", .integer(count - 1001))
        }
        let last = Task { await outbox.run() }
        let steps = try await send()
        last.cancel()
        await last.value
        print("steps of the first thousand: \(first), of the last: \(steps)")
        XCTAssertLessThan(Double(steps), Double(first) * 1.2)
        XCTAssertLessThan(Double(first), Double(steps) * 1.2)
        #if os(Linux)
        // The file is read after that, and its bytes are no part of it.
        let memory = ProcessFigures.now.memory
        print("memory: \(before) KB, then \(memory) KB; file: \(try bench.bytes().count) bytes")
        if !ProcessFigures.areSanitized { XCTAssertLessThan(memory - before, 15_000) }
        #endif
    }
}
