import RecordKit
import XCTest

@testable import RecordInventory

final class EmbeddedStoreCancellationTests: XCTestCase {
    func testACancelWithinALongStatementIsNoFailureOfTheStore() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "store.sqlite")
        let store = EmbeddedStore(file: file)
        let request = StoreRequest(method: .put, path: "/v1/buckets/shop")
        _ = try await store.answer(request)
        let other = try SQLiteDatabase(file: file.path)
        // A write counts for hours.
        try other.execute(
            """
            CREATE VIEW endless AS
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;
            CREATE TRIGGER slow BEFORE INSERT ON objects BEGIN SELECT * FROM endless; END
            """)
        let task = Task { try await store.answer(StoreRequest(method: .put, path: "/v1/buckets/other")) }
        // It has begun when it holds the writer's lock.
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end, (try? other.execute("BEGIN IMMEDIATE")) != nil {
            try other.execute("ROLLBACK")
            await Task.yield()
        }
        task.cancel()
        let outcome = await task.result
        XCTAssertThrowsError(try outcome.get()) { XCTAssertTrue($0 is CancellationError, "\($0)") }
    }
}
