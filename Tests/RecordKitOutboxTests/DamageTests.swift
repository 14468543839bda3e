import RecordKit
import RecordKitOutbox
import RecordKitSQLite
import RecordKitTesting
import TestSupport
import XCTest

/// A damaged file is rescued, and nothing wrong is sent.
final class DamageTests: TimedTestCase {
    private static let isLong = ProcessInfo.processInfo.environment["RECORDKIT_OUTBOX_KILLS"] != nil
    override var timeLimit: TimeInterval { Self.isLong ? 1800 : 300 }

    private static let count = 300
    private static let pageSize = 4096

    /// Returns the bytes of a file with some entries.
    private func soundFile(_ change: String? = nil, count: Int = count) async throws -> Data {
        let source = try Bench()
        do {
            let outbox = try source.outbox()
            for number in 0..<count { try await outbox.add(PostSale(sku: "\(number)"), lane: "\(number % 7)") }
        }
        let database = try SQLiteDatabase(file: source.file.path)
        if let change { try database.execute(change) }
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return try Data(contentsOf: source.file)
    }

    /// Opens damaged bytes, and returns how many entries are lost.
    @discardableResult
    private func lost(of bytes: Data, _ name: String, isReported: Bool = true, sends: Bool = false) async throws -> Int
    {
        let bench = try Bench()
        try FileManager.default.createDirectory(
            at: bench.file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try bytes.write(to: bench.file)
        let outbox = try bench.outbox()
        let start = ContinuousClock.now
        let pending = try await outbox.pending(PostSale.self)
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(10), name)
        // Nothing is wrong, twice, or in another order.
        let numbers = pending.compactMap { Int($0.request.sku) }
        XCTAssertEqual(numbers, Array(Set(numbers)).sorted(), name)
        XCTAssertTrue(numbers.allSatisfy { $0 < Self.count }, name)
        for row in pending { XCTAssertEqual(row.entry.lane, "\((Int(row.request.sku) ?? 0) % 7)", name) }
        let lost = Self.count - pending.count
        // A page that isn't used may be overwritten without harm.
        if lost > 0, isReported {
            let damage = try XCTUnwrap(bench.damage.now.first, name)
            XCTAssertEqual(bench.damage.now.count, 1, name)
            XCTAssertEqual(try Data(contentsOf: damage.copy), bytes, name)
            XCTAssertGreaterThanOrEqual(damage.kept, pending.count, name)
            XCTAssertLessThanOrEqual(damage.lost ?? 0, lost, name)
        }
        if sends {
            try await outbox.add(PostSale(sku: "\(Self.count)"), lane: "new")
            await outbox.sendPending()
            XCTAssertEqual(bench.handled.now.count, pending.count + 1, name)
            XCTAssertTrue(bench.server.skus.allSatisfy { (Int($0) ?? .max) <= Self.count })
        }
        return lost
    }

    /// Whether a page leads to others. What only it leads to may be lost.
    private func leads(_ page: Int, _ bytes: Data) -> Bool { page == 0 || bytes[page * Self.pageSize] == 5 }

    /// Each page is overwritten, exchanged with the next one, and cut off.
    func testPagesThatAreHitLoseTheirEntriesAlone() async throws {
        let sound = try await soundFile()
        var random = SplitMix(seed: 1)
        let pages = sound.count / Self.pageSize
        for page in 0..<pages {
            let range = page * Self.pageSize..<(page + 1) * Self.pageSize
            for noise in [true, false] {
                var bytes = sound
                bytes.replaceSubrange(range, with: range.map { _ in noise ? .random(in: 0...255, using: &random) : 0 })
                let lost = try await lost(of: bytes, "page \(page)", sends: page % 16 == 0)
                if !leads(page, sound) { XCTAssertLessThanOrEqual(lost, 20, "page \(page)") }
            }
            guard page + 1 < pages else { continue }
            let next = (page + 1) * Self.pageSize..<(page + 2) * Self.pageSize
            var bytes = sound
            bytes.replaceSubrange(range, with: sound[next])
            bytes.replaceSubrange(next, with: sound[range])
            let lost = try await lost(of: bytes, "exchanged \(page)")
            if !leads(page, sound), !leads(page + 1, sound) { XCTAssertLessThanOrEqual(lost, 40, "page \(page)") }
        }
        for cut in 1...30 {
            let length = sound.count * cut / 31
            let lost = try await lost(of: sound.prefix(length), "cut at \(length)")
            let share = Double(sound.count - length) / Double(sound.count)
            print("cut at \(length) of \(sound.count): \(lost) lost")
            if cut > 3 { XCTAssertLessThanOrEqual(Double(lost), 300 * share * 1.3 + 20, "cut at \(length)") }
        }
    }

