import Foundation
import RecordKitSQLite

/// The tables of an outbox, for one caller at a time.
///
/// Triggers keep the heads of the lanes and the totals, so that no statement reads more when the queue grows.
struct QueueFile {
    /// The format of the tables, in `user_version`.
    static let format: Int64 = 1
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
    }

    /// Uses the tables of a temporary database.
    init(temporary database: SQLiteDatabase) {
        self.database = database
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
        guard found.format <= format else {
            throw OutboxError(
                .newerFormat,
                "The outbox \(database.file) was written by a later version of this app. Update the app to send it.")
        }
        return false
    }

    private static let schema = """
        CREATE TABLE entries (
            id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, kind TEXT NOT NULL, lane TEXT NOT NULL,
            account TEXT NOT NULL, added REAL NOT NULL, expiry REAL, folder TEXT, size INTEGER NOT NULL,
            state INTEGER NOT NULL, attempts INTEGER NOT NULL, errors INTEGER NOT NULL, handled INTEGER NOT NULL,
            reached INTEGER NOT NULL, unreadable INTEGER NOT NULL, note TEXT, request BLOB NOT NULL,
            head INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE bodies (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
        CREATE TABLE answers (id INTEGER PRIMARY KEY, answer BLOB NOT NULL);
        CREATE TABLE totals (
            account TEXT PRIMARY KEY, waiting INTEGER NOT NULL, aside INTEGER NOT NULL, bytes INTEGER NOT NULL)
            WITHOUT ROWID;
        CREATE UNIQUE INDEX keys ON entries (account, key);
        CREATE INDEX lanes ON entries (account, lane, id) WHERE state < 2;
        CREATE INDEX heads ON entries (account, id) WHERE head = 1 AND state = 0;
        CREATE INDEX answered ON entries (account, id) WHERE state = 1;
        CREATE INDEX aside ON entries (id) WHERE state = 2;
        CREATE INDEX expiries ON entries (account, expiry) WHERE state = 0 AND expiry IS NOT NULL;
        CREATE TRIGGER added AFTER INSERT ON entries BEGIN
            UPDATE entries SET head = 1 WHERE id = new.id AND state < 2 AND NOT EXISTS (
                SELECT 1 FROM entries WHERE account = new.account AND lane = new.lane AND state < 2 AND id != new.id);
            INSERT OR IGNORE INTO totals VALUES (new.account, 0, 0, 0);
            UPDATE totals SET waiting = waiting + (new.state < 2), aside = aside + (new.state = 2),
                bytes = bytes + new.size WHERE account = new.account;
        END;
        CREATE TRIGGER changed AFTER UPDATE OF state ON entries WHEN (new.state < 2) != (old.state < 2) BEGIN
            UPDATE entries SET head = (new.state < 2 AND NOT EXISTS (
                SELECT 1 FROM entries WHERE account = new.account AND lane = new.lane AND state < 2 AND id != new.id))
                WHERE id = new.id;
            UPDATE entries SET head = 1 WHERE old.head = 1 AND id = (
                SELECT id FROM entries WHERE account = new.account AND lane = new.lane AND state < 2
                ORDER BY id LIMIT 1);
            UPDATE totals SET waiting = waiting + (new.state < 2) - (old.state < 2),
                aside = aside + (new.state = 2) - (old.state = 2) WHERE account = new.account;
        END;
        CREATE TRIGGER removed AFTER DELETE ON entries BEGIN
            DELETE FROM bodies WHERE id = old.id;
            DELETE FROM answers WHERE id = old.id;
            UPDATE entries SET head = 1 WHERE old.head = 1 AND id = (
                SELECT id FROM entries WHERE account = old.account AND lane = old.lane AND state < 2
                ORDER BY id LIMIT 1);
            UPDATE totals SET waiting = waiting - (old.state < 2), aside = aside - (old.state = 2),
                bytes = bytes - old.size WHERE account = old.account;
            DELETE FROM totals WHERE account = old.account AND waiting = 0 AND aside = 0;
        END;
        """
}

