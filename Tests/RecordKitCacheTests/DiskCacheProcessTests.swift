#if os(Linux)
import CSQLite
import RecordKit
import RecordKitCache
import RecordKitCacheDisk
import RecordKitTesting
import TestSupport
import XCTest

/// Several processes that share a file, and are killed.
final class DiskCacheProcessTests: TimedTestCase {
    private static let folderVariable = "RECORDKIT_CACHE_WRITER"

    /// Kills two writers in each round, and checks the file. `RECORDKIT_CACHE_KILLS` sets the number of rounds.
    func testWritersThatAreKilled() async throws {
        let rounds = Int(ProcessInfo.processInfo.environment["RECORDKIT_CACHE_KILLS"] ?? "") ?? 4
        let folder = FileManager.default.temporaryDirectory.appending(path: "RecordKitCache-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for round in 1...rounds {
            let writers = try (0..<2).map { _ in try Writer(folder) }
            for writer in writers { try writer.waitForOperations(Int.random(in: 20...200)) }
            // This process reads and writes, too.
            try await Self.operate(Player(store: Self.store(folder)), count: 50)
            for writer in writers { writer.kill() }
            try check(folder, "round \(round)")
        }
    }

    /// Runs in the processes that ``testWritersThatAreKilled()`` starts, until it is killed.
    func testWrite() async throws {
        guard let folder = ProcessInfo.processInfo.environment[Self.folderVariable] else { return }
        let player = Player(store: Self.store(URL(filePath: folder)))
        while true {
            try await Self.operate(player, count: 1)
            FileHandle.standardOutput.write(Data("*".utf8))
        }
    }

    /// Files can't grow beyond a limit, as on a full disk. Calls still have their responses.
    func testAFullDisk() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "RecordKitCache-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let writer = try Writer(folder, test: "testWriteToAFullDisk")
        try writer.waitForOperations(100)
        writer.kill()
        try check(folder, "full disk")
        let usage = await Self.store(folder).usage
        XCTAssertLessThan(usage.bytes, 400_000)
        XCTAssertGreaterThan(usage.count, 0)
    }

    /// Runs in the process that ``testAFullDisk()`` starts.
    func testWriteToAFullDisk() async throws {
        guard let folder = ProcessInfo.processInfo.environment[Self.folderVariable] else { return }
        var limit = rlimit(rlim_cur: 400_000, rlim_max: 400_000)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        signal(SIGXFSZ, SIG_IGN)
        let player = Player(store: Self.store(URL(filePath: folder)))
        for number in 0... {
            player.server.respond(
                with: .init(fields: ["Cache-Control: max-age=60"], body: String(repeating: "\(number) ", count: 5000)))
            let path: RequestPath = "item/\(number)"
            let body = try await player.send(.init(path: path)).body
            guard Set(String(decoding: body, as: UTF8.self).split(separator: " ")) == ["\(number)"] else {
                fatalError("another body")
            }
            FileHandle.standardOutput.write(Data("*".utf8))
        }
    }

    private static func store(_ folder: URL) -> DiskCacheStore {
        DiskCacheStore(folder: folder, limit: 2_000_000)
    }

    /// Sends requests whose responses are stored, confirmed, replaced and removed.
    private static func operate(_ player: Player, count: Int) async throws {
        for _ in 0..<count {
            let number = Int.random(in: 0..<40)
            let path: RequestPath = "item/\(number)"
            let body = String(repeating: "\(number) ", count: Int.random(in: 1...30_000))
            let tag = "ETag: \"\(number)\""
            player.server.respond(with: .init(fields: [tag], body: body))
            switch Int.random(in: 0..<20) {
            case 0: _ = try await player.send(.init(method: .delete, path: path))
            case 1: try await player.cache.removeAll()
            case 2..<8:
                player.server.respond(with: .init(status: 304, fields: [tag]))
                let response = try await player.send(.init(path: path))
                let text = String(decoding: response.body, as: UTF8.self)
                guard response.statusCode == 304 || Set(text.split(separator: " ")) == ["\(number)"] else {
                    fatalError("item \(number) has the body \(text.prefix(40))")
                }
            default: _ = try await player.send(.init(path: path, policy: .reload))
            }
        }
    }

    /// Checks the file and the totals, as a new process would find them.
    private func check(_ folder: URL, _ round: String) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        XCTAssertEqual(sqlite3_open(Self.store(folder).file.path, &handle), SQLITE_OK)
        sqlite3_busy_timeout(handle, 5000)
        for (query, expected) in [
            ("PRAGMA integrity_check", "ok"),
            ("SELECT count = (SELECT count(*) FROM heads) FROM state", "1"),
            ("SELECT bytes = (SELECT total(size) FROM heads) FROM state", "1"),
            ("SELECT count(*) FROM heads LEFT JOIN bodies USING (id) WHERE body IS NULL", "0"),
            ("SELECT count(*) FROM bodies LEFT JOIN heads USING (id) WHERE head IS NULL", "0"),
            ("SELECT bytes <= 2000000 FROM state", "1"),
        ] {
            var statement: OpaquePointer?
            defer { sqlite3_finalize(statement) }
            XCTAssertEqual(sqlite3_prepare_v2(handle, query, -1, &statement, nil), SQLITE_OK, round)
            XCTAssertEqual(sqlite3_step(statement), SQLITE_ROW, round)
            XCTAssertEqual(
                sqlite3_column_text(statement, 0).map { String(cString: $0) }, expected, "\(round): \(query)")
        }
    }

    /// A process that writes to a folder until it is killed. It prints an asterisk for each operation.
    private final class Writer {
        private let process = Process()
        private let output = Pipe()

        init(_ folder: URL, test: String = "testWrite") throws {
            process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = ["RecordKitCacheTests.DiskCacheProcessTests/\(test)"]
            process.environment = ProcessInfo.processInfo.environment
                .merging([DiskCacheProcessTests.folderVariable: folder.path]) { $1 }
            process.standardOutput = output
            try process.run()
        }

        func waitForOperations(_ count: Int) throws {
            var left = count
            while left > 0 {
                let data = output.fileHandleForReading.availableData
                if data.isEmpty { throw POSIXError(.ECHILD) }
                left -= data.count { $0 == UInt8(ascii: "*") }
            }
        }

        func kill() {
            Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }
}
#endif
