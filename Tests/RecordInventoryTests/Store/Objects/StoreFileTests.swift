import RecordKitJSON
import CSQLite
import RecordKit
import RecordKitSQLite
import TestSupport
import XCTest

@testable import RecordInventory

final class FullDiskTests: TimedTestCase {
    /// SQLite says which call failed, not why: 4874 is the one that makes the memory that processes share.
    func testAFullDiskIsToldByItsFreeSpace() throws {
        for code in [4874, 778, 14, 13] as [Int32] {
            let error = SQLiteError(code: code, message: "disk I/O error", file: "/shop/stock.sqlite")
            XCTAssertEqual(EmbeddedStoreError(error) { _ in 4_096 }, .full(file: "/shop/stock.sqlite"), "\(code)")
            XCTAssertTrue(EmbeddedStoreError(error) { _ in 0 }.changedNothing)
            if code != 13 { XCTAssertNotEqual(EmbeddedStoreError(error) { _ in 1 << 20 }, .full(file: error.file)) }
            if code != 13 { XCTAssertNotEqual(EmbeddedStoreError(error) { _ in nil }, .full(file: error.file)) }
            for isChange in [true, false] {
                let text = EmbeddedStoreError(error, isChange: isChange) { _ in 0 }.description
                XCTAssertTrue(text.contains("no space is left"), text)
                XCTAssertEqual(text.contains("this change was not made"), isChange, text)
            }
        }
        let unsynced = SQLiteError(code: 1034, message: "disk I/O error", file: "/shop/stock.sqlite")
        XCTAssertEqual(EmbeddedStoreError(unsynced) { _ in 0 }, .failed(unsynced), "it may be on the disk")
    }

    #if os(Linux)
    /// A list on a file system of its own, in memory and full, changes nothing, and says nothing of a change.
    func testAListOnAFullDiskSpeaksOfNoChange() throws {
        let folder = try TemporaryFolder()
        let fields = "--sku A --artist A --title T --price 1 --currency EUR".split(separator: " ").map(String.init)
        XCTAssertEqual(try Tool(store: folder.path("stock.sqlite")).run(["add"] + fields).exitCode, 0)
        try FileManager.default.createDirectory(atPath: folder.path("disk"), withIntermediateDirectories: false)
        let script = """
            cd "$0" && mount -t tmpfs -o size=400k none disk || exit 77
            cp stock.sqlite disk/ && cat /dev/zero > disk/rest 2> /dev/null
            exec "$1" list --store disk/stock.sqlite
            """
        let (process, messages) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        let tool = try XCTUnwrap(Tool.executable).path
        process.arguments = ["unshare", "-rm", "sh", "-c", script, folder.path(""), tool]
        process.standardError = messages
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.killAfterTwoMinutes()
        let text = String(decoding: try messages.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        try XCTSkipIf([77, 126, 127].contains(process.terminationStatus) || text.contains("unshare"), text)
        XCTAssertTrue(text.contains("no space is left for the store"), text)
        XCTAssertFalse(text.contains("this change was not made"), text)
    }
    #endif
}

final class StoreFileTests: TimedTestCase {
    private let request = StoreRequest(method: .put, path: "/v1/buckets/shop")

    private func error(of store: EmbeddedStore, to request: StoreRequest? = nil) async -> EmbeddedStoreError? {
        do {
            let response = try await store.respond(to: request ?? self.request)
            XCTFail("responded with \(response.status)")
            return nil
        } catch {
            XCTAssertTrue(error is EmbeddedStoreError, "\(error)")
            return error as? EmbeddedStoreError
        }
    }

