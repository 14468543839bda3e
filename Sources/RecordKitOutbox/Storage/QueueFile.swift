import Foundation
import RecordKitSQLite

/// The tables of an outbox, for one caller at a time.
///
/// Triggers keep the heads of the lanes and the totals, so that no statement reads more when the queue grows.
struct QueueFile {
    /// The format of the tables, in `user_version`.
    static let format: Int64 = 2
    /// "rkob", in `application_id`.
    private static let application: Int64 = 0x726B_6F62

    let database: SQLiteDatabase

    /// Opens the tables, or creates them in an empty file.
    ///
    /// - Throws: `OutboxError` for the file of a later version or of another program, which isn't changed.
    init(_ database: SQLiteDatabase) throws {
        self.database = database
        let isNew = try Self.isNew(database)
        // Only has an effect on an empty file.
        if isNew { try database.execute("PRAGMA auto_vacuum = INCREMENTAL") }
        try database.useWriteAheadLog()
        // What `add` has stored survives a power failure. `fullfsync` has an effect on Apple's platforms alone.
        try database.execute(
            """
            PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA secure_delete = ON;
            PRAGMA journal_size_limit = 1048576
            """)
        if isNew { try Self.createTables(in: database) }
        // SQLite doesn't notice that the text of a trigger or an index was damaged.
        if try !Self.schemaRows(of: database).elementsEqual(Self.rows.get(), by: ==) {
            throw SQLiteError.damage("the schema is damaged", file: database.file)
        }
    }

    /// The rows of the schema of an undamaged file.
    private static let rows = Result {
        let database = try SQLiteDatabase(file: ":memory:")
        try database.execute(schema)
        return try schemaRows(of: database)
    }

    /// Returns the type, the name, the table and the text of each row of the schema.
    static func schemaRows(of database: SQLiteDatabase) throws -> [(row: Int64, values: [SQLiteValue])] {
        try database.statement("SELECT rowid, type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid").all { row in
            (row.integer(0), (1...4).map { row.optionalText($0).map { .text($0) } ?? .null })
        }
    }

    /// Creates the tables, if another process hasn't by now.
    static func createTables(in database: SQLiteDatabase) throws {
        try database.transaction(.write) {
            guard try isNew(database) else { return }
            try database.execute(schema)
            try database.execute("PRAGMA application_id = \(application); PRAGMA user_version = \(format)")
        }
    }

    private static func isNew(_ database: SQLiteDatabase) throws -> Bool {
        let found = try database.statement(
            "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id, "
                + "pragma_user_version"
        ).first { (application: $0.integer(0), format: $0.integer(1), tables: $0.integer(2)) }
        guard let found, found.application != 0 || found.tables != 0 else { return true }
        guard found.application == application else {
            throw OutboxError(
                .unusable, "\(database.file) is the database of another program. Use another file for the outbox.")
        }
        guard found.format >= format else {
            throw OutboxError(
                .unusable,
                "The outbox \(database.file) has format \(found.format) of an unreleased version. Use another file.")
        }
        guard found.format == format else {
            throw OutboxError(
                .newerFormat,
                "The outbox \(database.file) was written by a later version of this app. Update the app to send it.")
        }
        return false
    }

    /// Any change needs another ``format``: a file with another schema counts as damaged.
    static let schema = """
        CREATE TABLE entries (
            id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, kind TEXT NOT NULL, lane TEXT NOT NULL,
            account TEXT NOT NULL, added REAL NOT NULL, expiry REAL, folder TEXT NOT NULL, size INTEGER NOT NULL,
            head INTEGER NOT NULL DEFAULT 0, -- whether it is the first of its lane that isn't set aside
            unhandled INTEGER NOT NULL DEFAULT 0, -- whether it has its result
            aside INTEGER NOT NULL DEFAULT 0, -- 1 if it is set aside, 2 until the next start
            attempts INTEGER NOT NULL DEFAULT 0, reached INTEGER NOT NULL DEFAULT 0,
            failures INTEGER NOT NULL DEFAULT 0, -- in a row, or the calls of the handler
            silent INTEGER NOT NULL DEFAULT 0, counted INTEGER NOT NULL DEFAULT 0, -- see FailureCounts
            conflicts INTEGER NOT NULL DEFAULT 0, -- responses with 409 in a row
            seen INTEGER, -- the number of the latest response at its last failure
            note TEXT, request BLOB NOT NULL,
            content BLOB -- the result if it has one, or else the body
        );
        CREATE TABLE totals (
            account TEXT NOT NULL, kind TEXT NOT NULL, waiting INTEGER NOT NULL, aside INTEGER NOT NULL,
            bytes INTEGER NOT NULL, PRIMARY KEY (account, kind)) WITHOUT ROWID;
        CREATE TABLE responses (kind TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
        CREATE UNIQUE INDEX keys ON entries (account, key);
        CREATE INDEX lanes ON entries (account, lane, id) WHERE aside = 0;
        CREATE INDEX heads ON entries (account, unhandled, attempts, id) WHERE head = 1;
        CREATE INDEX results ON entries (account, id) WHERE unhandled = 1 AND aside = 0;
        CREATE INDEX expiries ON entries (account, expiry) WHERE unhandled = 0 AND aside = 0 AND expiry IS NOT NULL;
        CREATE INDEX asides ON entries (id) WHERE aside > 0;
        CREATE TRIGGER added AFTER INSERT ON entries BEGIN
            UPDATE entries SET head = 1 WHERE id = new.id AND aside = 0 AND NOT EXISTS (
                SELECT 1 FROM entries WHERE account = new.account AND lane = new.lane AND aside = 0 AND id != new.id);
            INSERT OR IGNORE INTO totals VALUES (new.account, new.kind, 0, 0, 0);
            UPDATE totals SET waiting = waiting + (new.aside = 0), aside = aside + (new.aside > 0),
                bytes = bytes + new.size WHERE account = new.account AND kind = new.kind;
        END;
        CREATE TRIGGER changed AFTER UPDATE OF aside ON entries WHEN (new.aside = 0) != (old.aside = 0) BEGIN
            UPDATE entries SET head = (new.aside = 0 AND NOT EXISTS (
                SELECT 1 FROM entries WHERE account = new.account AND lane = new.lane AND aside = 0 AND id != new.id))
                WHERE id = new.id;
            UPDATE entries SET head = 1 WHERE old.head = 1 AND id = (
                SELECT id FROM entries WHERE account = new.account AND lane = new.lane AND aside = 0
                ORDER BY id LIMIT 1);
            UPDATE totals SET waiting = waiting + (new.aside = 0) - (old.aside = 0),
                aside = aside + (new.aside > 0) - (old.aside > 0) WHERE account = new.account AND kind = new.kind;
        END;
        CREATE TRIGGER removed AFTER DELETE ON entries BEGIN
            UPDATE entries SET head = 1 WHERE old.head = 1 AND id = (
                SELECT id FROM entries WHERE account = old.account AND lane = old.lane AND aside = 0
                ORDER BY id LIMIT 1);
            UPDATE totals SET waiting = waiting - (old.aside = 0), aside = aside - (old.aside > 0),
                bytes = bytes - old.size WHERE account = old.account AND kind = old.kind;
            DELETE FROM totals WHERE account = old.account AND kind = old.kind AND waiting = 0 AND aside = 0;
        END;
        """
}

