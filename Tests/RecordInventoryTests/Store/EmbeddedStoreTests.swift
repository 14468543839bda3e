import RecordKitJSON
import RecordKit
import RecordKitSQLite
import TestSupport
import XCTest

@testable import RecordInventory

final class EmbeddedStoreTests: TimedTestCase {
    /// The records, as a batch names them.
    private static let batched = "/buckets/shop/collections/records/records"
    private static let records = "/v1" + batched

    private func shop(in file: URL) async throws -> EmbeddedStore {
        let store = EmbeddedStore(file: file)
        for path in ["/v1/buckets/shop", "/v1/buckets/shop/collections/records"] {
            _ = try await store.respond(to: StoreRequest(method: .put, path: path))
        }
        return store
    }

    /// Reads the counter and writes it one higher if it has not changed. Repeats until that succeeds.
    private static func count(_ store: EmbeddedStore) async throws -> Int64 {
        for _ in 0..<10_000 {
            let read = try await store.respond(to: StoreRequest(method: .get, path: "\(records)/counter"))
            let data = try JSONValue(stored: read.body).object?["data"]?.dictionary ?? [:]
            let next = (data["n"]?.integer ?? 0) + 1
            let version = data["last_modified"]?.integer.map { Version($0) }
            let written = try await store.respond(
                to: StoreRequest(
                    method: .put, path: "\(records)/counter",
                    headers: version.map { .ifUnchanged(since: $0) } ?? [:],
                    body: .json(["data": ["n": .integer(next)]])))
            if written.status == 200 {
                return try JSONValue(stored: written.body).object?["data"]?.object?["last_modified"]?.integer ?? 0
            }
            XCTAssertEqual(written.status, 412)
        }
        XCTFail("another writer was always faster")
        return 0
    }

