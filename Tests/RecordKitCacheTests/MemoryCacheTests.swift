import RecordKit
import RecordKitCache
import RecordKitTesting
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
        let player = Player(store: MemoryCacheStore(limit: 15_000))
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
        // The bookkeeping, the URL twice, `Cache-Control: max-age=60` and the body.
        let fixed = 600 + 2 * 23 + 23
        let usage = await player.cache.usage
        XCTAssertEqual(usage, CacheUsage(count: 1, bytes: fixed + 100))
        try await stored(player, "b", 0)
        try await stored(player, "a", 50)
        assertEqual(await player.cache.usage, CacheUsage(count: 2, bytes: 2 * fixed + 100))
        _ = try await player.send(.init(path: "a", policy: .reload))
        assertEqual(await player.cache.usage, CacheUsage(count: 2, bytes: 2 * fixed + 50))
        try await player.cache.removeAll()
        assertEqual(await player.cache.usage, CacheUsage(count: 0, bytes: 0))
    }

    func testALargeBodyIsNotStored() async throws {
        let player = Player(store: MemoryCacheStore(limit: 8000))
        try await stored(player, "a", 1001)
        try await stored(player, "b", 1000)
        assertEqual([await isStored(player, "a"), await isStored(player, "b")], [false, true])
    }

    func testTwoTransportsShareACache() async throws {
        let cache = HTTPCache()
        let one = Player(cache: cache)
        let other = Player(cache: cache)
        try await stored(one, "a", 10)
        let isThere = await isStored(other, "a")
        XCTAssertTrue(isThere)
    }

    /// The age of a stored response is unknown then.
    func testAfterTheClockWasSetBackResponsesAreStale() async throws {
        let cache = HTTPCache()
        try await stored(Player(cache: cache), "a", 10)
        let player = Player(cache: cache, clock: ManualClock(date: Date(timeIntervalSince1970: 999_999_990)))
        try await stored(player, "a", 10)
        XCTAssertEqual(player.server.calls.count, 1)
    }

    func testTheVariantsOfAKeyAreLimited() async throws {
        let player = Player()
        player.server.respond(with: .init(fields: ["Cache-Control: max-age=60", "Vary: Request-ID"]))
        for number in 1...100 { _ = try await player.send(.init(fields: ["Request-ID: \(number)"])) }
        assertEqual(await player.cache.usage.count, 32)
        // The most recently used ones are left.
        for number in [69, 100] { _ = try await player.send(.init(fields: ["Request-ID: \(number)"])) }
        XCTAssertEqual(player.server.calls.count, 100)
        _ = try await player.send(.init(fields: ["Request-ID: 68"]))
        XCTAssertEqual(player.server.calls.count, 101)
    }

    func testTheCredentialsOfAURLAreNotLimited() async throws {
        let player = Player()
        player.server.respond(with: .init(fields: ["Cache-Control: max-age=60"]))
        for _ in 0..<2 {
            for user in 1...100 { _ = try await player.send(.init(fields: ["Authorization: \(user)"])) }
        }
        XCTAssertEqual(player.server.calls.count, 100)
        _ = try await player.send(.init(method: .delete))
        assertEqual(await player.cache.usage, CacheUsage(count: 0, bytes: 0))
    }

    func testSpellingsOfAURL() throws {
        func key(_ text: String) throws -> CacheKey { CacheKey(NetworkCall(url: try XCTUnwrap(URL(string: text)))) }
        for (one, other) in [
            ("https://store.example", "https://store.example/"), ("HTTPS://Store.EXAMPLE/a", "https://store.example/a"),
            ("https://store.example:443/a", "https://store.example/a"),
            ("http://store.example:80?b", "http://store.example/?b"),
            ("https://store.example:/a", "https://store.example/a"),
            ("https://store.example/%61%2d%7e?%62#c", "https://store.example/a-~?b"),
            ("https://store.example/%c3%a4%2f", "https://store.example/%C3%A4%2F"),
            ("https://[2001:DB8::1]:443/", "https://[2001:db8::1]"),
        ] {
            XCTAssertEqual(try key(one), try key(other))
            XCTAssertEqual(try key(one).hashValue, try key(other).hashValue)
        }
        for (one, other) in [
            ("https://store.example/A", "https://store.example/a"),
            ("https://store.example:80/", "https://store.example/"),
            ("http://store.example:443/", "http://store.example/"),
            ("https://store.example/a%2Fb", "https://store.example/a/b"),
            ("https://store.example/a?", "https://store.example/a"),
            ("https://A@store.example/", "https://a@store.example/"),
            ("http://store.example/", "https://store.example/"),
        ] { XCTAssertNotEqual(try key(one), try key(other)) }
        XCTAssertEqual(try key("https://[::1]:8080").url.text, "https://[::1]:8080/")
    }

    /// The dates of an entry may be any that a file contains.
    func testAnyDates() async throws {
        let store = MemoryCacheStore()
        let player = Player(store: store)
        player.server.respond(with: .init(fields: ["Cache-Control: max-age=60"]))
        _ = try await player.send(.init())
        let key = CacheKey(try XCTUnwrap(player.server.calls.first))
        let found = await store.lookUp(key).entries.first
        let entry = try XCTUnwrap(found)
        let text = String(decoding: try entry.encoded(), as: UTF8.self)
        var wasStored = 0
        for value in ["1e300", "-1e300", "1e12", "9e11", "-9e11", "-1e11", "0", "1e400"] {
            for name in ["received", "requested"] {
                let changed = text.replacing(try Regex("\"\(name)\":[^,}]+"), with: "\"\(name)\":\(value)")
                XCTAssertNotEqual(changed, text)
                guard let entry = try? CacheEntry(Data(changed.utf8), id: 1, key: key) else { continue }
                wasStored += 1
                let before = await store.lookUp(key).mark
                await store.removeAll()
                store.save(entry, Data("too late".utf8), since: before)
                assertEqual(await store.usage.count, 0)
                store.save(entry, Data("old".utf8), since: await store.lookUp(key).mark)
                for policy in [CachePolicy.cacheOnly, .standard] {
                    assertEqual(try await player.send(.init(policy: policy)).statusCode, 200, "\(name) \(value)")
                }
            }
        }
        XCTAssertGreaterThan(wasStored, 4)
        for change in [("\"length\":1", "\"length\":-1"), ("\"length\":1", "\"length\":9223372036854775807")] {
            let changed = text.replacing(change.0, with: change.1)
            XCTAssertNotEqual(changed, text)
            XCTAssertThrowsError(try CacheEntry(Data(changed.utf8), id: 1, key: key))
        }
    }

    func testDescriptionsContainNoCredentialNamedByTheApp() throws {
        var headers = HTTPHeaders()
        headers.markSensitive(["till"])
        let url = try XCTUnwrap(URL(string: "https://store.example/ask?till=mine&page=2"))
        let key = CacheKey(NetworkCall(url: url, headers: headers))
        var text = "\(key)"
        dump(key, to: &text)
        XCTAssertTrue(text.contains("page=2"), text)
        XCTAssertFalse(text.contains("mine"), text)
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
