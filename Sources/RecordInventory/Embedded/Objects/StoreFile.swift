import Foundation

/// The file that holds a store: making it, recognising it, opening it.
enum StoreFile {
    /// Tells a store from the database of another program: `RcIv`.
    static let applicationID: Int64 = 0x5263_4976
    static let schemaVersion: Int64 = 1

    /// Opens the file for one caller at a time; makes it, and its folder (for its owner alone), where they are missing.
    ///
    /// Many processes may do this at once on a new file: some then meet `SQLITE_BUSY`, and try again.
    static func open(_ file: URL) throws -> SQLiteDatabase {
        let path = file.path(percentEncoded: false)
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

    /// A store of nothing, in memory.
    static func empty() throws -> SQLiteDatabase {
        try prepared(SQLiteDatabase(file: ":memory:"))
    }

    private static func prepared(_ database: SQLiteDatabase) throws -> SQLiteDatabase {
        // Asked before anything is written: a foreign database must stay as it is.
        let isKnown = try database.transaction(.read) { try recognise(database) }
        // Readers and a writer then do not wait for each other.
        try database.execute("PRAGMA journal_mode = WAL")
        // A commit that has returned survives a power cut.
        try database.execute("PRAGMA synchronous = FULL")
        // macOS otherwise leaves it in the cache of the disk.
        try database.execute("PRAGMA fullfsync = ON")
        if !isKnown {
            try database.transaction(.write) {
                // Another process may have been faster.
                guard try !recognise(database) else { return }
                try database.execute(schema)
            }
        }
        return database
    }

    /// Whether the schema is there; false for a new file. Asked in one transaction: another process may be making it.
    private static func recognise(_ database: SQLiteDatabase) throws -> Bool {
        let application = try pragma("application_id", of: database)
        let version = try pragma("user_version", of: database)
        if application == applicationID {
            guard version <= schemaVersion else {
                throw EmbeddedStoreError.newer(file: database.file, version: version, supported: schemaVersion)
            }
            return true
        }
        let tables = try database.statement("SELECT count(*) FROM sqlite_schema").first { $0.integer(0) } ?? 0
        guard application == 0, version == 0, tables == 0 else {
            throw EmbeddedStoreError.notAStore(file: database.file)
        }
        return false
    }

    private static func pragma(_ name: String, of database: SQLiteDatabase) throws -> Int64 {
        try database.statement("PRAGMA \(name)").first { $0.integer(0) } ?? 0
    }

    /// A list is what one plural path holds, its `version` the `last_modified` of its latest change; it only grows, and
    /// stays when what held the list is deleted. An object's `data` is its JSON without `id` and `last_modified`.
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
        PRAGMA user_version = \(schemaVersion);
        """
}
