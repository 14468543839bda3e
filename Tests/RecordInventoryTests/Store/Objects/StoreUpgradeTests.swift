import Foundation
import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

final class StoreUpgradeTests: TimedTestCase {
    /// The tables of format 1.
    private static let oldSchema = """
        CREATE TABLE lists (
            number INTEGER PRIMARY KEY,
            path TEXT NOT NULL UNIQUE,
            version INTEGER NOT NULL
        );
        CREATE TABLE objects (
            list INTEGER NOT NULL REFERENCES lists (number),
            id TEXT NOT NULL,
            version INTEGER NOT NULL,
            deleted INTEGER NOT NULL,
            data TEXT NOT NULL,
            UNIQUE (list, id),
            UNIQUE (list, version)
        );
        INSERT INTO lists (path, version) VALUES ('/buckets', 1);
        PRAGMA application_id = \(StoreFile.applicationID);
        PRAGMA user_version = 1;
        INSERT INTO lists (path, version) VALUES ('/buckets/shop/collections', 1),
            ('/buckets/shop/collections/records/records', 1), ('/buckets/shop/collections/locks/records', 1);
        INSERT INTO objects VALUES (1, 'shop', 2, 0, '{}'), (2, 'records', 2, 0, '{}'), (2, 'locks', 3, 0, '{}'),
            (4, 'stock', 2, 0, '{}');
        """

    /// Makes a store of format 1 with records that have 0 to 4 copies.
    private static func makeOldStore(_ file: URL, count: Int) throws {
        let database = try SQLiteDatabase(file: file.path)
        try database.execute(oldSchema)
        try database.execute(
            """
            BEGIN;
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO objects SELECT 3, 'S-' || i, 1000 + i, 0, json_object('sku', 'S-' || i, 'artist', 'Björk',
                'title', 'T', 'price', json('{"amount":100,"currency":"EUR"}'), 'quantity', i % 5, 'status', 'for_sale')
                FROM n;
            INSERT INTO objects VALUES (3, 'foreign', 999, 0, '{"quantity":7}'), (3, 'gone', 998, 1, '{"deleted":true}'),
                (3, 'broken', 997, 0, 'not JSON');
            COMMIT;
            """)
    }

    /// Checks that the store is in one of the two formats, completely. Returns the format.
    @discardableResult
    private static func check(_ file: URL, count: Int) throws -> Int64 {
        let database = try SQLiteDatabase(file: file.path)
        func number(_ sql: String) throws -> Int64? { try database.statement(sql).first { $0.integer(0) } }
        let version = try XCTUnwrap(try number("PRAGMA user_version"))
        XCTAssertEqual(try database.statement("PRAGMA integrity_check").first { $0.text(0) }, "ok")
        let movements = """
            FROM objects JOIN lists ON list = number WHERE path = '/buckets/shop/collections/movements/records'
                AND id <> 'ledger'
            """
        if version == 1 {
            XCTAssertEqual(try number("SELECT count(*) FROM lists WHERE path LIKE '%movements%'"), 0)
        } else {
            XCTAssertEqual(version, StoreUpgrade.version)
            XCTAssertEqual(try number("SELECT count(*) \(movements)"), Int64(count - count / 5))
            XCTAssertEqual(
                try number("SELECT sum(json_extract(data, '$.quantity')) \(movements)"),
                try number("SELECT sum(json_extract(data, '$.quantity')) FROM objects WHERE list = 3 AND id LIKE 'S-%'")
            )
        }
        return version
    }

