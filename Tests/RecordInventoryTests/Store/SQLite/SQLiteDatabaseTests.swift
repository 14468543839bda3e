import RecordKitJSON
import CSQLite
import RecordKitSQLite
import TestSupport
import XCTest

@testable import RecordInventory

final class SQLiteDatabaseTests: TimedTestCase {
    func testValuesComeBackAsTheyWere() throws {
        let database = try SQLiteDatabase(file: ":memory:")
        let values: [SQLiteValue] = [
            .integer(Int64.max), .integer(Int64.min), .text(""), .text("é\0x"), .utf8(Array("blue".utf8)), .utf8([]),
            .null, .real(0.5), .data(Data([0, 255])), .data(Data()),
        ]
        try database.statement("SELECT ?, ?, ?, ?, ?, ?, ? IS NULL, ?, ?, ?").first(values) {
            XCTAssertEqual($0.integer(0), .max)
            XCTAssertEqual($0.integer(1), .min)
            XCTAssertEqual((2...5).map($0.text), ["", "é\0x", "blue", ""])
            XCTAssertEqual($0.utf8(4), Array("blue".utf8))
            XCTAssertEqual($0.integer(6), 1)
            XCTAssertEqual($0.real(7), 0.5)
            XCTAssertEqual((8...10).map($0.data), [Data([0, 255]), Data(), Data()])
            XCTAssertEqual((6...9).map($0.isNull), [false, false, false, false])
        }
    }

    func testAStatementMayBeUsedAgainAfterAnyEnd() throws {
        let database = try SQLiteDatabase(file: ":memory:")
        try database.execute("CREATE TABLE numbers (number INTEGER UNIQUE)")
        let insert = try database.statement("INSERT INTO numbers VALUES (?)")
        try insert.run([.integer(1)])
        XCTAssertThrowsError(try insert.run([.integer(1)])) {
            XCTAssertEqual(($0 as? SQLiteError)?.primaryCode, SQLITE_CONSTRAINT)
        }
        try insert.run([.integer(2)])
        // Values that were bound before are no longer bound.
        try insert.run()
        let rows = try database.statement("SELECT count(*), count(number) FROM numbers").first {
            [$0.integer(0), $0.integer(1)]
        }
        XCTAssertEqual(rows, [3, 2])
    }

    func testATransactionIsWholeOrNothing() throws {
        let database = try SQLiteDatabase(file: ":memory:")
        try database.execute("CREATE TABLE numbers (number INTEGER UNIQUE)")
        for kind in [SQLiteDatabase.Transaction.write, .read] {
            XCTAssertThrowsError(
                try database.transaction(kind) {
                    try database.execute("INSERT INTO numbers VALUES (1)")
                    try database.execute("INSERT INTO numbers VALUES (1)")
                })
        }
        try database.transaction(.write) { try database.execute("INSERT INTO numbers VALUES (2)") }
        let numbers = try database.statement("SELECT group_concat(number) FROM numbers").first { $0.text(0) }
        XCTAssertEqual(numbers, "2")
    }

    func testAFunctionTurnsStringsIntoOthers() throws {
        let database = try SQLiteDatabase(file: ":memory:")
        try database.add("twice") { String(decoding: $0 + $0, as: UTF8.self) }
        let found = try database.statement("SELECT twice('é'), twice(''), twice(NULL)").first { row in
            (Int32(0)...2).map(row.optionalText)
        }
        XCTAssertEqual(found, ["éé", "", nil])
    }

    func testErrorsNameTheFile() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("none/store.sqlite")
        XCTAssertThrowsError(try SQLiteDatabase(file: file)) {
            let error = $0 as? SQLiteError
            XCTAssertEqual(error?.primaryCode, SQLITE_CANTOPEN)
            XCTAssertEqual(error?.file, file)
        }
        let database = try SQLiteDatabase(file: ":memory:")
        XCTAssertThrowsError(try database.statement("SELECT nonsense")) {
            XCTAssertTrue("\($0)".contains("nonsense"), "\($0)")
        }
    }

    func testMoreStatementsThanAreKept() throws {
        let database = try SQLiteDatabase(file: ":memory:")
        for number in 0..<200 {
            let found = try database.statement("SELECT \(number)").first { $0.integer(0) }
            XCTAssertEqual(found, Int64(number))
        }
    }

    func testALongStatementEndsWithItsTask() async throws {
        let (starts, started) = AsyncStream.makeStream(of: Void.self)
        let task = Task.detached {
            let database = try SQLiteDatabase(file: ":memory:")
            started.finish()
            // Counts for hours.
            try database.execute(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
        }
        for await _ in starts {}
        task.cancel()
        do {
            try await withTimeLimit { try await task.value }
            XCTFail("the statement ended without an error")
        } catch {
            XCTAssertEqual((error as? SQLiteError)?.primaryCode, SQLITE_INTERRUPT)
        }
    }
}
