import Foundation
import RecordKitSQLite

/// Opens, creates and recognizes the file of a store.
enum StoreFile {
    /// Distinguishes a store from the database of another program: `RcIv`.
    static let applicationID: Int64 = 0x5263_4976

    /// Whether there is a file, or anything else that is not known to be missing.
    static func exists(_ file: URL) -> Bool {
        access(file.path(percentEncoded: false), F_OK) == 0 || errno != ENOENT
    }

    /// Opens the file for one caller at a time. Creates it if it is missing, with a folder for its owner alone.
    ///
    /// Several processes may do this at once. Some then get `SQLITE_BUSY`, and try again.
    static func open(_ file: URL) throws -> SQLiteDatabase {
        let path = file.path(percentEncoded: false)
        if isReadOnly(path) { return try immutable(path) }
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            let cause = (error as? CocoaError)?.underlying as? POSIXError
            let reason = cause.map { String(cString: strerror($0.code.rawValue)) } ?? error.localizedDescription
            throw EmbeddedStoreError.cannotOpen(file: path, reason: "its folder cannot be made: \(reason)")
        }
        return try prepared(SQLiteDatabase(file: path))
    }

    /// Opens a file on a read-only medium.
    static func immutable(_ path: String) throws -> SQLiteDatabase {
        let database = try SQLiteDatabase(file: path, isImmutable: true)
        // A change then fails because of the medium, not because of a missing function.
        try SearchIndex.addFunction(to: database)
        guard try database.transaction(.read, { try recognize(database) }) != nil else {
            throw EmbeddedStoreError.notAStore(file: path)
        }
        return database
    }

    /// Returns whether neither the file nor its folder can be written, and SQLite's log beside it has no changes.
    private static func isReadOnly(_ path: String) -> Bool {
        func isClosed(_ path: String) -> Bool {
            access(path, W_OK) != 0 && [EROFS, EACCES, EPERM].contains(errno)
        }
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        var log = stat()
        let hasLog = stat(path + "-wal", &log) == 0 && log.st_size > 0
        return access(path, R_OK) == 0 && isClosed(path) && isClosed(folder) && !hasLog
    }

    /// Creates an empty store in memory.
    static func empty() throws -> SQLiteDatabase {
        try prepared(SQLiteDatabase(file: ":memory:"))
    }

    /// Makes an empty store on the disk that disappears with its connection.
    static func temporary() throws -> SQLiteDatabase {
        // SQLite chooses the place of a file without a name.
        try prepared(SQLiteDatabase(file: ""))
    }

    /// Makes such a store with the contents of a file, brought up to date. The file stays as it is. Makes indexes again
    /// that differ from their tables.
    ///
    /// - Throws: `SQLITE_CORRUPT` if a page is damaged, ``EmbeddedStoreError`` if it is no store or from a later
    ///   version.
    static func temporary(copying path: String) throws -> SQLiteDatabase {
        let source = try SQLiteDatabase(file: path)
        guard try source.transaction(.read, { try recognize(source) }) != nil else {
            throw EmbeddedStoreError.notAStore(file: path)
        }
        let copy = try SQLiteDatabase(file: "")
        try source.replace(copy)
        do {
            try copy.check()
        } catch {
            guard (try? copy.execute("REINDEX")) != nil else { throw error }
            try copy.check()
        }
        return try prepared(copy)
    }

    /// Moves the log of changes into the file, and empties it, unless another process reads it at this moment.
    static func emptyLog(of file: URL) throws { try open(file).execute("PRAGMA wal_checkpoint(TRUNCATE)") }

    private static func prepared(_ database: SQLiteDatabase) throws -> SQLiteDatabase {
        try SearchIndex.addFunction(to: database)
        // Checked before any write: the database of another program must stay unchanged.
        let known = try database.transaction(.read) { try recognize(database) }
        // Lets readers and a writer work at the same time.
        try database.execute("PRAGMA journal_mode = WAL")
        // A completed commit survives a loss of power.
        try database.execute("PRAGMA synchronous = FULL")
        // Without this, macOS leaves a commit in the cache of the disk.
        try database.execute("PRAGMA fullfsync = ON")
        // Overwrites what is removed, such as a forgotten name. Only some builds of SQLite do so by default.
        try database.execute("PRAGMA secure_delete = ON")
        if known == nil {
            try database.transaction(.write) {
                // Another process may have created the schema meanwhile.
                if try recognize(database) == nil { try database.execute(schema) }
            }
        }
        let index = SearchIndex(database: database)
        if try index.exists() != SearchIndex.isAvailable { try database.transaction(.write) { try index.adapt() } }
        return database
    }

    /// Returns the format of the schema, or `nil` for a new file. Reads in one transaction, since another process may
    /// be creating it.
    private static func recognize(_ database: SQLiteDatabase) throws -> Int64? {
        let application = try pragma("application_id", of: database)
        let version = try pragma("user_version", of: database)
        if application == applicationID {
            guard version == Ledger.format else {
                throw EmbeddedStoreError.otherFormat(file: database.file, version: version)
            }
            return version
        }
        let tables = try database.statement("SELECT count(*) FROM sqlite_schema").first { $0.integer(0) } ?? 0
        guard application == 0, version == 0, tables == 0 else {
            throw EmbeddedStoreError.notAStore(file: database.file)
        }
        return nil
    }

    private static func pragma(_ name: String, of database: SQLiteDatabase) throws -> Int64 {
        try database.statement("PRAGMA \(name)").first { $0.integer(0) } ?? 0
    }

    /// The tables of a store. ``SearchIndex`` creates its own, since not every system has FTS5.
    ///
    /// The `version` of a list is the `last_modified` of its latest change. It only grows, and remains when the object
    /// that holds the list is deleted. The `data` of an object is its JSON without `id` and `last_modified`.
    private static let schema = """
        CREATE TABLE lists (
            number INTEGER PRIMARY KEY,
            path TEXT NOT NULL UNIQUE,
            version INTEGER NOT NULL
        );
        CREATE TABLE objects (
            list INTEGER NOT NULL REFERENCES lists (number),
            id TEXT NOT NULL,
            version INTEGER NOT NULL,
            deleted INTEGER NOT NULL,
            data TEXT NOT NULL,
            UNIQUE (list, id),
            UNIQUE (list, version)
        );
        INSERT INTO lists (path, version) VALUES ('/buckets', strftime('%s', 'now') * 1000);
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(Ledger.format);
        """ + indexes

    private static var indexes: String {
        let fields = SQLBuilder.indexes.map { ($1, SQLBuilder.indexed($0)) }
        return (fields + SQLBuilder.times.map { ($1, SQLBuilder.time(ofOpenings: $0)) })
            .map { "CREATE INDEX \($0) ON objects (list, \($1)) WHERE \($1) IS NOT NULL;" }.joined(separator: "\n")
    }
}
