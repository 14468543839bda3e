import Foundation
import RecordKit
import RecordKitCache

/// The tables of a store, for one caller at a time.
///
/// Heads and bodies are in separate tables, so that a 304 writes the head alone. A trigger keeps the totals.
struct CacheFile {
    /// The number of the format. It is part of the file's name, so that two versions of the library don't share a file.
    static let format = 1

    private let database: Database
    /// A random value that hashes depend on, so that they can't be compared with those of another file.
    private let salt: Data

    init(_ database: Database) throws(Database.Failure) {
        self.database = database
        // Only has an effect on an empty file.
        try database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        try Self.useLog(database)
        try database.execute("PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 4194304")
        try database.write { () throws(Database.Failure) in
            try database.execute(Self.schema)
            try database.run(
                "INSERT OR IGNORE INTO state VALUES (1, ?, 0, 0, 0, 0)", .data(Self.randomSalt()))
        }
        let salts = try database.rows("SELECT salt FROM state") { (_: Data.Type, row) in row.data(0) }
        guard let salt = salts.first, salt.count == Self.saltLength else {
            throw Database.Failure(code: 11, message: "the salt is missing")
        }
        self.salt = salt
    }

    /// Switches the file to a write-ahead log. SQLite doesn't wait for other processes that do the same.
    private static func useLog(_ database: Database) throws(Database.Failure) {
        for _ in 0..<100 {
            do throws(Database.Failure) {
                return try database.execute("PRAGMA journal_mode = WAL")
            } catch {
                if !error.isBusy { throw error }
                Thread.sleep(forTimeInterval: 0.02)
            }
        }
        try database.execute("PRAGMA journal_mode = WAL")
    }

    private static let schema = """
        CREATE TABLE IF NOT EXISTS state (
            id INTEGER PRIMARY KEY, salt BLOB NOT NULL, count INTEGER NOT NULL, bytes INTEGER NOT NULL,
            removals INTEGER NOT NULL, mark INTEGER NOT NULL);
        CREATE TABLE IF NOT EXISTS heads (
            id INTEGER PRIMARY KEY, url BLOB NOT NULL, key BLOB NOT NULL, variant TEXT NOT NULL, head BLOB NOT NULL,
            size INTEGER NOT NULL, used REAL NOT NULL);
        CREATE UNIQUE INDEX IF NOT EXISTS headsByKey ON heads (key, variant);
        CREATE INDEX IF NOT EXISTS headsByURL ON heads (url);
        CREATE INDEX IF NOT EXISTS headsByUse ON heads (used);
        CREATE TABLE IF NOT EXISTS bodies (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
        CREATE TABLE IF NOT EXISTS marks (url BLOB PRIMARY KEY, mark INTEGER NOT NULL, made REAL NOT NULL)
            WITHOUT ROWID;
        CREATE TRIGGER IF NOT EXISTS added AFTER INSERT ON heads BEGIN
            UPDATE state SET count = count + 1, bytes = bytes + new.size;
        END;
        CREATE TRIGGER IF NOT EXISTS updated AFTER UPDATE OF size ON heads BEGIN
            UPDATE state SET bytes = bytes + new.size - old.size;
        END;
        CREATE TRIGGER IF NOT EXISTS removed AFTER DELETE ON heads BEGIN
            UPDATE state SET count = count - 1, bytes = bytes - old.size;
            DELETE FROM bodies WHERE id = old.id;
        END;
        """

    func lookUp(_ key: CacheKey) throws(Database.Failure) -> CacheLookup {
        // The mark is read first: a removal in between leaves no entry, and the older mark prevents storing.
        let mark = try mark(of: hash(key.url))
        let entries = try database.rows("SELECT id, head FROM heads WHERE key = ?", [.data(hash(key))]) {
            (_: CacheEntry?.Type, row) in
            try? CacheEntry(row.data(1), id: UInt64(bitPattern: row.integer(0)), key: key)
        }
        return CacheLookup(entries: entries.compactMap { $0 }, mark: mark)
    }

    /// Returns a body, and writes the time of its use at most once a minute.
    func body(of entry: CacheEntry, at now: Date) throws(Database.Failure) -> Data? {
        let id = Int64(bitPattern: entry.id)
        let found = try database.rows(
            "SELECT body, used FROM bodies JOIN heads USING (id) WHERE id = ?", [.integer(id)]
        ) { (_: (body: Data, used: Double).Type, row) in (row.data(0), row.real(1)) }
        guard let found = found.first else { return nil }
        let now = now.timeIntervalSince1970
        if abs(now - found.used) >= 60 {
            // The response is more important than the time of its use.
            try? database.run("UPDATE heads SET used = ? WHERE id = ?", .real(now), .integer(id))
        }
        return found.body
    }

