import Foundation
import RecordKit
import RecordKitCache
import RecordKitDigest
import RecordKitSQLite

/// The tables of a store, for one caller at a time.
///
/// Heads and bodies are in separate tables, so that a 304 writes the head alone. A trigger keeps the totals.
struct CacheFile {
    /// The number of the format. It is part of the file's name, so that two versions of the library don't share a file.
    static let format = 2

    private let database: SQLiteDatabase
    /// A random value that hashes depend on, so that they can't be compared with those of another file.
    private let salt: Data

    init(_ database: SQLiteDatabase) throws {
        self.database = database
        // Only has an effect on an empty file.
        try database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        try database.useWriteAheadLog()
        // The bytes of removed rows are overwritten, wherever that costs no further write.
        try database.execute(
            "PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 4194304; PRAGMA secure_delete = FAST")
        try database.transaction(.write) {
            try database.execute(Self.schema)
            try database.run("INSERT OR IGNORE INTO state VALUES (1, ?, 0, 0, 0, 0)", .data(Self.randomSalt()))
            // Totals and sizes have no checksum. Wrong ones would disable the limit. Reads the index alone.
            try database.run("DELETE FROM heads WHERE size <= 0")
            try database.run("UPDATE state SET (count, bytes) = (SELECT count(*), ifnull(sum(size), 0) FROM heads)")
        }
        let salt = try database.statement("SELECT salt FROM state").first { $0.data(0) }
        guard let salt, salt.count == Self.saltLength else {
            throw SQLiteError(code: 11, message: "the salt is missing", file: database.file)
        }
        self.salt = salt
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
        CREATE INDEX IF NOT EXISTS headsByUse ON heads (used, size);
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

    func lookUp(_ key: CacheKey) throws -> CacheLookup {
        // The mark is read first: a removal in between leaves no entry, and the older mark prevents storing.
        let mark = try mark(of: hash(key.url.text))
        let keyHash = hash(key)
        let rows = try database.statement("SELECT id, head, digest, checksum FROM heads WHERE key = ?")
            .all([.data(keyHash)]) { (id: $0.integer(0), head: $0.data(1), digest: $0.data(2), checksum: $0.data(3)) }
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
        return CacheLookup(entries: entries, mark: RemovalMark(mark))
    }

    /// Returns a body, and writes the time of its use at most once a minute. Removes the entry if its file was damaged.
    func body(of entry: CacheEntry, at now: Date) throws -> Data? {
        let id = Int64(bitPattern: entry.id)
        let found = try database.statement(
            "SELECT body, head, digest, checksum, used FROM bodies JOIN heads USING (id) WHERE id = ?"
        ).first([.integer(id)]) {
            (body: $0.data(0), head: $0.data(1), digest: $0.data(2), checksum: $0.data(3), used: $0.real(4))
        }
        guard let found else { return nil }
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
        _ entry: CacheEntry, _ body: Data, since mark: RemovalMark, limit: Int, at now: Date
    ) throws {
        guard let head = try? entry.encoded() else { return }
        let (id, url, key) = (Int64(bitPattern: entry.id), hash(entry.key.url.text), hash(entry.key))
        let (variant, digest) = (hash(entry.variant.text), Self.digest(of: body))
        let checksum = checksum(id, key, head, digest)
        let isFull = try database.transaction(.write) {
            guard try self.mark(of: url) == mark.count else { return false }
            try database.run("DELETE FROM heads WHERE key = ? AND variant = ?", .data(key), .data(variant))
            try database.run(
                "DELETE FROM heads WHERE id IN (SELECT id FROM heads WHERE key = ? ORDER "
                    + "BY used DESC LIMIT -1 OFFSET ?)",
                .data(key), .integer(Int64(CacheEntry.variantLimit - 1)))
            try database.run(
                "INSERT INTO heads VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", .integer(id), .data(url), .data(key),
                .data(variant), .data(head), .data(digest), .data(checksum),
                .integer(Int64(head.count + body.count)), .real(now.timeIntervalSince1970))
            try database.run("INSERT INTO bodies VALUES (?, ?)", .integer(id), .data(body))
            guard try usage().bytes > limit else { return false }
            try evict(to: limit / 10 * 9)
            return true
        }
        if isFull { try database.execute("PRAGMA incremental_vacuum") }
    }

    func update(_ entry: CacheEntry) throws {
        guard let head = try? entry.encoded() else { return }
        let (id, key, variant) = (Int64(bitPattern: entry.id), hash(entry.key), hash(entry.variant.text))
        try database.transaction(.write) {
            let digest = try database.statement("SELECT digest FROM heads WHERE id = ?")
                .first([.integer(id)]) { $0.data(0) }
            guard let digest else { return }
            // A new `Vary` may make it the variant of another one.
            try database.run(
                "DELETE FROM heads WHERE key = ? AND variant = ? AND id != ?", .data(key), .data(variant), .integer(id))
            try database.run(
                "UPDATE heads SET head = ?, variant = ?, checksum = ?, size = ? WHERE id = ?", .data(head),
                .data(variant), .data(checksum(id, key, head, digest)),
                .integer(Int64(head.count + entry.bodyLength)), .integer(id))
        }
    }

    private func remove(_ id: Int64) throws {
        try database.run("DELETE FROM heads WHERE id = ?", .integer(id))
    }

    func remove(_ url: NormalizedURL, at now: Date) throws {
        let hash = hash(url.text)
        let isStored = try database.transaction(.write) {
            let isStored = try database.statement("SELECT 1 FROM heads WHERE url = ?").first([.data(hash)]) { _ in true
            }
            try database.run("DELETE FROM heads WHERE url = ?", .data(hash))
            try database.run("UPDATE state SET removals = removals + 1")
            try database.run(
                "INSERT OR REPLACE INTO marks SELECT ?, removals, ? FROM state", .data(hash),
                .real(now.timeIntervalSince1970))
            // No request takes a day.
            try database.run("DELETE FROM marks WHERE made < ?", .real(now.timeIntervalSince1970 - 86_400))
            return isStored == true
        }
        if isStored { removeFreeBytes() }
    }

    func removeAll() throws {
        try database.transaction(.write) {
            try database.run("DELETE FROM heads")
            try database.run("DELETE FROM bodies")
            try database.run("DELETE FROM marks")
            try database.run("UPDATE state SET removals = removals + 1, mark = removals + 1, count = 0, bytes = 0")
        }
        removeFreeBytes()
    }

    /// Removes the bytes of removed entries from the file and its log. Another process may be reading them: then its
    /// own removal does so.
    private func removeFreeBytes() {
        try? database.execute("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)")
    }

    func usage() throws -> CacheUsage {
        try database.statement("SELECT count, bytes FROM state").first {
            CacheUsage(count: Int($0.integer(0)), bytes: Int($0.integer(1)))
        } ?? CacheUsage(count: 0, bytes: 0)
    }

    /// Removes the least recently used entries until no more than a number of bytes are left.
    private func evict(to limit: Int) throws {
        while try usage().bytes > limit {
            let oldest = try database.statement("SELECT id FROM heads ORDER BY used LIMIT 1").first { $0.integer(0) }
            guard let oldest else {
                // The totals of a damaged file were wrong.
                return try database.run("UPDATE state SET count = 0, bytes = 0")
            }
            try remove(oldest)
        }
    }

    private func mark(of url: Data) throws -> Int {
        try database.statement("SELECT max(mark, ifnull((SELECT mark FROM marks WHERE url = ?), 0)) FROM state")
            .first([.data(url)]) { Int($0.integer(0)) } ?? 0
    }

    private func hash(_ text: String) -> Data {
        Data(MessageDigest.of(salt + Data(text.utf8), .sha256).bytes)
    }

    private func hash(_ key: CacheKey) -> Data {
        hash(key.url.text + "\n" + key.credentials)
    }

    /// Returns the checksum of an entry: of its identifier, its key, its head and the digest of its body. SQLite
    /// doesn't notice that a row or a page was damaged or belongs to another one.
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