    func testNoUpdateIsLostBetweenConnections() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "store.sqlite")
        let first = try await shop(in: file)
        _ = try await first.respond(
            to: StoreRequest(method: .put, path: "\(Self.records)/counter", body: .json(["data": ["n": 0]])))

        let (writers, rounds) = (8, 20)
        let versions = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for _ in 0..<writers {
                let store = EmbeddedStore(file: file)
                group.addTask {
                    var versions: [Int64] = []
                    for _ in 0..<rounds { versions.append(try await Self.count(store)) }
                    return versions
                }
            }
            var all: [Int64] = []
            for try await versions in group {
                XCTAssertEqual(versions, versions.sorted(), "the versions of one writer increase")
                all += versions
            }
            return all
        }
        XCTAssertEqual(Set(versions).count, writers * rounds, "every version is unique")
        let counter = try await first.respond(to: StoreRequest(method: .get, path: "\(Self.records)/counter"))
        let count = try JSONValue(stored: counter.body).object?["data"]?.object?["n"]
        XCTAssertEqual(count, .integer(Int64(writers * rounds)))
    }

    func testManyMakeOneNewStoreAtOnce() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "new/store.sqlite")
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<16 {
                let store = EmbeddedStore(file: file)
                group.addTask {
                    try await store.respond(
                        to: StoreRequest(method: .put, path: "/v1/buckets/shop", headers: ["If-None-Match": "*"])
                    ).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        XCTAssertEqual(statuses.sorted(), [201] + Array(repeating: 412, count: 15))
    }

    func testABatchThatIsCancelledHalfWayChangesNothing() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "store.sqlite")
        let store = try await shop(in: file)
        let requests = (0..<10).map { index -> JSONValue in
            ["method": "PUT", "path": .string("\(Self.batched)/r\(index)"), "body": ["data": ["n": 1]]]
        }
        let batch = StoreRequest(method: .post, path: "/v1/batch", body: .json(["requests": .array(requests)]))
        let task = Task {
            // Each version reads the time. The fifth reading cancels the task.
            var asked = 0
            let table = ObjectTable(try StoreFile.open(file)) {
                asked += 1
                if asked == 5 { withUnsafeCurrentTask { $0?.cancel() } }
                return 5_000_000_000_000
            }
            return try StoreService(table: table).respond(to: batch)
        }
        let outcome = await task.result
        XCTAssertThrowsError(try outcome.get()) { XCTAssertTrue($0 is CancellationError, "\($0)") }
        let total = try await store.respond(to: StoreRequest(method: .get, path: Self.records))
        XCTAssertEqual(try JSONValue(stored: total.body).object?["data"]?.array?.count, 0)
        assertEqual(try await store.respond(to: batch).status, 200)
        let after = try await store.respond(to: StoreRequest(method: .get, path: Self.records))
        XCTAssertEqual(try JSONValue(stored: after.body).object?["data"]?.array?.count, 10)
    }

    func testParametersThatAreNoneOfTheStoreAreRefused() async throws {
        let folder = try TemporaryFolder()
        let store = try await shop(in: folder.url.appending(path: "store.sqlite"))
        for query in ["v'=1", "v%22]=1", "v=Blue", "v=1;v=2", "_sort=a'b", "in_v=1,"] {
            let answer = try await store.respond(to: StoreRequest(method: .get, path: Self.records, query: query))
            XCTAssertEqual(answer.status, 400, query)
        }
        for path in ["/v1/buckets/shop", "/v1/buckets/shop/collections/records"] {
            assertEqual(try await store.respond(to: StoreRequest(method: .delete, path: path)).status, 405, path)
        }
    }

    func testHostileQueries() async throws {
        let folder = try TemporaryFolder()
        let store = try await shop(in: folder.url.appending(path: "store.sqlite"))
        let many = (0..<20_000).map(String.init).joined(separator: ",")
        let cases: [(String, Int)] = [
            ("in_v=" + many, 200), ("v=" + String(repeating: "[", count: 10_000), 400),
            ("v');DROP%20TABLE%20objects;--=1", 400), ("a..b=1", 200), (".=1", 200), ("%=1", 400),
            ("_token=" + String(repeating: "A", count: 4_000), 400), ("_limit=99999999999999999999", 400),
            ("last_modified=1e300", 200), ("last_modified=\"x\"", 200),
        ]
        for (query, status) in cases {
            let response = try await store.respond(to: StoreRequest(method: .get, path: Self.records, query: query))
            XCTAssertEqual(response.status, status, String(query.prefix(60)))
        }
        for version in ["9223372036854775807", "-9223372036854775808", "9007199254740992", "-1", "0", "1e300"] {
            let response = try await store.respond(
                to: StoreRequest(
                    method: .put, path: "\(Self.records)/v", headers: ["Content-Type": "application/json"],
                    body: .bytes(Data(#"{"data":{"last_modified":\#(version)}}"#.utf8))))
            XCTAssertLessThan(response.status, 300, version)
        }
    }

    /// As in Kinto on PostgreSQL.
    func testAVersionThatIsTakenRefusesTheWholeBatch() async throws {
        let folder = try TemporaryFolder()
        let store = EmbeddedStore(file: folder.url.appending(path: "store.sqlite"))
        for path in ["/v1/buckets/shop", "/v1/buckets/shop/collections/records", "\(Self.records)/late"] {
            _ = try await store.respond(to: StoreRequest(method: .put, path: path))
        }
        func put(_ id: String, version: Int64) -> JSONValue {
            [
                "method": "PUT", "path": .string("\(Self.batched)/\(id)"),
                "body": ["data": ["last_modified": .integer(version)]],
            ]
        }
        func send(_ requests: JSONValue...) async throws -> Int {
            let body: JSONValue = ["requests": .array(requests)]
            return try await store.respond(to: StoreRequest(method: .post, path: "/v1/batch", body: .json(body))).status
        }
        assertEqual(try await send(put("a", version: 5)), 200)
        assertEqual(try await send(put("b", version: 6), put("c", version: 5), put("d", version: 7)), 409)
        for id in ["b", "c", "d"] {
            assertEqual(
                try await store.respond(to: StoreRequest(method: .get, path: "\(Self.records)/\(id)")).status, 404, id)
        }
    }

    func testACancelWithinALongStatementIsNoFailureOfTheStore() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "store.sqlite")
        let store = EmbeddedStore(file: file)
        let request = StoreRequest(method: .put, path: "/v1/buckets/shop")
        _ = try await store.respond(to: request)
        let other = try SQLiteDatabase(file: file.path)
        // Makes every write count for hours.
        try other.execute(
            """
            CREATE VIEW endless AS
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;
            CREATE TRIGGER slow BEFORE INSERT ON objects BEGIN SELECT * FROM endless; END
            """)
        let task = Task { try await store.respond(to: StoreRequest(method: .put, path: "/v1/buckets/other")) }
        // The write has begun when it holds the writer's lock.
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end, (try? other.execute("BEGIN IMMEDIATE")) != nil {
            try other.execute("ROLLBACK")
            await Task.yield()
        }
        task.cancel()
        let outcome = await withTimeLimit { await task.result }
        XCTAssertThrowsError(try outcome.get()) { XCTAssertTrue($0 is CancellationError, "\($0)") }
    }
}
