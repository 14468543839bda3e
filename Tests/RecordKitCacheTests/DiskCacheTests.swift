import Foundation
import RecordKit
import RecordKitCache
import RecordKitCacheDisk
import RecordKitTesting
import Synchronization
import TestSupport
import XCTest

/// The store on disk.
final class DiskCacheTests: TimedTestCase {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "RecordKitCache-\(UUID().uuidString)")

    override func tearDown() async throws {
        try? FileManager.default.removeItem(at: folder)
    }

    private func player(_ store: DiskCacheStore) -> Player { Player(store: store) }

    /// Returns everything that the files of the folder contain.
    private func contents() throws -> Data {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .reduce(Data()) { try $0 + Data(contentsOf: $1) }
    }

    private static let minute = OriginServer.Response(fields: ["Cache-Control: max-age=60", "ETag: \"a\""])

    func testScenariosOnDisk() async throws {
        let store = DiskCacheStore(folder: folder)
        for scenario in FreshnessScenarios.all + StoringScenarios.all {
            if let wrong = await Player(store: store).play(scenario) { XCTFail(wrong) }
            try await store.removeAll()
        }
    }

    func testResponsesOutliveTheProcess() async throws {
        let clock = ManualClock()
        for round in 0..<2 {
            let store = DiskCacheStore(folder: folder)
            let player = Player(store: store, clock: clock)
            player.server.respond(with: Self.minute)
            let response = try await player.send(.init(fields: ["Authorization: Bearer a"]))
            await store.flush()
            XCTAssertEqual(String(decoding: response.body, as: UTF8.self), "1")
            XCTAssertEqual(player.server.calls.count, round == 0 ? 1 : 0)
        }
    }

    func testNoCredentialIsOnDisk() async throws {
        let player = player(DiskCacheStore(folder: folder))
        player.server.respond(
            with: .init(
                fields: [
                    "Cache-Control: max-age=60", "Set-Cookie: id=secret-1", "X-Session-Token: secret-2",
                    "Vary: X-API-Key, Authorization, Foo",
                ]))
        let fields = [
            "Authorization: Bearer secret-3", "Cookie: id=secret-4", "X-API-Key: secret-5", "Foo: plain-value",
        ]
        _ = try await player.send(.init(path: "secret-6", fields: fields))
        let stored = try await player.send(.init(path: "secret-6", fields: fields))
        XCTAssertEqual(player.server.calls.count, 1)
        XCTAssertNil(stored.headers["Set-Cookie"])
        XCTAssertNil(stored.headers["X-Session-Token"])
        let contents = try contents()
        XCTAssertNotNil(contents.range(of: Data("plain-value".utf8)))
        XCTAssertNil(contents.range(of: Data("secret".utf8)))
    }

    func testOnlyTheOwnerMayReadTheFile() async throws {
        let store = DiskCacheStore(folder: folder)
        let player = player(store)
        player.server.respond(with: Self.minute)
        _ = try await player.send(.init())
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
        player.server.respond(
            with: .init(fields: ["Cache-Control: max-age=60"], body: String(repeating: "x", count: 12_500)))
        for path in ["a", "b", "c", "d", "e", "f", "g"] as [RequestPath] {
            _ = try await player.send(.init(path: path))
            player.clock.advance(by: .seconds(1))
        }
        var usage = await store.usage
        XCTAssertEqual(usage.count, 7)
        XCTAssertEqual(usage.bytes / 12_500, 7)
        _ = try await player.send(.init(path: "h"))
        usage = await store.usage
        XCTAssertLessThanOrEqual(usage.bytes, 90_000)
        XCTAssertGreaterThanOrEqual(usage.count, 6)

        player.server.respond(
            with: .init(fields: ["Cache-Control: max-age=60"], body: String(repeating: "x", count: 12_501)))
        _ = try await player.send(.init(path: "large"))
        _ = try await player.send(.init(path: "large"))
        XCTAssertEqual(player.server.calls.count, 10)
    }

    func testTheLeastRecentlyUsedIsRemovedFirst() async throws {
        let clock = ManualClock()
        let store = DiskCacheStore(folder: folder, limit: 100_000, clock: clock.networkClock)
        let player = Player(store: store, clock: clock)
        player.server.respond(
            with: .init(fields: ["Cache-Control: max-age=6000"], body: String(repeating: "x", count: 12_500)))
        for path in ["a", "b", "c", "d", "e", "f", "g"] as [RequestPath] {
            _ = try await player.send(.init(path: path))
            clock.advance(by: .seconds(60))
        }
        // A use of the oldest is written, since its last one was more than a minute ago.
        _ = try await player.send(.init(path: "a"))
        clock.advance(by: .seconds(60))
        _ = try await player.send(.init(path: "h"))
        let before = player.server.calls.count
        _ = try await player.send(.init(path: "a"))
        XCTAssertEqual(player.server.calls.count, before)
        _ = try await player.send(.init(path: "b"))
        XCTAssertEqual(player.server.calls.count, before + 1)
    }

    func testRemovals() async throws {
        let store = DiskCacheStore(folder: folder)
        let player = player(store)
        player.server.respond(with: .init(fields: ["Cache-Control: max-age=60"], body: "a-body-to-find"))
        for path in ["a", "b", "c"] as [RequestPath] { _ = try await player.send(.init(path: path)) }
        try await player.cache.remove(try XCTUnwrap(URL(string: "https://store.example/a#part")))
        var usage = await player.cache.usage
        XCTAssertEqual(usage.count, 2)
        XCTAssertNotNil(try contents().range(of: Data("a-body-to-find".utf8)))
        try await player.cache.removeAll()
        usage = await player.cache.usage
        XCTAssertEqual(usage, CacheUsage(count: 0, bytes: 0))
        XCTAssertNil(try contents().range(of: Data("a-body-to-find".utf8)))
    }

    /// A removal in one process prevents another one from storing what it requested before.
    func testMarksAreShared() async throws {
        let (one, other) = (DiskCacheStore(folder: folder), DiskCacheStore(folder: folder))
        let player = player(one)
        player.server.respond(with: Self.minute)
        _ = try await player.send(.init())
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
        let usage = await one.usage
        XCTAssertEqual(usage.count, 0)
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
        let failures = Mutex<[DiskCacheError.Kind]>([])
        let store = DiskCacheStore(folder: folder) { error in failures.withLock { $0.append(error.kind) } }
        try Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }).write(to: store.file)
        let player = player(store)
        player.server.respond(with: Self.minute)
        for _ in 0..<2 { _ = try await player.send(.init()) }
        XCTAssertEqual(player.server.calls.count, 1)
        XCTAssertEqual(failures.withLock { $0 }, [.wasDamaged])
    }

    /// Damages the file while two stores have it open.
    func testADamagedFileIsEmptiedInPlace() async throws {
        let failures = Mutex<[DiskCacheError.Kind]>([])
        let stores = (0..<2).map { _ in
            DiskCacheStore(folder: folder) { error in failures.withLock { $0.append(error.kind) } }
        }
        let players = stores.map { Player(store: $0) }
        for player in players {
            player.server.respond(
                with: .init(fields: ["Cache-Control: max-age=60"], body: String(repeating: "x", count: 9000)))
            for path in ["a", "b", "c", "d"] as [RequestPath] { _ = try await player.send(.init(path: path)) }
        }
        // The pages are in the log until a checkpoint. A removal makes one.
        try await players[0].cache.removeAll()
        for path in ["a", "b", "c", "d"] as [RequestPath] { _ = try await players[0].send(.init(path: path)) }
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
            _ = try await player.send(.init(path: "new"))
            XCTAssertEqual(player.server.calls.count, before)
        }
        XCTAssertTrue(failures.withLock { $0 }.contains(.wasDamaged))
        XCTAssertFalse(failures.withLock { $0 }.contains(.cannotOpen))
        let later = try FileManager.default.attributesOfItem(atPath: stores[0].file.path)[.systemFileNumber] as? Int
        XCTAssertEqual(node, later)
    }

    /// Nothing can be written to `/proc`, not even by the superuser.
    func testAFolderThatCannotBeWritten() async throws {
        #if os(Linux)
        let failures = Mutex<[DiskCacheError]>([])
        let store = DiskCacheStore(folder: URL(filePath: "/proc/RecordKitCache")) { error in
            failures.withLock { $0.append(error) }
        }
        let player = player(store)
        player.server.respond(with: Self.minute)
        for _ in 0..<2 { _ = try await player.send(.init()) }
        XCTAssertEqual(player.server.calls.count, 2)
        XCTAssertEqual(failures.withLock { $0 }.map(\.kind), [.cannotOpen])
        do {
            try await player.cache.removeAll()
            XCTFail("removed")
        } catch let error as DiskCacheError {
            XCTAssertEqual(error.kind, .cannotRemove)
            XCTAssertTrue(error.description.hasPrefix("Responses couldn't be removed from the cache /proc/"))
        }
        #endif
    }
}
