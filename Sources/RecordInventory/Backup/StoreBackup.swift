import CSQLite
import Foundation
import RecordKitDigest
import RecordKitSQLite

/// Backups: stores in a file of their own, with a digest of their contents.
///
/// A backup can be used as a store. The first change removes its digest, since it is then no longer what was backed up.
enum StoreBackup {
    /// Copies a store to a file, which it replaces when it is complete. Returns the numbers of its shops.
    ///
    /// - Parameter patience: How long to wait for another process that uses the store.
    static func write(_ store: URL, to path: String, patience: Duration) async throws -> ShopNumbers {
        try await EmbeddedStore.retrying(for: patience) { try write(try StoreFile.open(store), to: path) }
    }

    /// Copies a database to a file, which it replaces when it is complete. The file has no more permissions than the
    /// original and the file that it replaces. Returns the numbers of its shops, read from the file.
    @discardableResult
    static func write(_ database: SQLiteDatabase, to path: String) throws -> ShopNumbers {
        let file = try ReplacementFile(for: path)
        try ensureNoLog(beside: file.target, named: path)
        var status = stat()
        if stat(database.file, &status) == 0 { file.limitPermissions(to: status.st_mode) }
        let numbers: ShopNumbers
        do {
            let copy = try SQLiteDatabase(file: file.temporary)
            // The file is new, and is written to the disk as a whole.
            try copy.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            try database.replace(copy)
            // The copy of a store with a log of changes is set to have one, too.
            try copy.execute("PRAGMA journal_mode = OFF")
            try seal(copy)
            // A damaged index is made again when the backup is read.
            try copy.check(indexes: false)
            numbers = try ShopNumbers.of(ShopCopy(copy))
        } catch let error as SQLiteError {
            // The store is only read, so a failed write is one of the copy.
            let writeError = SQLITE_IOERR | 3 << 8
            guard [SQLITE_FULL, writeError].contains(error.code) else { throw error }
            throw FileError(path: path, action: .written, code: error.code == SQLITE_FULL ? ENOSPC : EIO)
        }
        try file.finish()
        return numbers
    }

    /// Ensures that no log lies beside a file that is replaced. SQLite would add it to the new file.
    private static func ensureNoLog(beside file: String, named path: String) throws {
        let suffixes = ["-wal", "-shm", "-journal"]
        func remains() -> String? { suffixes.first { access(file + $0, F_OK) == 0 } }
        guard remains() != nil else { return }
        // The last connection that closes a database completes it, and removes its log.
        if access(file, F_OK) == 0 { try? SQLiteDatabase(file: file).execute("SELECT * FROM sqlite_schema") }
        guard let suffix = remains() else { return }
        throw FileInUse(path: path, beside: suffix)
    }

    /// Replaces the contents of a store, and creates it if it is missing. Tills that have it open go on with the new
    /// contents.
    ///
    /// - Parameters:
    ///   - earlier: The file that gets the contents from before. Nothing is sold between the two.
    ///   - patience: How long to wait for another process that uses the store.
    static func restore(
        _ copy: ShopCopy, to store: URL, keeping earlier: String?, patience: Duration
    ) async throws {
        try await EmbeddedStore.retrying(for: patience) {
            let target = try StoreFile.open(store)
            let witness = try StoreFile.open(store)
            try copy.database.replace(target) {
                if let earlier { try write(witness, to: earlier) }
            }
        }
    }

    /// Reads a backup, or any store, into a copy, and checks it.
    static func read(_ path: String) throws -> ShopCopy {
        guard let file = Descriptor(opening: path, O_RDONLY | O_NONBLOCK) else {
            throw FileError(path: path, action: .read, code: errno)
        }
        var start: [UInt8] = []
        // A device may have no end, and a pipe no beginning.
        guard file.fileSize != nil, file.read(16, into: &start) != nil, start.starts(with: "SQLite format 3".utf8)
        else { throw DamagedBackup(path: path, reason: "this is no backup") }
        do {
            let copy = try StoreFile.temporary(copying: path)
            guard try isAsSealed(copy) else {
                throw DamagedBackup(path: path, reason: "its contents are not those that were written")
            }
            try unseal(copy)
            return ShopCopy(copy)
        } catch let error as SQLiteError {
            guard case .damaged = EmbeddedStoreError(error) else { throw EmbeddedStoreError(error) }
            throw DamagedBackup(path: path, reason: error.message)
        }
    }
}

// The digest.
extension StoreBackup {
    private static let triggers = ["INSERT", "UPDATE", "DELETE"].map { (name: "backup_\($0.lowercased())", event: $0) }

    /// Adds the digest of the contents.
    private static func seal(_ database: SQLiteDatabase) throws {
        // A store that was a backup has the table already.
        try unseal(database)
        try database.execute("CREATE TABLE backup (digest TEXT)")
        try database.run("INSERT INTO backup VALUES (?)", .text(try digest(of: database)))
        for trigger in triggers {
            try database.execute(
                "CREATE TRIGGER \(trigger.name) AFTER \(trigger.event) ON objects BEGIN DELETE FROM backup; END")
        }
    }

    private static func unseal(_ database: SQLiteDatabase) throws {
        try database.execute("DROP TABLE IF EXISTS backup")
        for trigger in triggers { try database.execute("DROP TRIGGER IF EXISTS \(trigger.name)") }
    }

    /// Whether the contents have their digest. Also returns true without one, as in a store.
    private static func isAsSealed(_ database: SQLiteDatabase) throws -> Bool {
        let table = try database.statement("SELECT 1 FROM sqlite_schema WHERE name = 'backup'").first { _ in true }
        if table == nil { return true }
        let written = try database.statement("SELECT digest FROM backup").first { $0.text(0) }
        return try written.map { try $0 == digest(of: database) } ?? true
    }

    /// Returns the SHA-256 of all objects and the versions of their lists.
    private static func digest(of database: SQLiteDatabase) throws -> String {
        var digest = MessageDigest(.sha256)
        // Many small updates of the digest take half as long again.
        var buffer: [UInt8] = []
        func add(_ row: SQLiteStatement, _ columns: Range<Int32>) {
            for column in columns {
                row.withUTF8(column) { bytes in
                    buffer += "\(bytes.count) ".utf8
                    buffer += bytes
                }
            }
            if buffer.count < 1 << 16 { return }
            buffer.withUnsafeBytes { digest.update($0) }
            buffer.removeAll(keepingCapacity: true)
        }
        // One bit makes a text a blob of the same bytes, which is no JSON.
        let lists = "SELECT number, path, version, typeof(path) FROM lists ORDER BY path"
        let objects = """
            SELECT id, version, deleted, data, typeof(id) || typeof(data) FROM objects WHERE list = ? ORDER BY id
            """
        try database.statement(lists).forEachRow { list in
            add(list, 1..<4)
            try database.statement(objects).forEachRow([.integer(list.integer(0))]) { add($0, 0..<5) }
        }
        buffer.withUnsafeBytes { digest.update($0) }
        return digest.hexadecimal
    }
}

/// A backup that cannot be restored as a whole.
struct DamagedBackup: Error, CustomStringConvertible {
    let path: String
    let reason: String

    var description: String {
        "the backup \(path.printable) is damaged (\(reason)), so nothing was restored: take another one"
    }
}

/// A file that a backup must not replace, since a log of SQLite lies beside it.
struct FileInUse: Error, CustomStringConvertible {
    let path: String
    /// What the name of the log has more.
    let beside: String

    var description: String {
        "\(path.printable) was not replaced: \((path + beside).printable) lies beside it, so another program uses it, "
            + "or an other database left it: close the program, move that file away, or give another name"
    }
}
