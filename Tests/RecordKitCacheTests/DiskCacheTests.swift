import CSQLite
import RecordKit
import RecordKitCache
import RecordKitCacheDisk
import RecordKitTesting
import TestSupport
import XCTest

/// The store on disk.
final class DiskCacheTests: TimedTestCase {
    private let clock = ManualClock()
    private let folder = FileManager.default.temporaryDirectory.appending(path: "RecordKitCache-\(UUID().uuidString)")

    override func tearDown() async throws { try? FileManager.default.removeItem(at: folder) }

    /// Returns a player whose server sends a response that is fresh for a minute.
    private func player(_ store: DiskCacheStore) -> Player {
        let player = Player(store: store, clock: clock)
        player.serve("Cache-Control: max-age=60", "ETag: \"a\"")
        return player
    }

    /// Returns everything that the files of the folder contain.
    private func contents() throws -> Data {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .reduce(Data()) { try $0 + Data(contentsOf: $1) }
    }

    private static func large(_ count: Int) -> OriginServer.Response {
        OriginServer.Response(fields: ["Cache-Control: max-age=60"], body: String(repeating: "x", count: count))
    }

    func testScenariosOnDisk() async throws {
        let store = DiskCacheStore(folder: folder)
        for scenario in FreshnessScenarios.all + StoringScenarios.all {
            if let wrong = await Player(store: store).play(scenario) { XCTFail(wrong) }
            try await store.removeAll()
        }
    }

    func testResponsesOutliveTheProcess() async throws {
        for round in 0..<2 {
            let store = DiskCacheStore(folder: folder)
            let player = player(store)
            let response = try await player.send(.init(fields: ["Authorization: Bearer a"]))
            await store.flush()
            XCTAssertEqual(String(decoding: response.body, as: UTF8.self), "1")
            XCTAssertEqual(player.server.calls.count, round == 0 ? 1 : 0)
        }
    }

    func testNoCredentialIsOnDisk() async throws {
        let player = player(DiskCacheStore(folder: folder))
        player.serve(
            "Cache-Control: max-age=60", "Set-Cookie: id=secret-1", "X-Session-Token: secret-2",
            "Vary: X-API-Key, Authorization, Foo")
        let fields = [
            "Authorization: Bearer secret-3", "Cookie: id=secret-4", "X-API-Key: secret-5", "Foo: plain-value",
        ]
        try await player.send(.init(path: "secret-6", fields: fields))
        let stored = try await player.send(.init(path: "secret-6", fields: fields))
        XCTAssertEqual(player.server.calls.count, 1)
        XCTAssertNil(stored.headers["Set-Cookie"])
        XCTAssertNil(stored.headers["X-Session-Token"])
        let contents = try contents()
        XCTAssertNotNil(contents.range(of: Data("plain-value".utf8)))
        XCTAssertNil(contents.range(of: Data("secret".utf8)))
    }

    /// Without the credential, a URL leads elsewhere. So the response isn't stored.
    func testNoURLWithACredentialIsOnDisk() async throws {
        let store = DiskCacheStore(folder: folder)
        let server = OriginServer(clock: clock)
        let network = NetworkSession(
            NetworkConfiguration(
                environment: NetworkEnvironment("https://store.example/"),
                transport: HTTPCache(store: store).transport(server), sensitiveNames: ["till"],
                clock: clock.networkClock))
        let fields = [
            "Location: /next?access_token=secret", "Link: <https://store.example/?page=2>, </?x=1&api_key=secret>",
            "Content-Location: https://me:secret@store.example/", "Refresh: 5; url=/next?id_token=secret",
            "Location: /next#till=secret", "X-Next: /?till=secret", "Vary: Referer",
        ]
        let referer = "https://other.example/?password=secret"
        for field in fields {
            server.respond(with: .init(fields: ["Cache-Control: max-age=60", "X-Plain: plain-value", field]))
            let ask = Ask<Data>(headers: ["Referer": referer], options: RequestOptions(redirects: .never))
            _ = try? await network.value(for: ask)
            await store.flush()
            assertEqual(await store.usage.count, 0, field)
        }
        server.respond(
            with: .init(
                fields: [
                    "Cache-Control: max-age=60", "X-Plain: plain-value", "Location: /next?page_token=plain",
                    "ETag: \"a\"",
                ]))
        _ = try await network.value(for: Ask<Data>())
        // A 304 with a credential updates nothing.
        clock.advance(by: .seconds(60))
        server.respond(
            with: .init(status: 304, fields: ["Cache-Control: max-age=60", "ETag: \"a\"", "Link: </?token=secret>"]))
        _ = try await network.value(for: Ask<Data>())
        await store.flush()
        let contents = try contents()
        XCTAssertNotNil(contents.range(of: Data("plain-value".utf8)))
        XCTAssertNil(contents.range(of: Data("secret".utf8)))
    }