    func testAnOldStoreGetsOneOpeningMovementForEachRecordInStock() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "store.sqlite")
        try Self.makeOldStore(file, count: 50)
        XCTAssertEqual(try Self.check(file, count: 50), 1)
        let path = "/v1/buckets/shop/collections/movements/records"
        for _ in 0..<2 {
            let store = EmbeddedStore(file: file)
            let response = try await store.answer(StoreRequest(method: .get, path: path + "/opening-S-4"))
            let text = String(decoding: response.body, as: UTF8.self)
            XCTAssertTrue(text.contains(#""kind":"opening","quantity":4"#), text)
            let none = try await store.answer(StoreRequest(method: .get, path: path + "/opening-S-5"))
            XCTAssertEqual(none.status, 404, "a record without copies has no movements")
            let lock = try await store.answer(
                StoreRequest(method: .get, path: "/v1/buckets/shop/collections/locks/records/stock"))
            XCTAssertTrue(String(decoding: lock.body, as: UTF8.self).contains(#""ledger":1"#))
            XCTAssertEqual(try Self.check(file, count: 50), StoreUpgrade.version)
        }
    }

    func testAStoreOfFormat2IsNoLongerIndexedByATrigger() async throws {
        try XCTSkipUnless(SearchIndex.isAvailable)
        let till = try Till()
        _ = await till.add("LP-1", "--artist", "Nina Simone")
        let database = try SQLiteDatabase(file: till.folder.path("stock.sqlite"))
        try SearchIndex.addFunction(to: database)
        try database.execute(
            """
            CREATE TRIGGER search_insert AFTER INSERT ON objects WHEN new.id LIKE 'LP-%' BEGIN
                INSERT INTO search (rowid, words) VALUES (new.rowid, search_words(new.data));
            END;
            PRAGMA user_version = 2;
            """)
        let added = await till.add("LP-2", "--artist", "Nina Hagen")
        XCTAssertEqual(added.exitCode, .done, added.messages)
        let outcome = await till.type("list", "--search", "nina")
        XCTAssertEqual(outcome.skus, ["LP-1", "LP-2"])
    }

    func testAStoreOfFormat3GetsTheIndexOfOpeningsOnce() async throws {
        let till = try Till()
        _ = await till.add("LP-1", "--quantity", "3")
        let file = till.folder.path("stock.sqlite")
        try SQLiteDatabase(file: file).execute("DROP INDEX openings; PRAGMA user_version = 3")
        let history = await till.type("history", "--limit", "1")
        XCTAssertEqual(history.rows.first?[0], "opening-LP-1", history.messages)
        let database = try SQLiteDatabase(file: file)
        let count = try database.statement("SELECT count(*) FROM sqlite_schema WHERE name = 'openings'")
            .first { $0.integer(0) }
        XCTAssertEqual(count, 1)
        let version = try database.statement("PRAGMA user_version").first { $0.integer(0) }
        XCTAssertEqual(version, StoreUpgrade.version)
    }

    func testAToolOfTheOldFormatRefusesTheStoreByName() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "store.sqlite")
        _ = try StoreFile.open(file)
        let version = try SQLiteDatabase(file: file.path).statement("PRAGMA user_version").first { $0.integer(0) }
        XCTAssertGreaterThan(version ?? 0, 1, "format 1 refuses every later format")
    }

    func testAFailedUpgradeLeavesTheOldFormat() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "store.sqlite")
        try Self.makeOldStore(file, count: 10)
        let database = try SQLiteDatabase(file: file.path)
        try database.execute(
            "CREATE TRIGGER stop BEFORE INSERT ON objects WHEN new.id = 'ledger' BEGIN SELECT raise(ABORT, 'no'); END")
        XCTAssertThrowsError(try StoreFile.open(file))
        XCTAssertEqual(try Self.check(file, count: 10), 1)
        try database.execute("DROP TRIGGER stop")
        _ = try StoreFile.open(file)
        XCTAssertEqual(try Self.check(file, count: 10), StoreUpgrade.version)
    }

    /// The size of SQLite's log beside the file. 0 without a log.
    private func logSize(_ file: URL) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file.path + "-wal")[.size] as? Int) ?? 0
    }

    /// Two processes open the store at once, and one or both are killed during the upgrade. Set RECORDKIT_KILLS for more rounds.
    func testAKilledUpgradeIsMadeByTheNextProcess() throws {
        let rounds = ProcessInfo.processInfo.environment["RECORDKIT_KILLS"].flatMap { Int($0) } ?? 5
        let folder = try TemporaryFolder()
        let old = folder.url.appending(path: "old.sqlite")
        let count = 20_000
        try Self.makeOldStore(old, count: count)
        var interrupted = 0
        for round in 0..<rounds {
            let file = folder.url.appending(path: "store\(round).sqlite")
            try FileManager.default.copyItem(at: old, to: file)
            let tool = Tool(store: file.path)
            let processes = try (0..<2).map { _ in try tool.start(["show", "S-4"]) }
            // The upgrade spills into the log before its commit, since it is larger than SQLite's cache.
            let size = round % 5 * 1_000_000
            while processes[0].isRunning, logSize(file) <= size { sched_yield() }
            kill(processes[0].processIdentifier, SIGKILL)
            if round.isMultiple(of: 2) { kill(processes[1].processIdentifier, SIGKILL) }
            for process in processes { process.waitUntilExit() }
            if try Self.check(file, count: count) == 1 { interrupted += 1 }
            let shown = try tool.run("show", "S-4", "--json")
            XCTAssertEqual(shown.exitCode, 0, shown.messages)
            XCTAssertEqual(try Self.check(file, count: count), StoreUpgrade.version)
            try FileManager.default.removeItem(at: file)
        }
        print("killed \(rounds) upgrades, \(interrupted) before their commit")
        XCTAssertGreaterThan(interrupted, 0, "none of \(rounds) kills met an upgrade")
    }
}