// Adding and reading.
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
        let marks = Array(repeating: "?", count: row.values.count).joined(separator: ", ")
        try database.statement("INSERT INTO entries (\(EntryRow.columns)) VALUES (\(marks))").run(row.values)
    }

    func row(withKey key: String, of account: StoredAccount) throws -> EntryRow? {
        try database.statement("SELECT \(EntryRow.columns) FROM entries WHERE account = ? AND key = ?")
            .first([.text(account.text), .text(key)]) { EntryRow($0) }
    }

    func row(_ id: Int64) throws -> EntryRow? {
        try database.statement("SELECT \(EntryRow.columns) FROM entries WHERE id = ?")
            .first([.integer(id)]) { EntryRow($0) }
    }

    func rows(after id: Int64, limit: Int) throws -> [EntryRow] {
        try database.statement("SELECT \(EntryRow.columns) FROM entries WHERE id > ? ORDER BY id LIMIT ?")
            .all([.integer(id), .integer(Int64(limit))]) { EntryRow($0) }
    }

    /// Returns the entries of a kind.
    func rows(ofKinds kinds: [String], _ accounts: Set<StoredAccount>) throws -> [EntryRow] {
        let names = kinds + accounts.map(\.text)
        let marks = (kinds.map { _ in "?" }.joined(separator: ", "), accounts.map { _ in "?" }.joined(separator: ", "))
        return try database.statement(
            "SELECT \(EntryRow.columns) FROM entries WHERE kind IN (\(marks.0)) AND account IN (\(marks.1)) ORDER BY id"
        ).all(names.map { .text($0) }) { EntryRow($0) }
    }

    /// Returns the stored bytes of a body or an answer, or `nil` if there are none or they are damaged.
    func part(_ part: Sealed.Part, of row: EntryRow) throws -> Data? {
        let sql = part == .body ? "SELECT body FROM bodies WHERE id = ?" : "SELECT answer FROM answers WHERE id = ?"
        return try database.statement(sql).first([.integer(row.id)]) { $0.data(0) }
            .flatMap { Sealed.open($0, part, of: row.identity) }
    }

    /// The names of all folders of entries.
    func folders() throws -> Set<String> {
        Set(try database.statement("SELECT folder FROM entries WHERE folder IS NOT NULL").all { $0.text(0) })
    }

    func counts(of accounts: Set<StoredAccount>) throws -> OutboxStatus {
        try accounts.reduce(into: OutboxStatus()) { status, account in
            try database.statement("SELECT waiting, aside FROM totals WHERE account = ?")
                .forEachRow([.text(account.text)]) {
                    status.waiting += Int($0.integer(0))
                    status.setAside += Int($0.integer(1))
                }
        }
    }
}

/// What is to be done next.
struct QueuePlan: Sendable {
    /// Entries that have their result, or whose expiry has passed.
    var results: [Int64] = []
    /// The heads of lanes to send.
    var heads: [Int64] = []
    /// The next expiry.
    var expiry: Date?
}

// Sending.
extension QueueFile {
    /// Returns what to do next.
    ///
    /// - Parameters:
    ///   - accounts: The accounts whose entries are sent.
    ///   - cursor: The head that was sent last. Those after it come first, so that one that fails holds up no other.
    ///   - now: The date for expiries.
    ///   - limit: The maximum number of heads and of results.
    ///   - isBusy: Whether an entry is being sent, or waits after a failure.
    func plan(
        for accounts: Set<StoredAccount>, after cursor: Int64, now: Date, limit: Int, isBusy: (Int64) -> Bool
    ) throws -> QueuePlan {
        func ids(_ condition: String, _ value: SQLiteValue? = nil, _ order: String) throws -> [Int64] {
            var found: [Int64] = []
            for account in accounts {
                let statement = try database.statement(
                    "SELECT id FROM entries WHERE account = ? AND \(condition) ORDER BY \(order)")
                try statement.start([.text(account.text)] + (value.map { [$0] } ?? []))
                defer { statement.reset() }
                var count = 0
                while count < limit, try statement.step() {
                    if isBusy(statement.integer(0)) { continue }
                    found.append(statement.integer(0))
                    count += 1
                }
            }
            return Array(found.sorted().prefix(limit))
        }
        let date = now.timeIntervalSince1970
        var plan = QueuePlan()
        plan.results = try ids("state = 1", nil, "id")
        plan.results += try ids("state = 0 AND expiry IS NOT NULL AND expiry <= ?", .real(date), "expiry")
        plan.heads = try ids("head = 1 AND state = 0 AND id > ?", .integer(cursor), "id")
        if plan.heads.count < limit {
            plan.heads += try ids("head = 1 AND state = 0 AND id <= ?", .integer(cursor), "id")
        }
        for account in accounts {
            let next = try database.statement(
                "SELECT expiry FROM entries WHERE account = ? AND state = 0 AND expiry IS NOT NULL AND expiry > ? "
                    + "ORDER BY expiry LIMIT 1"
            ).first([.text(account.text), .real(date)]) { Date(timeIntervalSince1970: $0.real(0)) }
            plan.expiry = [plan.expiry, next].compactMap { $0 }.min()
        }
        return plan
    }