    /// Flips bits, clears sectors and swaps pages of copies of a file. A response is the one that was stored, or there
    /// is none.
    func testDamagedFilesGiveNoWrongBody() async throws {
        let bodies = (0..<12).map { number in String(repeating: "body \(number) ", count: 1 + number * 150) }
        let original = DiskCacheStore(folder: folder.appending(path: "original")).file
        do {
            let player = player(DiskCacheStore(folder: original.deletingLastPathComponent()))
            for (number, body) in bodies.enumerated() {
                player.serve("Cache-Control: max-age=60", "X-Number: \(number)", body: body)
                try await player.send(.init(path: "\(number)"))
            }
        }
        // The last connection moves the log into the file when it closes, which is when its queue releases it.
        await until { !FileManager.default.fileExists(atPath: original.path + "-wal") }
        let whole = try Data(contentsOf: original)
        var random = SplitMix(seed: 45)
        var (served, wrong) = (0, 0)
        for round in 0..<200 {
            var data = whole
            switch round % 3 {
            case 0:
                for _ in 0..<Int.random(in: 1...40, using: &random) {
                    data[Int.random(in: 0..<data.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                }
            case 1:
                let start = Int.random(in: 0..<data.count / 512, using: &random) * 512
                data.replaceSubrange(start..<start + 512, with: Data(count: 512))
            default:
                let pages = data.count / 4096
                let (one, other) = (
                    Int.random(in: 1..<pages, using: &random) * 4096, Int.random(in: 1..<pages, using: &random) * 4096
                )
                let page = Data(data[one..<one + 4096])
                data.replaceSubrange(one..<one + 4096, with: Data(data[other..<other + 4096]))
                data.replaceSubrange(other..<other + 4096, with: page)
            }
            let store = DiskCacheStore(folder: folder.appending(path: "\(round)"))
            try FileManager.default.createDirectory(
                at: store.file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: store.file)
            let player = player(store)
            for (number, body) in bodies.enumerated() {
                guard let response = try? await player.send(.init(path: "\(number)", policy: .cacheOnly)) else {
                    continue
                }
                served += 1
                let isRight =
                    String(decoding: response.body, as: UTF8.self) == body
                    && response.headers["X-Number"] == "\(number)"
                if !isRight { wrong += 1 }
            }
        }
        XCTAssertEqual(wrong, 0)
        // Most entries aren't touched by the damage.
        XCTAssertGreaterThan(served, 200 * 12 / 2)
    }

    /// Damages single rows, as a program with access to the file could.
    func testDamagedRowsAreRemoved() async throws {
        for damage in [
            "UPDATE bodies SET body = x''", "UPDATE bodies SET body = body || x'00'",
            "UPDATE heads SET head = replace(head, '200', '404')", "UPDATE heads SET digest = x''",
            "UPDATE heads SET id = 5",
            // The key of another entry.
            """
            UPDATE heads SET variant = key;
            UPDATE heads SET key = (SELECT key FROM heads ORDER BY id LIMIT 1);
            DELETE FROM heads WHERE id = (SELECT min(id) FROM heads)
            """,
        ] {
            let store = DiskCacheStore(folder: folder.appending(path: UUID().uuidString))
            let player = player(store)
            try await player.get("a")
            if damage.contains("key") { try await player.get("b") }
            await store.flush()
            try execute(damage, store.file)
            for path in ["a", "b"] as [RequestPath] {
                let response = try? await player.send(.init(path: path, policy: .cacheOnly))
                XCTAssertNil(response, damage)
            }
            assertEqual(await store.usage.count, 0, damage)
        }
    }

    private func execute(_ sql: String, _ file: URL) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        XCTAssertEqual(sqlite3_open(file.path, &handle), SQLITE_OK)
        XCTAssertEqual(sqlite3_exec(handle, sql, nil, nil, nil), SQLITE_OK, sql)
    }

    func testOtherTablesAreReplaced() async throws {
        let store = DiskCacheStore(folder: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try execute("CREATE TABLE heads (a INTEGER); CREATE TABLE state (b TEXT)", store.file)
        let player = player(store)
        assertEqual(try await player.get("ask", "ask"), 1)
    }

    func testWrongTotalsEmptyTheFileOnce() async throws {
        let store = DiskCacheStore(folder: folder)
        let player = player(store)
        try await player.get("a")
        await store.flush()
        try execute("UPDATE state SET bytes = 9223372036854775807", store.file)
        assertEqual(try await player.get("b", "c", "c"), 3)
    }

    /// The totals are counted when the file is opened.
    func testWrongTotalsDoNotDisableTheLimit() async throws {
        for damage in ["UPDATE state SET bytes = -1000000000, count = -5", "UPDATE heads SET size = -1000000000"] {
            let folder = folder.appending(path: UUID().uuidString)
            do {
                let store = DiskCacheStore(folder: folder, limit: 100_000)
                let player = player(store)
                player.server.respond(with: Self.large(12_000))
                try await player.get("a")
                await store.flush()
                try execute(damage, store.file)
            }
            let store = DiskCacheStore(folder: folder, limit: 100_000)
            let player = player(store)
            player.server.respond(with: Self.large(12_000))
            try await player.get("b", "c", "d", "e", "f", "g", "h", "i", "j", "k")
            let usage = await store.usage
            XCTAssertLessThanOrEqual(usage.count, 8, damage)
            XCTAssertLessThanOrEqual(usage.bytes, 100_000, damage)
            XCTAssertGreaterThan(usage.bytes, 12_000, damage)
        }
    }

    func testTheVariantsOfAKeyAreLimited() async throws {
        let store = DiskCacheStore(folder: folder)
        let player = player(store)
        player.serve("Cache-Control: max-age=60", "Vary: Request-ID")
        for number in 1...40 { try await player.send(.init(fields: ["Request-ID: \(number)"])) }
        assertEqual(await store.usage.count, 32)
        try await player.send(.init(fields: ["Request-ID: 40"]))
        XCTAssertEqual(player.server.calls.count, 40)
    }

    func testTheVariantsThatWereUsedLastAreKept() async throws {
        let store = DiskCacheStore(folder: folder, clock: clock.networkClock)
        let player = Player(store: store, clock: clock)
        player.serve("Cache-Control: max-age=60000", "Vary: Request-ID")
        for number in 1...32 {
            try await player.send(.init(fields: ["Request-ID: \(number)"]))
            clock.advance(by: .seconds(100))
        }
        try await player.send(.init(fields: ["Request-ID: 1"]))
        clock.advance(by: .seconds(100))
        for number in [33, 34] { try await player.send(.init(fields: ["Request-ID: \(number)"])) }
        XCTAssertEqual(player.server.calls.count, 34)
        for number in [1, 4, 32, 33, 34] { try await player.send(.init(fields: ["Request-ID: \(number)"])) }
        XCTAssertEqual(player.server.calls.count, 34)
        for (index, number) in [2, 3].enumerated() {
            try await player.send(.init(fields: ["Request-ID: \(number)"]))
            XCTAssertEqual(player.server.calls.count, 35 + index)
        }
    }

    /// A file that someone else has put there isn't written to.
    func testASymbolicLinkIsNotFollowed() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let failures = Kept<[DiskCacheError]>([])
        let store = DiskCacheStore(folder: folder, onFailure: failures.add)
        let other = folder.appending(path: "other")
        for content in [Data("mine".utf8), nil] {
            if let content { try content.write(to: other) } else { try FileManager.default.removeItem(at: other) }
            // In one step, since the store may create its file at any time.
            let link = folder.appending(path: "link")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: other)
            XCTAssertEqual(rename(link.path, store.file.path), 0)
            let player = player(store)
            for _ in 0..<2 { try await player.send(.init()) }
            XCTAssertEqual(player.server.calls.count, 2)
            XCTAssertEqual(try? Data(contentsOf: other), content)
        }
        XCTAssertEqual(failures.now.map(\.kind), [.cannotOpen])
        XCTAssertTrue(failures.now.first?.message.contains("symbolic link") ?? false)
    }