// Adding, reading and removing.
extension QueueFile {
    /// Adds an entry with its request, or returns the earlier one with the same key and account.
    func add(_ row: EntryRow, limits: OutboxLimits) throws -> EntryRow {
        try database.transaction(.write) {
            if let earlier = try self.row(withKey: row.key, of: row.account) { return earlier }
            let total =
                try database.statement("SELECT total(waiting + aside), total(bytes) FROM totals")
                .first { (count: Int($0.real(0)), bytes: Int($0.real(1))) } ?? (count: 0, bytes: 0)
            guard total.count < limits.count, total.bytes + row.size <= limits.bytes else {
                throw OutboxError(
                    .full,
                    "The outbox has \(total.count) entries of \(total.bytes) bytes, and its limits are "
                        + "\(limits.count) and \(limits.bytes). Wait until some are sent, or remove some.")
            }
            try insert(row)
            var added = row
            added.id = database.lastRow
            return added
        }
    }

    func insert(_ row: EntryRow) throws {
        let values = row.newValues
        try database.statement("INSERT INTO entries (\(EntryRow.newColumns)) VALUES (\(Self.marks(values.count)))")
            .run(values)
    }

    func row(_ id: Int64) throws -> EntryRow? { try rows("id = ?", [.integer(id)]).first }

    func row(withKey key: String, of account: String) throws -> EntryRow? {
        try rows("account = ? AND key = ?", [.text(account), .text(key)]).first
    }

    func rows(after id: Int64, limit: Int) throws -> [EntryRow] {
        try rows("id > ? ORDER BY id LIMIT ?", [.integer(id), .integer(Int64(limit))])
    }

    func rows(ofKinds kinds: [String], _ accounts: Set<String>) throws -> [EntryRow] {
        try rows(
            "kind IN (\(Self.marks(kinds.count))) AND account IN (\(Self.marks(accounts.count))) ORDER BY id",
            (kinds + accounts).map { .text($0) })
    }

    private func rows(_ condition: String, _ values: [SQLiteValue]) throws -> [EntryRow] {
        try database.statement("SELECT \(EntryRow.columns) FROM entries WHERE \(condition)")
            .all(values) { EntryRow($0) }
    }

    private static func marks(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }

    /// Returns the stored bytes of the result of an entry, or else of its body. `nil` if they are in a file.
    func content(of id: Int64) throws -> Data? {
        try database.statement("SELECT content FROM entries WHERE id = ? AND content IS NOT NULL")
            .first([.integer(id)]) { $0.data(0) }
    }

    /// Returns the numbers of entries. Those of a kind that isn't known are counted as set aside.
    func counts(of accounts: Set<String>, known: Set<String>) throws -> OutboxStatus {
        var (waiting, aside) = (0, 0)
        for account in accounts {
            try database.statement("SELECT kind, waiting, aside FROM totals WHERE account = ?")
                .forEachRow([.text(account)]) {
                    let count = Int($0.integer(1))
                    if known.contains($0.text(0)) { waiting += count } else { aside += count }
                    aside += Int($0.integer(2))
                }
        }
        var status = OutboxStatus()
        (status.waiting, status.setAside) = (waiting, aside)
        return status
    }

    /// Removes an entry. Returns the name of its folder if it was there.
    func remove(_ id: Int64) throws -> String? {
        try database.statement("DELETE FROM entries WHERE id = ? RETURNING folder")
            .all([.integer(id)]) { $0.text(0) }.first
    }

    /// Removes the entries of an account, or all. Returns the names of their folders.
    func removeAll(of account: String?) throws -> [String] {
        try database.statement("DELETE FROM entries WHERE ?1 IS NULL OR account = ?1 RETURNING folder")
            .all([account.map { .text($0) } ?? .null]) { $0.text(0) }
    }

    /// Gives the space of removed entries back to the file system, and removes their bytes from the log.
    func shrink() throws {
        try database.execute("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
