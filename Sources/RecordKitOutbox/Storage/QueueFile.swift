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
            account TEXT NOT NULL, added REAL NOT NULL, expiry REAL, folder TEXT NOT NULL, size INTEGER NOT NULL,
            head INTEGER NOT NULL DEFAULT 0, -- whether it is the first of its lane that isn't set aside
            answered INTEGER NOT NULL DEFAULT 0, -- whether it has its result
            aside INTEGER NOT NULL DEFAULT 0, -- 1 if it is set aside, 2 until the next start
            attempts INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,
            reached INTEGER NOT NULL DEFAULT 0, note TEXT, request BLOB NOT NULL,
            content BLOB -- the answer if it has one, or else the body that was sent
        );
        CREATE TABLE totals (
            account TEXT PRIMARY KEY, waiting INTEGER NOT NULL, aside INTEGER NOT NULL, bytes INTEGER NOT NULL)
            WITHOUT ROWID;
        CREATE UNIQUE INDEX keys ON entries (account, key);
        CREATE INDEX lanes ON entries (account, lane, id) WHERE aside = 0;
        CREATE INDEX heads ON entries (account, attempts, id) WHERE head = 1 AND answered = 0;
        CREATE INDEX answers ON entries (account, id) WHERE answered = 1 AND aside = 0;
        CREATE INDEX expiries ON entries (account, expiry) WHERE answered = 0 AND aside = 0 AND expiry IS NOT NULL;
        CREATE INDEX asides ON entries (id) WHERE aside > 0;
        CREATE TRIGGER added AFTER INSERT ON entries BEGIN
            UPDATE entries SET head = 1 WHERE id = new.id AND aside = 0 AND NOT EXISTS (
                SELECT 1 FROM entries WHERE account = new.account AND lane = new.lane AND aside = 0 AND id != new.id);
            INSERT OR IGNORE INTO totals VALUES (new.account, 0, 0, 0);
            UPDATE totals SET waiting = waiting + (new.aside = 0), aside = aside + (new.aside > 0),
                bytes = bytes + new.size WHERE account = new.account;
        END;
        CREATE TRIGGER changed AFTER UPDATE OF aside ON entries WHEN (new.aside = 0) != (old.aside = 0) BEGIN
            UPDATE entries SET head = (new.aside = 0 AND NOT EXISTS (
                SELECT 1 FROM entries WHERE account = new.account AND lane = new.lane AND aside = 0 AND id != new.id))
                WHERE id = new.id;
            UPDATE entries SET head = 1 WHERE old.head = 1 AND id = (
                SELECT id FROM entries WHERE account = new.account AND lane = new.lane AND aside = 0
                ORDER BY id LIMIT 1);
            UPDATE totals SET waiting = waiting + (new.aside = 0) - (old.aside = 0),
                aside = aside + (new.aside > 0) - (old.aside > 0) WHERE account = new.account;
        END;
        CREATE TRIGGER removed AFTER DELETE ON entries BEGIN
            UPDATE entries SET head = 1 WHERE old.head = 1 AND id = (
                SELECT id FROM entries WHERE account = old.account AND lane = old.lane AND aside = 0
                ORDER BY id LIMIT 1);
            UPDATE totals SET waiting = waiting - (old.aside = 0), aside = aside - (old.aside > 0),
                bytes = bytes - old.size WHERE account = old.account;
            DELETE FROM totals WHERE account = old.account AND waiting = 0 AND aside = 0;
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

    /// Returns the stored bytes of the answer of an entry, or else of its body.
    func content(of id: Int64) throws -> Data? {
        try database.statement("SELECT content FROM entries WHERE id = ? AND content IS NOT NULL")
            .first([.integer(id)]) { $0.data(0) }
    }

    func counts(of accounts: Set<String>) throws -> OutboxStatus {
        try accounts.reduce(into: OutboxStatus()) { status, account in
            try database.statement("SELECT waiting, aside FROM totals WHERE account = ?").forEachRow([.text(account)]) {
                status.waiting += Int($0.integer(0))
                status.setAside += Int($0.integer(1))
            }
        }
    }

    /// Removes an entry. Returns the name of its folder if it was there.
    func remove(_ id: Int64) throws -> String? {
        try database.statement("DELETE FROM entries WHERE id = ? RETURNING folder")
            .all([.integer(id)]) { $0.text(0) }.first
    }

    /// Removes the entries of an account. Returns the names of their folders.
    func removeAll(of account: String) throws -> [String] {
        try database.statement("DELETE FROM entries WHERE account = ? RETURNING folder")
            .all([.text(account)]) { $0.text(0) }
    }

    /// Gives the space of removed entries back to the file system, and removes their bytes from the log.
    func shrink() throws {
        try database.execute("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)")
    }
}

/// What is to be done next.
struct QueuePlan: Sendable {
    struct Due: Sendable {
        let id: Int64
        let account: String
        let attempts: Int64
    }