    /// Marks a call as begun, with the bytes of its body. From now on the server may have received it.
    ///
    /// - Returns: `false` if the entry is gone.
    func begin(_ row: EntryRow, body: Sealed?) throws -> Bool {
        try database.transaction(.write) {
            try database.run(
                "UPDATE entries SET attempts = attempts + 1, reached = 1, folder = ? WHERE id = ?",
                row.folder.map { .text($0) } ?? .null, .integer(row.id))
            if database.changedRows == 0 { return false }
            if let body {
                try database.run("INSERT OR REPLACE INTO bodies VALUES (?, ?)", .integer(row.id), .data(body.bytes))
            }
            return true
        }
    }

    /// Stores what an attempt changed. Removes the bytes of the body if no server can have received them.
    func update(_ row: EntryRow) throws {
        try database.transaction(.write) {
            try database.run(
                """
                UPDATE entries SET state = ?, errors = ?, handled = ?, reached = ?, unreadable = ?, note = ?
                WHERE id = ?
                """,
                .integer(Int64(row.state.rawValue)), .integer(Int64(row.errors)), .integer(Int64(row.handled)),
                .integer(row.reached ? 1 : 0), .integer(row.isUnreadable ? 1 : 0),
                row.note.map { .text($0) } ?? .null, .integer(row.id))
            if !row.reached { try database.run("DELETE FROM bodies WHERE id = ?", .integer(row.id)) }
        }
    }

    /// Stores the answer of an entry. Its body isn't needed anymore.
    func answer(_ row: EntryRow, with answer: Sealed) throws {
        try database.transaction(.write) {
            try database.run(
                "UPDATE entries SET state = 1, handled = 1, note = NULL, folder = ? WHERE id = ?",
                row.folder.map { .text($0) } ?? .null, .integer(row.id))
            if database.changedRows == 0 { return }
            try database.run("INSERT OR REPLACE INTO answers VALUES (?, ?)", .integer(row.id), .data(answer.bytes))
            try database.run("DELETE FROM bodies WHERE id = ?", .integer(row.id))
        }
    }

    /// Removes an entry, and returns it if it was there.
    func remove(_ id: Int64) throws -> EntryRow? {
        try database.statement("DELETE FROM entries WHERE id = ? RETURNING \(EntryRow.columns)")
            .all([.integer(id)]) { EntryRow($0) }.first
    }

    /// Removes the entries of an account, and returns their number and their folders.
    func removeAll(of account: StoredAccount) throws -> (count: Int, folders: [String]) {
        try database.transaction(.write) {
            let folders = try database.statement("SELECT folder FROM entries WHERE account = ? AND folder IS NOT NULL")
                .all([.text(account.text)]) { $0.text(0) }
            try database.run("DELETE FROM entries WHERE account = ?", .text(account.text))
            return (database.changedRows, folders)
        }
    }

    /// Lets entries be tried again that are set aside: one, all, or those that this version of the app may read.
    func revive(_ id: Int64? = nil, unreadableOnly: Bool = false) throws {
        try database.run(
            """
            UPDATE entries
            SET state = (id IN (SELECT id FROM answers)), errors = 0, handled = 0, unreadable = 0, note = NULL
            WHERE state = 2 AND (?1 IS NULL OR id = ?1) AND (?2 = 0 OR unreadable = 1)
            """,
            id.map { .integer($0) } ?? .null, .integer(unreadableOnly ? 1 : 0))
    }

    /// Gives the space of removed entries back to the file system, and removes their bytes from the log.
    func shrink() throws {
        try database.execute("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
