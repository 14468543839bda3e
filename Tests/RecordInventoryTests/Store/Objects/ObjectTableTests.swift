import RecordKitJSON
import RecordKit
import RecordKitSQLite
import TestSupport
import XCTest

@testable import RecordInventory

/// The versions of objects and lists.
final class ObjectTableTests: TimedTestCase {
    private static let noon: Int64 = 5_000_000_000_000

    private var folder: TemporaryFolder!
    private var clock = noon

    override func setUpWithError() throws { folder = try TemporaryFolder() }

    /// Returns a table that uses the test's clock.
    private func table() throws -> ObjectTable {
        ObjectTable(try StoreFile.open(folder.url.appending(path: "store.sqlite")), now: { [unowned self] in clock })
    }

    /// Puts a bucket, and returns its version.
    private func put(_ id: String, wanting version: Int64? = nil, in table: ObjectTable) throws -> Int64 {
        try table.database.transaction(.write) {
            var list = try XCTUnwrap(table.list(at: .buckets))
            return try table.put(id, JSONObject(), version: version, in: .buckets, &list).version
        }
    }

    private func version(of path: ListPath, in table: ObjectTable) throws -> Int64? {
        try table.database.transaction(.read) { try table.list(at: path)?.version }
    }

    func testVersionsGrowThoughTheClockGoesBack() throws {
        let table = try table()
        var versions: [Int64] = []
        for time in [clock, clock, clock - 10_000, 0, clock + 5] {
            clock = time
            versions.append(try put("b\(versions.count)", in: table))
        }
        XCTAssertEqual(versions, (0..<4).map { Self.noon + $0 } + [Self.noon + 5])
    }

    func testAVersionThatIsAskedForIsHadOnce() throws {
        let table = try table()
        XCTAssertEqual(try put("a", in: table), Self.noon)
        clock += 1_000
        XCTAssertEqual(try put("b", wanting: Self.noon, in: table), Self.noon + 1, "the version of the list")
        XCTAssertEqual(try put("c", wanting: 7, in: table), 7)
        XCTAssertEqual(try version(of: .buckets, in: table), Self.noon + 1, "the version of a list never decreases")
        XCTAssertThrowsError(try put("d", wanting: 7, in: table), "taken") { XCTAssertTrue($0 is VersionTaken) }
        for (index, wanted) in [0, -1, ObjectTable.versionLimit, .max, .min].enumerated() {
            clock += 1_000
            XCTAssertEqual(try put("e\(index)", wanting: wanted, in: table), clock, "\(wanted) is no version")
        }
        XCTAssertEqual(try put("f", wanting: clock + 9, in: table), clock + 9)
        XCTAssertEqual(try put("g", in: table), clock + 10)
    }

    private func version(in response: StoreResponse) throws -> Int64? {
        try JSONView(stored: response.body).value(at: "data.last_modified")?.integer
    }

    func testAVersionThatAnObjectHasAlreadyIsNoneToAskFor() throws {
        let service = StoreService(table: try table())
        let put = StoreRequest(
            method: .put, path: "/v1/buckets/a", body: .json(["data": ["last_modified": .integer(Self.noon)]]))
        for expected in [Self.noon, Self.noon + 1_000] {
            XCTAssertEqual(try version(in: service.respond(to: put)), expected)
            clock += 1_000
        }
    }

    func testAClockBefore1970GivesVersionsThatConditionsCanName() throws {
        clock = -5_000
        let service = StoreService(table: try table())
        let record = "/v1/buckets/shop/collections/records/records/A"
        for path in ["/v1/buckets/shop", "/v1/buckets/shop/collections/records", record] {
            XCTAssertEqual(try service.respond(to: StoreRequest(method: .put, path: path)).status, 201)
        }
        let version = try XCTUnwrap(version(in: service.respond(to: StoreRequest(method: .get, path: record))))
        XCTAssertGreaterThan(version, 0, "an entity tag has no sign")
        let changed = try service.respond(
            to: StoreRequest(
                method: .put, path: record, headers: .ifUnchanged(since: Version(version)),
                body: .json(["data": ["n": 1]])))
        XCTAssertEqual(changed.status, 200)
    }
}
