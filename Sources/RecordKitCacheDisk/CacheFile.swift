import Foundation
import RecordKit
import RecordKitCache
import RecordKitDigest

/// The tables of a store, for one caller at a time.
///
/// Heads and bodies are in separate tables, so that a 304 writes the head alone. A trigger keeps the totals.
struct CacheFile {
    /// The number of the format. It is part of the file's name, so that two versions of the library don't share a file.
    static let format = 2

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
            id INTEGER PRIMARY KEY, url BLOB NOT NULL, key BLOB NOT NULL, variant BLOB NOT NULL, head BLOB NOT NULL,
            digest BLOB NOT NULL, checksum BLOB NOT NULL, size INTEGER NOT NULL, used REAL NOT NULL);
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
        let keyHash = hash(key)
        let rows = try database.rows("SELECT id, head, digest, checksum FROM heads WHERE key = ?", [.data(keyHash)]) {
            (_: (id: Int64, head: Data, digest: Data, checksum: Data).Type, row) in
            (row.integer(0), row.data(1), row.data(2), row.data(3))
        }
        var entries: [CacheEntry] = []
        for row in rows {
            if checksum(row.id, keyHash, row.head, row.digest) == row.checksum,
                let entry = try? CacheEntry(row.head, id: UInt64(bitPattern: row.id), key: key)
            {
                entries.append(entry)
            } else {
                try remove(row.id)
            }
        }
        return CacheLookup(entries: entries, mark: mark)
    }

    /// Returns a body, and writes the time of its use at most once a minute. Removes the entry if its file was damaged.
    func body(of entry: CacheEntry, at now: Date) throws(Database.Failure) -> Data? {
        let id = Int64(bitPattern: entry.id)
        let found = try database.rows(
            "SELECT body, head, digest, checksum, used FROM bodies JOIN heads USING (id) WHERE id = ?",
            [.integer(id)]
        ) { (_: (body: Data, head: Data, digest: Data, checksum: Data, used: Double).Type, row) in
            (row.data(0), row.data(1), row.data(2), row.data(3), row.real(4))
        }
        guard let found = found.first else { return nil }
        guard checksum(id, hash(entry.key), found.head, found.digest) == found.checksum,
            Self.digest(of: found.body) == found.digest
        else {
            try remove(id)
            return nil
        }
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
        let (variant, digest) = (hash(entry.variant), Self.digest(of: body))
        let checksum = checksum(id, key, head, digest)
        var isFull = false
        try database.write { () throws(Database.Failure) in
            guard try self.mark(of: url) == mark else { return }
            try database.run("DELETE FROM heads WHERE key = ? AND variant = ?", .data(key), .data(variant))
            try database.run(
                "DELETE FROM heads WHERE id IN (SELECT id FROM heads WHERE key = ? ORDER BY used DESC LIMIT -1 OFFSET ?)",
                .data(key), .integer(Int64(CacheEntry.variantLimit - 1)))
            try database.run(
                "INSERT INTO heads VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", .integer(id), .data(url), .data(key),
                .data(variant), .data(head), .data(digest), .data(checksum),
                .integer(Int64(head.count + body.count)), .real(now.timeIntervalSince1970))
            try database.run("INSERT INTO bodies VALUES (?, ?)", .integer(id), .data(body))
            isFull = try usage().bytes > limit
            if isFull { try evict(to: limit / 10 * 9) }
        }
        if isFull { try database.execute("PRAGMA incremental_vacuum") }
    }

    func update(_ entry: CacheEntry) throws(Database.Failure) {
        guard let head = try? entry.encoded() else { return }
        let (id, key, variant) = (Int64(bitPattern: entry.id), hash(entry.key), hash(entry.variant))
        try database.write { () throws(Database.Failure) in
            let digests = try database.rows("SELECT digest FROM heads WHERE id = ?", [.integer(id)]) {
                (_: Data.Type, row) in row.data(0)
            }
            guard let digest = digests.first else { return }
            // A new `Vary` may make it the variant of another one.
            try database.run(
                "DELETE FROM heads WHERE key = ? AND variant = ? AND id != ?", .data(key), .data(variant), .integer(id))
            try database.run(
                "UPDATE heads SET head = ?, variant = ?, checksum = ?, size = ? WHERE id = ?", .data(head),
                .data(variant), .data(checksum(id, key, head, digest)),
                .integer(Int64(head.count + entry.bodyLength)), .integer(id))
        }
    }

    private func remove(_ id: Int64) throws(Database.Failure) {
        try database.run("DELETE FROM heads WHERE id = ?", .integer(id))
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
            if ids.isEmpty {
                // The totals of a damaged file were wrong.
                return try database.run("UPDATE state SET count = 0, bytes = 0")
            }
            for id in ids where try usage().bytes > limit { try remove(id) }
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

    /// Returns the checksum of an entry: of its identifier, its key, its head and the digest of its body. SQLite doesn't
    /// notice that a row or a page was damaged or belongs to another one.
    private func checksum(_ id: Int64, _ key: Data, _ head: Data, _ digest: Data) -> Data {
        Self.digest(of: withUnsafeBytes(of: id.littleEndian) { Data($0) } + key + digest + head)
    }

    private static func digest(of data: Data) -> Data {
        Data(MessageDigest.of(data, .sha256).bytes)
    }

    private static let saltLength = 32

    private static func randomSalt() -> Data {
        Data((0..<saltLength).map { _ in UInt8.random(in: 0...255) })
    }
}