    /// Entries that have their result, or whose expiry has passed.
    var results: [Due] = []
    /// The heads of lanes to send. Those with the fewest attempts come first, so that one that fails holds up no other.
    var heads: [Due] = []
    /// The next expiry.
    var expiry: Date?
}

// Sending.
extension QueueFile {
    /// Returns what to do next.
    ///
    /// - Parameters:
    ///   - accounts: The accounts whose entries are sent.
    ///   - now: The date for expiries.
    ///   - limit: The maximum number of heads and of results of each account.
    ///   - isBusy: Whether an entry is being sent, or waits after a failure.
    func plan(for accounts: Set<String>, now: Date, limit: Int, isBusy: (Int64) -> Bool) throws -> QueuePlan {
        func due(_ account: String, _ condition: String, _ values: SQLiteValue...) throws -> [QueuePlan.Due] {
            let statement = try database.statement(
                "SELECT id, attempts FROM entries WHERE account = ? AND \(condition)")
            try statement.start([.text(account)] + values)
            defer { statement.reset() }
            var found: [QueuePlan.Due] = []
            while found.count < limit, try statement.step() {
                let next = QueuePlan.Due(id: statement.integer(0), account: account, attempts: statement.integer(1))
                if !isBusy(next.id) { found.append(next) }
            }
            return found
        }
        let date = SQLiteValue.real(now.timeIntervalSince1970)
        var plan = QueuePlan()
        for account in accounts {
            plan.results += try due(account, "answered = 1 AND aside = 0 ORDER BY id")
            plan.results += try due(account, "answered = 0 AND aside = 0 AND expiry <= ? ORDER BY expiry", date)
            plan.heads += try due(account, "head = 1 AND answered = 0 ORDER BY attempts, id")
            let next = try database.statement(
                "SELECT min(expiry) FROM entries WHERE account = ? AND answered = 0 AND aside = 0 AND expiry > ?"
            ).first([.text(account), date]) { $0.isNull(0) ? nil : Date(timeIntervalSince1970: $0.real(0)) }
            plan.expiry = [plan.expiry, next ?? nil].compactMap { $0 }.min()
        }
        plan.heads.sort { ($0.attempts, $0.id) < ($1.attempts, $1.id) }
        return plan
    }

    /// Marks a call as begun, with the bytes of its body. From now on the server may have received it.
    ///
    /// - Returns: The entry, or `nil` if it is gone.
    func begin(_ id: Int64, body: Data) throws -> EntryRow? {
        try change(id, "attempts = attempts + 1, reached = 1, content = ?2", .data(body))
    }

    /// Marks that no server can have received the entry. Its body is encoded anew the next time.
    func markAsUnsent(_ id: Int64) throws {
        try database.run("UPDATE entries SET reached = 0, content = NULL WHERE id = ?", .integer(id))
    }

    /// Stores the answer of an entry in place of its body, and counts the handler that is called now.
    ///
    /// - Parameter answer: The bytes, or `nil` if they are in a file.
    /// - Returns: The entry, or `nil` if it is gone.
    func answer(_ id: Int64, with answer: Data?) throws -> EntryRow? {
        try change(id, "answered = 1, failures = 1, note = NULL, content = ?2", answer.map { .data($0) } ?? .null)
    }

    private func change(_ id: Int64, _ changes: String, _ value: SQLiteValue) throws -> EntryRow? {
        try database.statement("UPDATE entries SET \(changes) WHERE id = ?1 RETURNING \(EntryRow.columns)")
            .all([.integer(id), value]) { EntryRow($0) }.first
    }

    /// Counts failures, and sets the entry aside if there are as many as the limit. Returns their number.
    func count(_ failures: Int64, of id: Int64, _ note: String, limit: Int) throws -> Int {
        try database.statement(
            """
            UPDATE entries SET failures = failures + ?2, aside = (failures + ?2 >= ?3), note = ?4 WHERE id = ?1
            RETURNING failures
            """
        ).all([.integer(id), .integer(failures), .integer(Int64(limit)), .text(note)]) { Int($0.integer(0)) }.first ?? 0
    }

    /// Sets aside an entry until the next start, since the next version of the app may be able to send it.
    func setAside(_ id: Int64, _ note: String) throws {
        try database.run("UPDATE entries SET aside = 2, note = ? WHERE id = ?", .text(note), .integer(id))
    }

    /// Lets entries be tried again that are set aside: one, or all.
    func revive(_ id: Int64?) throws {
        try database.run(
            "UPDATE entries SET aside = 0, failures = 0, note = NULL WHERE aside > 0 AND (?1 IS NULL OR id = ?1)",
            id.map { .integer($0) } ?? .null)
    }

    /// Lets entries be tried again that were set aside until the next start.
    func reviveUnreadable() throws {
        try database.run("UPDATE entries SET aside = 0, failures = 0, note = NULL WHERE aside = 2")
    }
}