    func testAByteThatIsWrongLosesThePageAtMost() async throws {
        let sound = try await soundFile()
        for offset in stride(from: 0, to: sound.count, by: Self.isLong ? 97 : 97 * 11) {
            var bytes = sound
            bytes[offset] ^= 0xFF
            let lost = try await lost(of: bytes, "byte \(offset)", isReported: false)
            if !leads(offset / Self.pageSize, sound) { XCTAssertLessThanOrEqual(lost, 20, "byte \(offset)") }
        }
    }

    /// The library knows its schema, so its text may be wrong.
    func testAByteOfTheSchemasTextLosesNothing() async throws {
        let sound = try await soundFile()
        let start = try XCTUnwrap(sound.range(of: Data("CREATE TRIGGER removed".utf8))).lowerBound
        let end = try XCTUnwrap(sound.range(of: Data("CREATE TABLE entries".utf8))).upperBound
        var random = SplitMix(seed: 2)
        for _ in 0..<40 {
            // Half of them are in the text of the table of entries itself.
            let range = Bool.random(using: &random) ? end..<end + 800 : start..<start + 600
            let offset = Int.random(in: range, using: &random)
            var bytes = sound
            bytes[offset] = UInt8.random(in: 33...126, using: &random)
            let name = "\(offset): \(sound[offset]) became \(bytes[offset])"
            assertEqual(try await lost(of: bytes, name), 0, name)
        }
    }

    func testIdentifiersOnlyGrow() async throws {
        for change in [
            "UPDATE sqlite_sequence SET seq = 1 << 62",
            "UPDATE entries SET id = id + 10000000 - 300; UPDATE sqlite_sequence SET seq = 10000000",
        ] {
            let sound = try await soundFile(change)
            for page in [8, sound.count / Self.pageSize - 4] {
                var bytes = sound
                let start = page * Self.pageSize
                bytes.replaceSubrange(start..<start + Self.pageSize, with: Data(count: Self.pageSize))
                let lost = try await lost(of: bytes, change)
                if !leads(page, sound) { XCTAssertLessThanOrEqual(lost, 20, "\(change), page \(page)") }
            }
        }
        // The identifiers of entries that are gone aren't used again.
        let sound = try await soundFile("DELETE FROM entries WHERE id > 30", count: 60)
        for page in 5..<sound.count / Self.pageSize {
            var bytes = sound
            let start = page * Self.pageSize
            bytes.replaceSubrange(start..<start + 200, with: Data(count: 200))
            let bench = try Bench()
            try FileManager.default.createDirectory(
                at: bench.file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try bytes.write(to: bench.file)
            let next = try await bench.outbox().add(PostSale(sku: "new"))
            XCTAssertGreaterThan(next.id, 60, "page \(page)")
        }
    }

    /// The checksum finds what SQLite doesn't.
    func testADamagedRequestIsSetAside() async throws {
        let (bench, outbox) = try Bench.opened()
        let changes = [
            "request = CAST(replace(CAST(request AS TEXT), '\"0\"', '\"x\"') AS BLOB)", "key = 'other'",
            "lane = 'other'", "account = ''", "folder = 'other'", "kind = 'once'", "content = zeroblob(100)",
        ]
        for number in changes.indices { try await outbox.add(PostSale(sku: "\(number)"), lane: "\(number)") }
        for (number, change) in changes.enumerated() {
            try SQLiteDatabase(file: bench.file.path).execute("UPDATE entries SET \(change) WHERE id = \(number + 1)")
        }
        await outbox.sendPending()
        // Only the account is as it was.
        XCTAssertEqual(bench.server.skus, ["3"])
        assertEqual(try await outbox.entries().map(\.state), Array(repeating: .setAside, count: 6))
    }

    func testTheStatusOfAFileThatCannotBeReadHasNoNumbers() async throws {
        let bench = try Bench()
        try await bench.outbox().add(PostSale(sku: "a"))
        try SQLiteDatabase(file: bench.file.path).execute("PRAGMA user_version = 99")
        let status = try await bench.outbox().status()
        XCTAssertNil(status.waiting)
        XCTAssertNil(status.setAside)
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