    func save(
        _ entry: CacheEntry, _ body: Data, since mark: Int, limit: Int, at now: Date
    ) throws(Database.Failure) {
        guard let head = try? entry.encoded() else { return }
        let (id, url, key) = (Int64(bitPattern: entry.id), hash(entry.key.url), hash(entry.key))
        var isFull = false
        try database.write { () throws(Database.Failure) in
            guard try self.mark(of: url) == mark else { return }
            try database.run("DELETE FROM heads WHERE key = ? AND variant = ?", .data(key), .text(entry.variant))
            try database.run(
                "INSERT INTO heads VALUES (?, ?, ?, ?, ?, ?, ?)", .integer(id), .data(url), .data(key),
                .text(entry.variant), .data(head), .integer(Int64(head.count + body.count)),
                .real(now.timeIntervalSince1970))
            try database.run("INSERT INTO bodies VALUES (?, ?)", .integer(id), .data(body))
            isFull = try usage().bytes > limit
            if isFull { try evict(to: limit / 10 * 9) }
        }
        if isFull { try database.execute("PRAGMA incremental_vacuum") }
    }

    func update(_ entry: CacheEntry) throws(Database.Failure) {
        guard let head = try? entry.encoded() else { return }
        try database.run(
            "UPDATE heads SET head = ?, size = ? WHERE id = ?", .data(head),
            .integer(Int64(head.count + entry.bodyLength)), .integer(Int64(bitPattern: entry.id)))
    }

    func remove(_ url: String, at now: Date) throws(Database.Failure) {
        let hash = hash(url)
        try database.write { () throws(Database.Failure) in
            try database.run("DELETE FROM heads WHERE url = ?", .data(hash))
            try database.run("UPDATE state SET removals = removals + 1")
            try database.run(
                "INSERT OR REPLACE INTO marks SELECT ?, removals, ? FROM state", .data(hash),
                .real(now.timeIntervalSince1970))
            // No request takes a day.
            try database.run("DELETE FROM marks WHERE made < ?", .real(now.timeIntervalSince1970 - 86_400))
        }
    }

    func removeAll() throws(Database.Failure) {
        try database.write { () throws(Database.Failure) in
            try database.run("DELETE FROM heads")
            try database.run("DELETE FROM bodies")
            try database.run("DELETE FROM marks")
            try database.run("UPDATE state SET removals = removals + 1, mark = removals + 1, count = 0, bytes = 0")
        }
        // Removes the bytes from the disk, too. Another process may be reading them: then its own removal does so.
        try? database.execute("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)")
    }

    func usage() throws(Database.Failure) -> CacheUsage {
        try database.rows("SELECT count, bytes FROM state") { (_: CacheUsage.Type, row) in
            CacheUsage(count: Int(row.integer(0)), bytes: Int(row.integer(1)))
        }.first ?? CacheUsage(count: 0, bytes: 0)
    }

    /// Removes the least recently used entries until no more than a number of bytes are left.
    private func evict(to limit: Int) throws(Database.Failure) {
        while try usage().bytes > limit {
            let ids = try database.rows("SELECT id FROM heads ORDER BY used LIMIT 20") { (_: Int64.Type, row) in
                row.integer(0)
            }
            if ids.isEmpty { return }
            for id in ids where try usage().bytes > limit {
                try database.run("DELETE FROM heads WHERE id = ?", .integer(id))
            }
        }
    }

    private func mark(of url: Data) throws(Database.Failure) -> Int {
        let marks = try database.rows(
            "SELECT max(mark, ifnull((SELECT mark FROM marks WHERE url = ?), 0)) FROM state", [.data(url)]
        ) { (_: Int.Type, row) in Int(row.integer(0)) }
        return marks.first ?? 0
    }

    private func hash(_ text: String) -> Data {
        Data(MessageDigest.of(salt + Data(text.utf8), .sha256).bytes)
    }

    private func hash(_ key: CacheKey) -> Data {
        hash(key.url + "\n" + key.credentials)
    }

    private static let saltLength = 32

    private static func randomSalt() -> Data {
        Data((0..<saltLength).map { _ in UInt8.random(in: 0...255) })
    }
}
