import CSQLite
import Foundation

/// A connection to a SQLite file, for one caller at a time. Closes when it is released.
final class Database {
    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]

    /// A value for a parameter of a statement.
    enum Value {
        case integer(Int64)
        case real(Double)
        case text(String)
        case data(Data)
    }

    /// An error of SQLite.
    struct Failure: Error {
        let code: Int32
        let message: String

        /// Whether another process holds a lock.
        var isBusy: Bool { code & 0xff == SQLITE_BUSY }

        /// Whether the file is damaged, or isn't a database, or has other tables: the statements are always the same.
        var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR].contains(code & 0xff) }
    }

    /// Opens a file, or creates it.
    init(file: String) throws(Failure) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(file, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(handle)
            throw Failure(code: code, message: message)
        }
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
        // Other processes write for some milliseconds at a time.
        sqlite3_busy_timeout(handle, 5000)
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// Runs statements without parameters.
    func execute(_ sql: String) throws(Failure) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw failure(code) }
    }

    /// Runs a statement, and returns what `read` returns for its rows.
    @discardableResult
    func rows<Row>(_ sql: String, _ values: [Value] = [], _ read: (Row.Type, Columns) -> Row) throws(Failure) -> [Row] {
        let statement = try statement(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in zip(Int32(1)..., values) { try bind(value, at: index, of: statement) }
        var rows: [Row] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append(read(Row.self, Columns(statement: statement)))
            case SQLITE_DONE: return rows
            case let code: throw failure(code)
            }
        }
    }

    /// Runs a statement, and ignores its rows.
    func run(_ sql: String, _ values: Value...) throws(Failure) {
        try rows(sql, values) { (_: Void.Type, _) in }
    }

    /// Runs `body` in a transaction that writes. Commits all of its changes, or none if it throws.
    func write(_ body: () throws(Failure) -> Void) throws(Failure) {
        try run("BEGIN IMMEDIATE")
        do throws(Failure) {
            try body()
            try run("COMMIT")
        } catch {
            // Some errors, such as a full disk, have rolled back already.
            if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
            throw error
        }
    }

    /// Empties the file in place, even if it is damaged. Other processes may have it open.
    func reset() throws(Failure) {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
        recordkit_sqlite3_set_reset(handle, 1)
        defer { recordkit_sqlite3_set_reset(handle, 0) }
        try execute("VACUUM")
    }

    private func statement(_ sql: String) throws(Failure) -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure(code) }
        statements[sql] = statement
        return statement
    }

    private func bind(_ value: Value, at index: Int32, of statement: OpaquePointer) throws(Failure) {
        // SQLITE_TRANSIENT, which C defines as a macro with a cast. SQLite copies the bytes before it returns.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let code =
            switch value {
            case .integer(let integer): sqlite3_bind_int64(statement, index, integer)
            case .real(let real): sqlite3_bind_double(statement, index, real)
            case .text(let text): sqlite3_bind_text(statement, index, text, -1, transient)
            case .data(let data):
                data.isEmpty
                    ? sqlite3_bind_zeroblob(statement, index, 0)
                    : data.withUnsafeBytes {
                        sqlite3_bind_blob64(statement, index, $0.baseAddress, UInt64($0.count), transient)
                    }
            }
        if code != SQLITE_OK { throw failure(code) }
    }

    private func failure(_ code: Int32) -> Failure {
        Failure(code: code, message: String(cString: sqlite3_errmsg(handle)))
    }

    /// The columns of a row.
    struct Columns {
        fileprivate let statement: OpaquePointer

        func integer(_ index: Int32) -> Int64 { sqlite3_column_int64(statement, index) }

        func real(_ index: Int32) -> Double { sqlite3_column_double(statement, index) }

        func data(_ index: Int32) -> Data {
            guard let start = sqlite3_column_blob(statement, index) else { return Data() }
            return Data(bytes: start, count: Int(sqlite3_column_bytes(statement, index)))
        }
    }
}
