import CSQLite
import Foundation

/// A connection to a SQLite file, for one caller at a time. Closes when it is released.
///
/// A long statement ends with `SQLITE_INTERRUPT` soon after its task is cancelled. If another connection holds a lock,
/// a statement ends with `SQLITE_BUSY` after a moment.
package final class SQLiteDatabase {
    package enum Transaction: String {
        /// Sees one state of the file, and does not wait for a writer.
        case read = "BEGIN DEFERRED"
        /// Takes the write lock at once, so that nothing read inside can change before the commit.
        case write = "BEGIN IMMEDIATE"
    }

    package let file: String
    let handle: OpaquePointer
    private var statements: [String: SQLiteStatement] = [:]

    /// The maximum number of prepared statements. Filters make new ones.
    private static let statementLimit = 64

    /// - Parameters:
    ///   - file: The path. Empty for a temporary file, and `:memory:` for none.
    ///   - isImmutable: Whether the file is on a read-only medium, where it cannot change. SQLite then needs no files
    ///     beside it.
    ///   - patience: How long a statement blocks its thread while another connection holds a lock, in milliseconds.
    package init(file: String, isImmutable: Bool = false, patience: Int32 = 50) throws(SQLiteError) {
        var handle: OpaquePointer?
        // No mutex, since there is one caller at a time.
        let access = isImmutable ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let code = sqlite3_open_v2(
            isImmutable ? "\(URL(filePath: file).absoluteString)?immutable=1" : file, &handle,
            access | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let handle else {
            let error = SQLiteError(code: code, handle: handle, file: file)
            sqlite3_close_v2(handle)
            throw error
        }
        self.file = file
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, patience)
        sqlite3_progress_handler(handle, 10_000, { _ in Task.isCancelled ? 1 : 0 }, nil)
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Prepares a statement, or returns the one prepared before.
    package func statement(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        if let statement = statements[sql] { return statement }
        let statement = try SQLiteStatement(sql, connection: handle, file: file)
        if statements.count >= Self.statementLimit { statements.removeAll() }
        statements[sql] = statement
        return statement
    }

    /// Adds a function to SQL that turns a string into another one. The same string must always give the same result.
    /// NULL stays NULL.
    package func add(_ name: String, _ function: @escaping @Sendable ([UInt8]) -> String) throws(SQLiteError) {
        let code = sqlite3_create_function_v2(
            handle, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
            Unmanaged.passRetained(SQLFunction(body: function)).toOpaque(),
            { context, _, values in
                guard let value = values?[0], let start = sqlite3_value_text(value) else { return }
                let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
                let function = Unmanaged<SQLFunction>.fromOpaque(sqlite3_user_data(context)).takeUnretainedValue()
                let result = function.body(Array(bytes))
                sqlite3_result_text(context, result, Int32(clamping: result.utf8.count), transientBytes)
            }, nil, nil, { Unmanaged<SQLFunction>.fromOpaque($0!).release() })
        guard code == SQLITE_OK else { throw SQLiteError(code: code, handle: handle, file: file) }
    }

    /// The number of rows that the latest statement changed.
    package var changedRows: Int { Int(sqlite3_changes(handle)) }

    /// The `rowid` of the latest row that was inserted.
    package var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// The steps that all prepared statements have taken, for tests: unlike times, they are the same in each run.
    package var steps: Int { statements.values.reduce(0) { $0 + $1.steps } }

    /// Runs statements without values, such as a schema.
    package func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else {
            throw SQLiteError(code: code, handle: handle, file: file)
        }
    }

    /// Runs a statement, and ignores its rows.
    package func run(_ sql: String, _ values: SQLiteValue...) throws(SQLiteError) {
        try statement(sql).run(values)
    }

    /// Runs `body` in a transaction. Commits all of its changes, or none if it throws.
    package func transaction<Value>(_ kind: Transaction, _ body: () throws -> Value) throws -> Value {
        try statement(kind.rawValue).run()
        do {
            let value = try body()
            try statement("COMMIT").run()
            return value
        } catch {
            // Some errors, such as a full disk, have rolled back already.
            if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
            throw error
        }
    }
}

// The database as a whole.
extension SQLiteDatabase {
    /// Whether this copy of SQLite was compiled with an option, such as `ENABLE_FTS5`.
    package static func has(option: String) -> Bool { sqlite3_compileoption_used(option) != 0 }

    /// Empties the file in place, even if it is damaged. Other processes may have it open.
    package func reset() throws(SQLiteError) {
        statements.removeAll()
        recordkit_sqlite3_set_reset(handle, 1)
        defer { recordkit_sqlite3_set_reset(handle, 0) }
        try execute("VACUUM")
    }

    /// Checks every page.
    ///
    /// - Parameter indexes: Whether to compare each index with its table, too. That takes several times as long.
    /// - Throws: `SQLITE_CORRUPT` with the first fault, if there is one.
    package func check(indexes: Bool = true) throws {
        let found = try statement("PRAGMA \(indexes ? "integrity" : "quick")_check(1)").first { $0.text(0) }
        guard found == "ok" else { throw SQLiteError.damage(found ?? "no result", file: file) }
    }

    /// Replaces the contents of another database with those of this one, in one transaction. Connections that have it
    /// open then see the new contents.
    ///
    /// - Parameter body: Runs once the other database is locked for writers, before it changes. If it throws, the other
    ///   database stays as it is.
    /// - Throws: `SQLITE_BUSY` if another connection is writing to it.
    package func replace(_ other: SQLiteDatabase, whenLocked body: () throws -> Void = {}) throws {
        guard let backup = sqlite3_backup_init(other.handle, "main", handle, "main") else {
            throw SQLiteError(code: sqlite3_extended_errcode(other.handle), handle: other.handle, file: other.file)
        }
        do {
            // The first page takes the lock, which is held until the last one.
            for (index, pages) in [Int32(1), -1].enumerated() {
                let code = sqlite3_backup_step(backup, pages)
                guard [SQLITE_OK, SQLITE_DONE].contains(code) else {
                    throw SQLiteError(code: code, handle: nil, file: other.file)
                }
                if index == 0 { try body() }
            }
        } catch {
            sqlite3_backup_finish(backup)
            throw error
        }
        let code = sqlite3_backup_finish(backup)
        guard code == SQLITE_OK else { throw SQLiteError(code: code, handle: other.handle, file: other.file) }
    }
}

/// A function of SQL, as C holds it.
private final class SQLFunction: Sendable {
    let body: @Sendable ([UInt8]) -> String

    init(body: @escaping @Sendable ([UInt8]) -> String) {
        self.body = body
    }
}

/// `SQLITE_TRANSIENT`, which C defines as a macro with a cast. SQLite copies the bytes before it returns.
var transientBytes: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
