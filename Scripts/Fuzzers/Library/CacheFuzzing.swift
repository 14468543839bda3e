import Foundation
@testable import RecordKit
@testable import RecordKitCache
@testable import RecordKitCacheDisk
import RecordKitSQLite

/// Checks what a cache reads from a disk: an entry, or a file with changed bytes. An entry is used with any dates. A
/// changed file gives the stored bodies or none.
enum CacheFuzzing {
    static func check(_ bytes: [UInt8]) {
        if bytes.first == UInt8(ascii: "{") { checkEntry(Data(bytes)) } else { checkFile(bytes) }
    }

    private static func key(_ path: String) -> CacheKey {
        CacheKey(NetworkCall(url: URL(string: "https://store.example/\(path)")!))
    }

    private static func checkEntry(_ data: Data) {
        guard let entry = try? CacheEntry(data, id: 1, key: key("a")) else { return }
        _ = (entry.size, entry.variant, "\(entry)", entry.matches(["Foo": "1"]))
        for seconds in [-1e11, 0, 1e9, 1e11] {
            let now = Date(timeIntervalSince1970: seconds)
            _ = Freshness.text(ofAge: entry.freshness.age(at: now))
            _ = (entry.freshness.isFresh(at: now), entry.allowsStale(60, at: now))
        }
        guard let encoded = try? entry.encoded() else { return }
        guard let again = try? CacheEntry(encoded, id: 1, key: entry.key), again.size <= entry.size else {
            violation("an entry is read as it was written", "\(data)", "\(encoded)")
        }
    }

    // MARK: - Files

    private static let bodies = ["a": "one", "b": String(repeating: "two ", count: 3000), "c": "", "d": "four"]

    private static let file = FileManager.default.temporaryDirectory.appending(path: "fuzzed-cache-\(getpid())").path

    /// The bytes of a whole file.
    private static let whole: Data = {
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        do {
            let cache = try CacheFile(try SQLiteDatabase(file: file, patience: 5000))
            for (path, body) in bodies {
                let entry = CacheEntry(
                    key: key(path), statusCode: 200, headers: ["Cache-Control": "max-age=60", "X-Path": path],
                    requested: now, received: now, bodyLength: body.utf8.count, selectors: [])
                try cache.save(entry, Data(body.utf8), since: RemovalMark(0), limit: 1 << 20, at: now)
            }
        } catch {
            violation("a file is written", "\(error)")
        }
        return (try? Data(contentsOf: URL(filePath: file))) ?? Data()
    }()

    /// Changes bytes of the file: three of a position and one of a change each.
    private static func checkFile(_ bytes: [UInt8]) {
        var data = whole
        for start in stride(from: 0, to: bytes.count - 3, by: 4) {
            let position = Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
            data[position % data.count] ^= bytes[start + 3]
        }
        defer { for end in ["", "-wal", "-shm", "-journal"] { unlink(file + end) } }
        do {
            try data.write(to: URL(filePath: file))
            let cache = try CacheFile(try SQLiteDatabase(file: file, patience: 5000))
            for (path, body) in bodies {
                for entry in try cache.lookUp(key(path)).entries {
                    let found = try cache.body(of: entry, at: Date(timeIntervalSince1970: 1_700_000_100))
                    if found.map({ $0 != Data(body.utf8) }) ?? false || entry.headers["X-Path"] != path {
                        violation("a changed file gives no wrong response", path, "\(entry)")
                    }
                }
            }
        } catch {
            // A damaged file may be refused as a whole.
        }
    }
}
