import Foundation
import RecordKit
import RecordKitOutbox
import RecordKitSQLite
import RecordKitTesting
import TestSupport
import XCTest

/// A damaged file is rescued, and nothing wrong is sent.
final class DamageTests: TimedTestCase {
    private static let count = 400
    private static let pageSize = 4096

    /// Each page is overwritten in turn. What only that page led to may be lost.
    func testEachPageOverwrittenInTurn() async throws {
        let source = try Bench()
        do {
            let outbox = try source.outbox()
            for number in 0..<Self.count {
                try await outbox.add(PostSale(sku: "\(number)"), lane: "\(number % 7)")
            }
        }
        try SQLiteDatabase(file: source.file.path).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let sound = try Data(contentsOf: source.file)
        var kept: [Int] = []
        var generator = SplitMix(seed: 1)
        for page in 0..<sound.count / Self.pageSize {
            for noise in [true, false] {
                let bench = try Bench()
                var bytes = sound
                let start = page * Self.pageSize
                let new = (0..<Self.pageSize).map { _ in noise ? UInt8.random(in: 0...255, using: &generator) : 0 }
                bytes.replaceSubrange(start..<start + Self.pageSize, with: new)
                try FileManager.default.createDirectory(
                    at: bench.file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try bytes.write(to: bench.file)
                let outbox = try bench.outbox()
                let pending = try await outbox.pending(PostSale.self)
                kept.append(pending.count)
                let numbers = pending.compactMap { Int($0.request.sku) }
                XCTAssertEqual(numbers, Array(Set(numbers)).sorted(), "page \(page)")
                XCTAssertTrue(numbers.allSatisfy { $0 < Self.count })
                // A page that isn't used may be overwritten without harm.
                if pending.count < Self.count {
                    XCTAssertEqual(bench.damage.now.count, 1, "page \(page)")
                    XCTAssertEqual(
                        try bench.damage.now.first.map { try Data(contentsOf: $0.copy) }, bytes, "page \(page)")
                }
                if page % 16 != 0 { continue }
                try await outbox.add(PostSale(sku: "\(Self.count)"), lane: "new")
                await outbox.sendPending()
                XCTAssertEqual(bench.handled.now.count, pending.count + 1, "page \(page)")
                XCTAssertTrue(bench.server.skus.allSatisfy { (Int($0) ?? .max) <= Self.count })
            }
        }
        let losses = kept.map { Self.count - $0 }.filter { $0 > 0 }
        print("\(kept.count / 2) pages; entries lost: \(losses)")
        // The first page and the root of the table lead to all entries, and the others to a few.
        XCTAssertLessThanOrEqual(losses.count { $0 > 50 }, 4)
    }

    /// The checksum finds what SQLite doesn't.
    func testADamagedRequestIsSetAside() async throws {
        let (bench, outbox) = try Bench.opened()
        try await outbox.add(PostSale(sku: "a"))
        try await outbox.add(PostSale(sku: "b"))
        try SQLiteDatabase(file: bench.file.path).execute(
            "UPDATE entries SET request = CAST(replace(CAST(request AS TEXT), '\"a\"', '\"x\"') AS BLOB) WHERE id = 1")
        assertEqual(await outbox.sendPending(), OutboxStatus(setAside: 1))
        XCTAssertEqual(bench.server.skus, ["b"])
        // Another request in its place has a checksum, but not its own.
        try await outbox.add(PostSale(sku: "c"))
        try SQLiteDatabase(file: bench.file.path).execute("UPDATE entries SET key = 'other' WHERE id = 3")
        assertEqual(await outbox.sendPending(), OutboxStatus(setAside: 2))
        XCTAssertEqual(bench.server.skus, ["b"])
    }

    /// Others have the file open meanwhile, and go on.
    func testAnotherOutboxUsesTheRescuedFile() async throws {
        let bench = try Bench()
        let first = try bench.outbox()
        for number in 0..<50 { try await first.add(PostSale(sku: "\(number)")) }
        try SQLiteDatabase(file: bench.file.path).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let handle = try FileHandle(forUpdating: bench.file)
        try handle.seek(toOffset: UInt64(Self.pageSize * 8))
        try handle.write(contentsOf: Data(count: Self.pageSize))
        let second = try bench.outbox()
        let left = try await second.pending(PostSale.self).count
        XCTAssertEqual(bench.damage.now.count, 1)
        try await first.add(PostSale(sku: "new"))
        assertEqual(try await second.pending(PostSale.self).count, left + 1)
        await first.sendPending()
        XCTAssertEqual(bench.handled.now.count, left + 1)
        XCTAssertEqual(bench.damage.now.count, 1)
    }
}