    func testAnExistingFileIsRestricted() async throws {
        let store = DiskCacheStore(folder: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data().write(to: store.file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: store.file.path)
        // The file of an earlier version is removed.
        let old = folder.appending(path: "responses-1.sqlite")
        try Data().write(to: old)
        try await store.removeAll()
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let permissions = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            XCTAssertEqual(permissions, 0o600, file.lastPathComponent)
        }
        XCTAssertFalse(FileManager.default.fileExists(atPath: old.path))
    }

    func testOnlyTheOwnerMayReadTheFile() async throws {
        let store = DiskCacheStore(folder: folder)
        let player = player(store)
        try await player.send(.init())
        await store.flush()
        func permissions(_ url: URL) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        }
        XCTAssertEqual(try permissions(folder), 0o700)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        XCTAssertEqual(files.count, 3)
        for file in files { XCTAssertEqual(try permissions(file), 0o600, file.lastPathComponent) }
    }

    func testTheLimit() async throws {
        let store = DiskCacheStore(folder: folder, limit: 100_000)
        let player = player(store)
        player.server.respond(with: Self.large(12_500))
        for path in ["a", "b", "c", "d", "e", "f", "g"] as [RequestPath] {
            try await player.send(.init(path: path))
            player.clock.advance(by: .seconds(1))
        }
        var usage = await store.usage
        XCTAssertEqual(usage.count, 7)
        XCTAssertEqual(usage.bytes / 12_500, 7)
        try await player.get("h")
        usage = await store.usage
        XCTAssertLessThanOrEqual(usage.bytes, 90_000)
        XCTAssertGreaterThanOrEqual(usage.count, 6)

        player.server.respond(with: Self.large(12_501))
        try await player.get("large")
        assertEqual(try await player.get("large"), 10)
    }

    func testTheLeastRecentlyUsedIsRemovedFirst() async throws {
        let store = DiskCacheStore(folder: folder, limit: 100_000, clock: clock.networkClock)
        let player = Player(store: store, clock: clock)
        player.serve("Cache-Control: max-age=6000", body: String(repeating: "x", count: 12_500))
        for path in ["a", "b", "c", "d", "e", "f", "g"] as [RequestPath] {
            try await player.send(.init(path: path))
            clock.advance(by: .seconds(60))
        }
        // A use of the oldest is written, since its last one was more than a minute ago.
        try await player.get("a")
        clock.advance(by: .seconds(60))
        try await player.get("h")
        let before = player.server.calls.count
        assertEqual(try await player.get("a"), before)
        assertEqual(try await player.get("b"), before + 1)
    }

    func testRemovals() async throws {
        let store = DiskCacheStore(folder: folder)
        let player = player(store)
        for path in ["a", "b", "c"] as [RequestPath] {
            let (name, size) = (path == "a" ? "gone" : "a", path == "a" ? 2000 : 1)
            player.serve(
                "Cache-Control: max-age=60", "X-Name: \(name)-head-to-find",
                body: String(repeating: "\(name)-body-to-find", count: size))
            try await player.send(.init(path: path))
        }
        await store.flush()
        XCTAssertNotNil(try contents().range(of: Data("gone-body-to-find".utf8)))
        try await player.cache.remove(try XCTUnwrap(URL(string: "https://store.example/a#part")))
        for part in ["head", "body"] { XCTAssertNil(try contents().range(of: Data("gone-\(part)-to-find".utf8))) }
        assertEqual(await player.cache.usage.count, 2)
        XCTAssertNotNil(try contents().range(of: Data("a-body-to-find".utf8)))
        try await player.cache.removeAll()
        assertEqual(await player.cache.usage, CacheUsage(count: 0, bytes: 0))
        XCTAssertNil(try contents().range(of: Data("a-body-to-find".utf8)))
    }

    /// A removal in one process prevents another one from storing what it requested before.
    func testMarksAreShared() async throws {
        let (one, other) = (DiskCacheStore(folder: folder), DiskCacheStore(folder: folder))
        let player = player(one)
        try await player.send(.init())
        await one.flush()
        let call = NetworkCall(url: try XCTUnwrap(URL(string: "https://store.example/ask")))
        let key = CacheKey(try XCTUnwrap(player.server.calls.first))
        XCTAssertEqual(CacheKey(call).url, key.url)
        let before = await other.lookUp(key)
        let entry = try XCTUnwrap(before.entries.first)
        try await one.remove(key.url)
        other.save(entry, Data("old".utf8), since: before.mark)
        let after = await one.lookUp(key)
        XCTAssertEqual(after.entries.count, 0)
        other.save(entry, Data("new".utf8), since: after.mark)
        await other.flush()
        let last = await one.lookUp(key)
        XCTAssertEqual(last.entries.count, 1)
        try await one.removeAll()
        other.save(entry, Data("old".utf8), since: last.mark)
        await other.flush()
        assertEqual(await one.usage.count, 0)
    }

    /// Several processes may create the file at the same time.
    func testStoresThatCreateTheFileTogether() async throws {
        for round in 0..<10 {
            let folder = folder.appending(path: "\(round)")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { try await DiskCacheStore(folder: folder).removeAll() } }
                try await group.waitForAll()
            }
        }
    }

    func testAFileOfGarbageIsEmptied() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let failures = Kept<[DiskCacheError.Kind]>([])
        let store = DiskCacheStore(folder: folder) { error in failures.add(error.kind) }
        try Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }).write(to: store.file)
        let player = player(store)
        assertEqual(try await player.get("ask", "ask"), 1)
        XCTAssertEqual(failures.now, [.wasDamaged])
    }

    /// Damages the file while two stores have it open.
    func testADamagedFileIsEmptiedInPlace() async throws {
        let failures = Kept<[DiskCacheError.Kind]>([])
        let stores = (0..<2).map { _ in DiskCacheStore(folder: folder) { error in failures.add(error.kind) } }
        let players = stores.map { Player(store: $0) }
        for player in players {
            player.server.respond(with: Self.large(9000))
            try await player.get("a", "b", "c", "d")
        }
        // The pages are in the log until a checkpoint. A removal makes one.
        try await players[0].cache.removeAll()
        try await players[0].get("a", "b", "c", "d")
        await stores[0].flush()
        let log = URL(filePath: stores[0].file.path + "-wal")
        let handle = try FileHandle(forWritingTo: stores[0].file)
        try handle.write(contentsOf: Data(repeating: 0x55, count: 65_536))
        try handle.close()
        let node = try FileManager.default.attributesOfItem(atPath: stores[0].file.path)[.systemFileNumber] as? Int
        try FileHandle(forWritingTo: log).truncate(atOffset: 0)
        for _ in 0..<3 {
            for player in players { _ = try? await player.send(.init(path: "new", policy: .reload)) }
        }
        for player in players {
            let before = player.server.calls.count
            assertEqual(try await player.get("new"), before)
        }
        XCTAssertTrue(failures.now.contains(.wasDamaged))
        XCTAssertFalse(failures.now.contains(.cannotOpen))
        let later = try FileManager.default.attributesOfItem(atPath: stores[0].file.path)[.systemFileNumber] as? Int
        XCTAssertEqual(node, later)
    }

    /// Nothing can be written to `/proc`, not even by the superuser.
    func testAFolderThatCannotBeWritten() async throws {
        #if os(Linux)
        let failures = Kept<[DiskCacheError]>([])
        let store = DiskCacheStore(folder: URL(filePath: "/proc/RecordKitCache")) { error in
            failures.add(error)
        }
        let player = player(store)
        assertEqual(try await player.get("ask", "ask"), 2)
        XCTAssertEqual(failures.now.map(\.kind), [.cannotOpen])
        let error = await failure { try await player.cache.removeAll() } as? DiskCacheError
        XCTAssertEqual(error?.kind, .cannotRemove)
        XCTAssertEqual(error?.description.hasPrefix("Responses couldn't be removed from the cache /proc/"), true)
        #endif
    }
}
