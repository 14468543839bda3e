import TestSupport
import XCTest

@testable import RecordInventory

/// Backups over all kinds of older files, killed at random moments. `RECORDKIT_KILLS` sets the number of rounds.
final class BackupKillTests: TimedTestCase {
    private static let rounds = ProcessInfo.processInfo.environment["RECORDKIT_KILLS"].flatMap { Int($0) } ?? 4
    override var timeLimit: TimeInterval { max(super.timeLimit, Double(Self.rounds) * 20) }

    func testAKilledBackupLeavesTheOlderFileOrTheNewOne() throws {
        let folder = try TemporaryFolder()
        let shop = Tool(store: folder.path("stock.sqlite"))
        let rows = (0..<2_000).map { "LP-\($0),Artist,Title,1,EUR,\($0 == 0 ? 5_000 : 0)\n" }.joined()
        let file = try folder.write("sku,artist,title,price,currency,quantity\n\(rows)".utf8, to: "stock.csv")
        XCTAssertEqual(try shop.run("import", file).exitCode, 0)
        let path = folder.path("backup")
        var (copies, killed) = (5_000, 0)
        let start = ContinuousClock.now
        XCTAssertEqual(try shop.run("backup", path, "--replace").exitCode, 0)
        let longest = (ContinuousClock.now - start) / .seconds(1)

        for round in 0..<Self.rounds {
            // What the file holds before: copies, or bytes that are no backup.
            var (older, bytes): (Int?, Data?) = (copies, nil)
            switch round % 4 {
            case 0: break
            case 1:
                try makeKilledStore(at: path, copies: 7)
                older = 7
            case 2:
                bytes = Data("no backup\n".utf8)
                older = nil
                _ = try folder.write(try XCTUnwrap(bytes), to: "backup")
            default:
                unlink(path)
                older = nil
            }
            XCTAssertEqual(try shop.run("sell", "LP-0", "--quiet").exitCode, 0)
            copies -= 1
            let process = try shop.start(["backup", path, "--replace"])
            let number = process.processIdentifier
            DispatchQueue.global().asyncAfter(deadline: .now() + .random(in: 0...longest)) {
                if process.isRunning { kill(number, SIGKILL) }
            }
            process.waitUntilExit()
            if process.terminationReason == .uncaughtSignal {
                killed += 1
                let left = try? Data(contentsOf: URL(filePath: path))
                if left == nil || left == bytes {
                    XCTAssertNil(older, "round \(round): a store was lost")
                } else {
                    let restored = try restore(path, folder)
                    XCTAssertTrue([older, copies].contains(restored), "round \(round): \(restored ?? -1)")
                }
                XCTAssertEqual(try shop.run("backup", path, "--replace").exitCode, 0)
            }
            XCTAssertEqual(try restore(path, folder), copies, "round \(round)")
            XCTAssertEqual(try folder.names.filter { $0.hasPrefix(".record-") || $0.hasPrefix("backup-") }, [])
        }
        print("\(Self.rounds) rounds: killed \(killed)")
    }

    /// Makes what a process leaves that was killed while it sold: a store whose last changes are in its log.
    private func makeKilledStore(at path: String, copies: Int) throws {
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        let store = try TemporaryFolder()
        let tool = Tool(store: store.path("stock.sqlite"))
        try tool.run(
            "add", "--sku", "LP-0", "--artist", "A", "--title", "T", "--price", "1", "--currency", "EUR", "--quantity",
            "\(copies + 1)"
        ).expect(0)
        let open = try StoreFile.open(store.url.appending(path: "stock.sqlite"))
        XCTAssertEqual(try tool.run("sell", "LP-0").exitCode, 0)
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: store.path("stock.sqlite") + suffix, toPath: path + suffix)
        }
        withExtendedLifetime(open) {}
    }

    /// Restores a file into another store. Returns the copies there, or `nil` if it is refused.
    private func restore(_ path: String, _ folder: TemporaryFolder) throws -> Int? {
        let other = Tool(store: folder.path("restored.sqlite"))
        let restored = try other.run("restore", path, "--yes")
        defer { for name in (try? folder.names) ?? [] where name.hasPrefix("restored") { unlink(folder.path(name)) } }
        guard restored.exitCode == 0 else { return nil }
        return Int(try other.run("show", "LP-0", "--fields", "quantity").results.trimmed)
    }
}
