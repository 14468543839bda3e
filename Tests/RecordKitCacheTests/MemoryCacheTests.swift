import Foundation
import RecordKit
import RecordKitCache
import TestSupport
import XCTest

/// The store in memory.
final class MemoryCacheTests: TimedTestCase {
    private func stored(_ player: Player, _ path: RequestPath, _ length: Int) async throws {
        player.server.respond(
            with: .init(fields: ["Cache-Control: max-age=60"], body: String(repeating: "x", count: length)))
        _ = try await player.send(.init(path: path))
    }

    private func isStored(_ player: Player, _ path: RequestPath) async -> Bool {
        (try? await player.send(.init(path: path, policy: .cacheOnly))) != nil
    }

    func testTheLeastRecentlyUsedIsRemovedFirst() async throws {
        let player = Player(store: MemoryCacheStore(limit: 10_000))
        for path in ["a", "b", "c", "d", "e", "f", "g", "h"] as [RequestPath] { try await stored(player, path, 1230) }
        var usage = await player.cache.usage
        XCTAssertEqual(usage.count, 7)
        let isThere = await isStored(player, "b")
        XCTAssertTrue(isThere)
        try await stored(player, "i", 1230)
        var found: [Bool] = []
        for path in ["a", "b", "c", "d", "i"] as [RequestPath] { found.append(await isStored(player, path)) }
        XCTAssertEqual(found, [false, true, false, true, true])
        usage = await player.cache.usage
        XCTAssertEqual(usage.count, 7)
    }

    func testTheCountIsExact() async throws {
        let player = Player()
        try await stored(player, "a", 100)
        // The URL, `Cache-Control: max-age=60` and the body.
        let usage = await player.cache.usage
        XCTAssertEqual(usage, CacheUsage(count: 1, bytes: 23 + 23 + 100))
        try await stored(player, "b", 0)
        try await stored(player, "a", 50)
        let more = await player.cache.usage
        XCTAssertEqual(more, CacheUsage(count: 2, bytes: 23 + 23 + 100 + 46))
        _ = try await player.send(.init(path: "a", policy: .reload))
        let less = await player.cache.usage
        XCTAssertEqual(less, CacheUsage(count: 2, bytes: 46 + 50 + 46))
        try await player.cache.removeAll()
        let none = await player.cache.usage
        XCTAssertEqual(none, CacheUsage(count: 0, bytes: 0))
    }

    func testALargeBodyIsNotStored() async throws {
        let player = Player(store: MemoryCacheStore(limit: 8000))
        try await stored(player, "a", 1001)
        try await stored(player, "b", 1000)
        let found = [await isStored(player, "a"), await isStored(player, "b")]
        XCTAssertEqual(found, [false, true])
    }

    func testTwoTransportsShareACache() async throws {
        let cache = HTTPCache()
        let one = Player(cache: cache)
        let other = Player(cache: cache)
        try await stored(one, "a", 10)
        let isThere = await isStored(other, "a")
        XCTAssertTrue(isThere)
    }

    func testDescriptionsContainNoSecrets() async throws {
        let store = MemoryCacheStore()
        let player = Player(store: store)
        player.server.respond(with: .init(fields: ["Cache-Control: max-age=60", "Set-Cookie: a=secret"]))
        _ = try await player.send(.init(fields: ["Authorization: Bearer secret"]))
        let key = CacheKey(try XCTUnwrap(player.server.calls.first))
        let entry = await store.lookUp(key).entries.first
        var text = "\(key) \(String(describing: entry))"
        dump(key, to: &text)
        dump(entry, to: &text)
        XCTAssertTrue(text.contains("https://store.example/ask"))
        XCTAssertFalse(text.contains("secret"), text)
    }
}
