import RecordKitJSON
import CSQLite
import RecordKit
import RecordKitSQLite
import TestSupport
import XCTest

@testable import RecordInventory

/// `backup` and `restore` of an embedded store.
final class StoreBackupTests: TimedTestCase {
    private func put(_ path: String, _ data: JSONValue, in store: EmbeddedStore) async throws {
        let path = "/v1/buckets/shop/collections/\(path)"
        let response = try await store.respond(to: StoreRequest(method: .put, path: path, body: .json(["data": data])))
        XCTAssertEqual(response.status, 201, path)
    }

    func testACopyMadeWhileATillSellsIsWhole() async throws {
        let till = try Till()
        for sku in ["A", "B"] { _ = await till.add(sku, "--quantity", "1000") }
        let path = till.folder.path("backup")
        async let selling: Int = {
            for sale in 0..<60 { await till.type("sell", "A", "B", "--id", "S\(sale)").expect(.done) }
            return 60
        }()
        for _ in 0..<5 {
            await till.type("backup", path, "--replace").expect(.done)
            XCTAssertEqual(try LedgerReader.differences(inStore: path, bucket: "shop"), [:])
        }
        assertEqual(await selling, 60)
        let backup = await till.type("backup", path, "--replace")
        XCTAssertTrue(backup.results.contains("shop\tcopies in stock\t1880\n"), backup.results)
        XCTAssertTrue(backup.results.contains("shop\tcopies by movements\t1880\n"), backup.results)
        XCTAssertTrue(backup.results.contains("shop\ttakings EUR\t1200.00\n"), backup.results)
        XCTAssertEqual(try till.folder.names.filter { $0.contains("tmp") }, [])
    }