    func testMakesTheFileAndItsFolder() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "new/inner/my store.sqlite")
        assertEqual(try await EmbeddedStore(file: file).respond(to: request).status, 201)
        for path in ["new", "new/inner"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(path))
            XCTAssertEqual(attributes[.posixPermissions] as? Int, 0o700, path)
        }
        assertEqual(try await EmbeddedStore(file: file).respond(to: request).status, 200)
        let database = try SQLiteDatabase(file: file.path)
        let mode = try database.statement("PRAGMA journal_mode").first { $0.text(0) }
        XCTAssertEqual(mode, "wal")
    }

    func testAReadOnlyMediumCanBeRead() async throws {
        let till = try Till()
        _ = await till.add("LP-1", "--artist", "Björk")
        let path = till.folder.path("stock.sqlite")
        // What `access` reports there cannot be tested as root, so this opens the file as such a medium.
        try SQLiteDatabase(file: path).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let service = StoreService(table: ObjectTable(try StoreFile.immutable(path)))
        let list = "/v1/buckets/shop/collections/records/records"
        for query in [nil, "_search=bjork"] {
            let found = try service.respond(to: StoreRequest(method: .get, path: list, query: query))
            XCTAssertTrue(String(decoding: found.body, as: UTF8.self).contains(#""id":"LP-1""#))
        }
        XCTAssertThrowsError(try service.respond(to: StoreRequest(method: .put, path: list + "/LP-2"))) { error in
            let error = (error as? SQLiteError).map { EmbeddedStoreError($0) }
            XCTAssertEqual(error, .readOnly(file: path))
            let said = error?.description ?? ""
            XCTAssertTrue(said.contains("make the file and its folder writable"), said)
        }
    }

    func testCommitsReachTheDisk() throws {
        let folder = try TemporaryFolder()
        let database = try StoreFile.open(folder.url.appending(path: "store.sqlite"))
        let level = try database.statement("PRAGMA synchronous").first { $0.integer(0) }
        XCTAssertEqual(level, 2, "FULL")
        let isPastTheCache = try database.statement("PRAGMA fullfsync").first { $0.integer(0) }
        XCTAssertEqual(isPastTheCache, 1, "macOS")
    }

    func testRefusesADatabaseOfAnotherProgram() async throws {
        let folder = try TemporaryFolder()
        for (name, mark) in [
            ("table", "CREATE TABLE things (thing)"), ("version", "PRAGMA user_version = 1"),
            ("application", "PRAGMA application_id = 7"),
        ] {
            let path = folder.path(name)
            try SQLiteDatabase(file: path).execute(mark)
            let before = try Data(contentsOf: URL(filePath: path))
            assertEqual(await error(of: EmbeddedStore(file: URL(filePath: path))), .notAStore(file: path))
            XCTAssertEqual(try Data(contentsOf: URL(filePath: path)), before)
        }
    }

    func testRefusesAnotherFormat() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "store.sqlite")
        _ = try await EmbeddedStore(file: file).respond(to: request)
        for (version, said) in [(7, "a later version"), (1, "an earlier version")] as [(Int64, String)] {
            try SQLiteDatabase(file: file.path).execute("PRAGMA user_version = \(version)")
            let error = await error(of: EmbeddedStore(file: file))
            XCTAssertEqual(error, .otherFormat(file: file.path, version: version))
            XCTAssertTrue("\(error.map { "\($0)" } ?? "")".contains(said))
        }
    }

    func testSaysWhatCannotBeOpened() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x".utf8, to: "file")
        // A file in place of a folder, and a folder in place of a file.
        for (file, words) in [
            (URL(filePath: path).appending(path: "store.sqlite"), "exists"), (folder.url, "unable to open"),
            (URL(filePath: path).appending(path: "inner/store.sqlite"), "its folder cannot be made: Not a directory"),
        ] {
            // A request that only reads does not take it for an empty shop.
            for request in [request, StoreRequest(method: .get, path: "/v1/buckets/shop")] {
                let error = await error(of: EmbeddedStore(file: file), to: request)
                guard case .cannotOpen(let named, let reason) = error else {
                    XCTFail("\(request.method): \(String(describing: error))")
                    continue
                }
                XCTAssertEqual(named, file.path(percentEncoded: false))
                XCTAssertTrue(reason.contains(words), reason)
            }
        }
    }

    func testAFullDiskChangesNothing() throws {
        let folder = try TemporaryFolder()
        let database = try StoreFile.open(folder.url.appending(path: "store.sqlite"))
        let service = StoreService(table: ObjectTable(database))
        for path in ["/v1/buckets/shop", "/v1/buckets/shop/collections/records"] {
            XCTAssertEqual(try service.respond(to: StoreRequest(method: .put, path: path)).status, 201)
        }
        let pages = try database.statement("PRAGMA page_count").first { $0.integer(0) } ?? 0
        try database.execute("PRAGMA max_page_count = \(pages + 2)")
        let list = "/v1/buckets/shop/collections/records/records"
        let big: JSONValue = ["data": ["notes": .string(String(repeating: "x", count: 100_000))]]
        XCTAssertThrowsError(
            try service.respond(to: StoreRequest(method: .put, path: "\(list)/a", body: .json(big)))
        ) { error in
            let error = (error as? SQLiteError).map { EmbeddedStoreError($0) }
            XCTAssertEqual(error, .full(file: database.file))
            XCTAssertEqual(error?.changedNothing, true)
        }
        XCTAssertEqual(try service.respond(to: StoreRequest(method: .get, path: "\(list)/a")).status, 404)
        XCTAssertEqual(try service.respond(to: StoreRequest(method: .put, path: "\(list)/b")).status, 201)
    }

    func testADamagedFileSaysSo() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "store.sqlite")
        do {
            let service = StoreService(table: ObjectTable(try StoreFile.open(file)))
            _ = try service.respond(to: request)
        }
        var bytes = try Data(contentsOf: file)
        XCTAssertGreaterThan(bytes.count, 8_192)
        for index in 4_096..<bytes.count { bytes[index] = 0xA5 }
        try bytes.write(to: file)
        guard case .damaged(let named, _) = await error(of: EmbeddedStore(file: file)) else {
            return XCTFail("threw another error")
        }
        XCTAssertEqual(named, file.path)
    }

    func testGivesUpOnALockThatIsHeld() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "store.sqlite")
        let holder = try StoreFile.open(file)
        try holder.execute("BEGIN IMMEDIATE")
        let store = EmbeddedStore(file: file, patience: .zero)
        assertEqual(await error(of: store), .busy(file: file.path, patience: .zero))
        let busy = SQLiteError(code: SQLITE_BUSY, message: "database is locked", file: "/shop")
        XCTAssertEqual(
            EmbeddedStoreError(busy, patience: .seconds(2)).description,
            "the store /shop has been in use by another process for 2 s: try again, or wait longer with --timeout")
        // Readers do not wait for a writer.
        assertEqual(try await store.respond(to: StoreRequest(method: .get, path: "/v1/")).status, 200)
        try holder.execute("ROLLBACK")
        assertEqual(try await store.respond(to: request).status, 201)
    }

    func testACancelledWaitEndsAtOnce() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "store.sqlite")
        let holder = try StoreFile.open(file)
        try holder.execute("BEGIN IMMEDIATE")
        let store = EmbeddedStore(file: file)
        let request = request
        let waiting = Task { try await store.respond(to: request) }
        // Others can use the store while one request waits.
        _ = try await store.respond(to: StoreRequest(method: .get, path: "/v1/"))
        waiting.cancel()
        let outcome = await waiting.result
        XCTAssertThrowsError(try outcome.get()) { XCTAssertTrue($0 is CancellationError, "\($0)") }
        try holder.execute("ROLLBACK")
    }
}