    /// A copy that is used as a store is no backup any more. Its digest goes with the first change of any kind.
    func testAChangedCopyIsAStore() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "3")
        for change in [
            "UPDATE objects SET data = replace(data, '\"quantity\":3', '\"quantity\":4') WHERE id LIKE '%A'",
            "DELETE FROM objects WHERE id LIKE 'opening%'",
            "INSERT INTO objects SELECT list, 'B', version + 1, deleted, data FROM objects WHERE id LIKE '%A'",
        ] {
            let path = till.folder.path("copy")
            try? FileManager.default.removeItem(atPath: path)
            _ = await till.type("backup", path, "--replace")
            let database = try SQLiteDatabase(file: path)
            try SearchIndex.addFunction(to: database)
            try database.execute(change)
            await till.type("restore", path, "--dry-run").expect(.done)
        }
    }

    func testATillThatHasTheStoreOpenGoesOnWithTheRestoredOne() async throws {
        let till = try Till()
        for sku in ["Gone", "A"] { _ = await till.add(sku, "--quantity", "3", "--title", "Title of \(sku)") }
        let open = Stock(over: till.transport)
        // Leaves a gap in the row numbers, by which the index of words finds records.
        let database = try SQLiteDatabase(file: till.folder.path("stock.sqlite"))
        try SearchIndex.addFunction(to: database)
        try database.execute("DELETE FROM objects WHERE id LIKE '%Gone'")
        _ = await till.type("payments", "barter")
        let other = till.store
        try await put("closings", [:], in: other)
        try await put("closings/records/counter-1", ["sales": ["S1"]], in: other)
        let path = till.folder.path("backup")
        let backup = await till.type("backup", path, "--replace")
        XCTAssertTrue(backup.results.contains("shop\tclosings\t1\n"), backup.results)

        let sku = try SKU("A")
        _ = try await open.move(sku, by: -2)
        _ = await till.add("New", "--title", "Later")
        await till.type("restore", path, "--yes").expect(.done, prints: "shop\tcopies in stock\t3\t3\n")
        assertEqual(try await open.fetch(sku).record.quantity, 3)
        _ = try await open.move(sku, by: -1)
        for (words, skus) in [("title of", ["A"]), ("later", [])] {
            assertEqual(await till.type("list", "--search", words).skus, skus, words)
        }
        let kinds = await till.type("payments")
        XCTAssertTrue(kinds.results.contains("barter"))
        let closing = try await other.respond(
            to: StoreRequest(method: .get, path: "/v1/buckets/shop/collections/closings/records/counter-1"))
        XCTAssertTrue(String(decoding: closing.body, as: UTF8.self).contains(#""sales":["S1"]"#))
        await till.type("doctor", "--dry-run").expect(.done)

        // The earlier state is a backup too.
        let earlier = try XCTUnwrap(till.folder.names.first { $0.contains(".before-") })
        await till.type("restore", till.folder.path(earlier), "--yes").expect(.done)
        assertEqual(await till.type("list", "--search", "later").skus, ["New"])
    }

    func testADeviceOrAPipeStaysOne() async throws {
        let till = try Till()
        _ = await till.add("A")
        let pipe = till.folder.path("pipe")
        XCTAssertEqual(mkfifo(pipe, 0o600), 0)
        await till.type("backup", pipe).expect(.usage, "is a device or a pipe")
        var status = stat()
        XCTAssertEqual(stat(pipe, &status), 0)
        XCTAssertEqual(status.st_mode & S_IFMT, S_IFIFO)
    }

    func testAFileThatIsNoBackupIsNotReadToItsEnd() async throws {
        let till = try Till()
        let pipe = till.folder.path("pipe")
        XCTAssertEqual(mkfifo(pipe, 0o600), 0)
        await till.type("restore", pipe).expect(.badData, "(this is no backup)")
    }

    /// A limit for the size of files stands for a full disk.
    func testACopyWithoutRoomIsNamedAndLeavesNothing() async throws {
        let till = try Till()
        for sku in 0..<300 { _ = await till.add("A\(sku)") }
        let path = till.folder.path("backup")
        await till.type("backup", path, "--replace").expect(.done)
        let before = try till.folder.names
        let tool = try XCTUnwrap(Tool.executable)
        for (command, name) in [("backup", "/other"), ("restore", ".before-")] {
            let (process, messages) = (Process(), Pipe())
            process.executableURL = URL(filePath: "/bin/sh")
            let arguments = command == "backup" ? [till.folder.path("other")] : [path, "--yes"]
            process.arguments =
                ["-c", "trap '' XFSZ; ulimit -f 100; exec \"$0\" \"$@\"", tool.path, command]
                + arguments + ["--store", till.folder.path("stock.sqlite")]
            process.standardError = messages
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            process.killAfterTwoMinutes()
            let text = String(decoding: try messages.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            XCTAssertNotEqual(process.terminationStatus, 0)
            XCTAssertTrue(text.contains(name) && text.contains(" could not be written: "), text)
        }
        XCTAssertEqual(try till.folder.names, before)
    }

    func testNothingIsSoldBetweenTheEarlierStateAndTheRestoredOne() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "stock.sqlite")
        let (source, target, till) = (try StoreFile.temporary(), try StoreFile.open(file), try StoreFile.open(file))
        try till.execute("INSERT INTO lists (path, version) VALUES ('/before', 1)")
        struct Stop: Error {}
        XCTAssertThrowsError(
            try source.replace(target) {
                XCTAssertThrowsError(try till.execute("INSERT INTO lists (path, version) VALUES ('/between', 1)")) {
                    XCTAssertEqual(($0 as? SQLiteError)?.primaryCode, SQLITE_BUSY)
                }
                throw Stop()
            }
        ) { XCTAssertTrue($0 is Stop) }
        func count() throws -> Int64? {
            try till.statement("SELECT count(*) FROM lists WHERE path = '/before'").first { $0.integer(0) }
        }
        XCTAssertEqual(try count(), 1, "what cannot be kept is not replaced")
        try source.replace(target)
        XCTAssertEqual(try count(), 0)
    }

    func testAStoreInUseIsWaitedForAsLongAsTheCallerSays() async throws {
        let till = try Till()
        _ = await till.add("A")
        let path = till.folder.path("backup")
        _ = await till.type("backup", path, "--replace")
        let other = try SQLiteDatabase(file: till.folder.path("stock.sqlite"))
        try other.execute("BEGIN IMMEDIATE")
        let start = ContinuousClock.now
        let outcome = await till.type("restore", path, "--yes", "--timeout", "1")
        XCTAssertTrue(outcome.messages.contains("in use by another process for 1 s"), outcome.messages)
        XCTAssertLessThan(start.duration(to: .now), .seconds(20))
        try other.execute("ROLLBACK")
    }

    func testADamagedFileIsRefused() async throws {
        let till = try Till()
        for number in 0..<50 { _ = await till.add("LP-\(number)", "--title", "A long title, so that pages fill up") }
        let path = till.folder.path("backup")
        _ = await till.type("backup", path, "--replace")
        let whole = try Data(contentsOf: URL(filePath: path))
        var holed = whole
        let middle = whole.count / 2 / 4_096 * 4_096
        holed.replaceSubrange(middle..<middle + 4_096, with: Data(count: 4_096))
        let foreign = till.folder.path("foreign")
        try SQLiteDatabase(file: foreign).execute("CREATE TABLE a (b)")
        for (name, bytes) in [
            ("another program's", try Data(contentsOf: URL(filePath: foreign))), ("a page of zeros", holed),
            ("half a store", whole.prefix(whole.count / 2)),
        ] {
            let damaged = try till.folder.write(bytes, to: name)
            await till.type("restore", damaged, "--yes").expect(.badData, "nothing was restored")
        }
        XCTAssertEqual(try till.folder.names.filter { $0.contains(".before-") }, [])
    }

    func testABackupOfAStoreWithADamagedIndexIsRestored() async throws {
        let till = try Till()
        for number in 0..<40 { _ = await till.add("LP-\(number)", "--quantity", "2") }
        // The index has the entries of another field.
        try SQLiteDatabase(file: till.folder.path("stock.sqlite")).execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, '$.barcode', '$.title') WHERE name = 'barcodes'
            """)
        let path = till.folder.path("backup")
        await till.type("backup", path).expect(.done)
        XCTAssertThrowsError(try SQLiteDatabase(file: path).check())
        let copy = try StoreBackup.read(path)
        XCTAssertNoThrow(try copy.database.check())
        XCTAssertEqual(try copy.summary(of: "shop").copies, 80)
    }

    /// Whatever is damaged, a backup is restored as it was written, or not at all.
    func testNoDamagedBackupIsRestoredAsSomethingElse() async throws {
        let till = try Till()
        for number in 0..<40 { _ = await till.add("LP-\(number)", "--quantity", "\(number)") }
        let path = till.folder.path("backup")
        _ = await till.type("backup", path, "--replace")
        let whole = try Data(contentsOf: URL(filePath: path))
        let original = try StoreBackup.read(path).summary(of: "shop")
        var generator = SeededGenerator(seed: 48)
        var refused = 0
        for round in 0..<200 {
            var bytes = whole
            let place = Int.random(in: 100..<whole.count - 600, using: &generator)
            if round.isMultiple(of: 2) {
                bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            } else {
                bytes.replaceSubrange(place..<place + 512, with: Data(count: 512))
            }
            let damaged = try till.folder.write(bytes, to: "damaged")
            do {
                let copy = try StoreBackup.read(damaged)
                XCTAssertEqual(try copy.summary(of: "shop"), original, "round \(round)")
                let table = ObjectTable(copy.database)
                let list = try XCTUnwrap(table.list(at: .records(bucket: "shop", collection: "records")))
                for number in 0..<40 {
                    let record = try table.object("LP-\(number)", in: list)
                    XCTAssertEqual(record?.fields["quantity"], .integer(Int64(number)), "round \(round)")
                }
            } catch {
                refused += 1
            }
        }
        XCTAssertGreaterThan(refused, 50)
    }

    func testAChangeBehindTheToolsBackIsDamage() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "5")
        let path = till.folder.path("backup")
        _ = await till.type("backup", path, "--replace")
        let database = try SQLiteDatabase(file: path)
        try database.execute("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE type = 'trigger'")
        try SQLiteDatabase(file: path).execute("UPDATE objects SET data = replace(data, ':5', ':6') WHERE id = 'A'")
        await till.type("restore", path, "--yes").expect(.badData)
    }

    /// SQLite would add the log of a process that was killed to the file that takes the place of its own.
    func testALogBesideTheFileIsNotAddedToTheBackup() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "5")
        let path = till.folder.path("backup")
        let kept = till.folder.path("kept")
        _ = await till.type("backup", path, "--replace")
        // What a killed process leaves: a file with a log of a sale.
        do {
            let database = try StoreFile.open(URL(filePath: path))
            try database.execute("UPDATE objects SET data = replace(data, ':5', ':1') WHERE id = 'A'")
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: path + suffix, toPath: kept + suffix)
            }
        }
        for suffix in ["", "-wal"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
            try FileManager.default.moveItem(atPath: kept + suffix, toPath: path + suffix)
        }
        await till.type("backup", path, "--replace").expect(.done, prints: "shop\tcopies in stock\t5\n")
        XCTAssertEqual(try till.folder.names.filter { $0.hasPrefix("backup") }, ["backup"])

        // The log of a program that has the file open, or of another file, stays.
        for open in [true, false] {
            let other = till.folder.path("other")
            let database = open ? try StoreFile.open(URL(filePath: other)) : nil
            if !open { _ = try till.folder.write(Data("log".utf8), to: "other-wal") }
            await till.type("backup", other, "--replace").expect(.failed, "other-wal lies beside it")
            withExtendedLifetime(database) {}
            for suffix in ["", "-wal", "-shm"] { unlink(other + suffix) }
        }
    }

    func testABackupHasNoMorePermissionsThanTheStore() async throws {
        let till = try Till()
        _ = await till.add("A")
        func mode(_ path: String) -> mode_t {
            var status = stat()
            return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
        }
        let (store, path) = (till.folder.path("stock.sqlite"), till.folder.path("backup"))
        for (stored, present, expected) in [
            (0o600, nil, 0o600), (0o640, 0o600, 0o600), (0o600, 0o644, 0o600), (0o644, 0o644, 0o644),
        ] as [(mode_t, mode_t?, mode_t)] {
            unlink(path)
            if let present {
                _ = try till.folder.write(Data(), to: "backup")
                chmod(path, present)
            }
            chmod(store, stored)
            await till.type("backup", path, "--replace").expect(.done)
            XCTAssertEqual(mode(path), expected)
        }
        chmod(store, 0o600)
        _ = await till.type("restore", path, "--yes")
        let earlier = try XCTUnwrap(till.folder.names.first { $0.contains(".before-") })
        XCTAssertEqual(mode(till.folder.path(earlier)), 0o600)
    }

    func testWhatAKilledProcessLeftIsRemoved() async throws {
        let till = try Till()
        _ = await till.add("A")
        for suffix in ["", "-journal"] {
            _ = try till.folder.write(Data("half".utf8), to: ".record-inventory-left.tmp\(suffix)")
        }
        let busy = try ReplacementFile(for: till.folder.path("other"))
        _ = await till.type("backup", till.folder.path("backup"))
        let names = try till.folder.names.filter { $0.hasPrefix(".record-inventory-") }
        XCTAssertEqual(names, [URL(filePath: busy.temporary).lastPathComponent], "another one is being written")
    }
}
