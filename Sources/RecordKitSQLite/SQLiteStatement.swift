import CSQLite
package import Foundation

/// A prepared statement of a database, for one caller at a time.
package final class SQLiteStatement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer
    private let file: String

    init(_ sql: String, connection: OpaquePointer, file: String) throws(SQLiteError) {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else {
            throw SQLiteError(code: code, handle: connection, file: file)
        }
        self.handle = handle
        self.connection = connection
        self.file = file
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// The steps of SQLite's machine so far: several for each row that is read, or skipped.
    var steps: Int { Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 0)) }

    /// Runs the statement to its end and ignores its rows.
    package func run(_ values: [SQLiteValue] = []) throws(SQLiteError) {
        defer { finish() }
        try bind(values)
        while try step() {}
    }

    /// Returns the first row as read by `read`, or `nil` if there is none.
    package func first<Value>(_ values: [SQLiteValue] = [], _ read: (SQLiteStatement) throws -> Value) throws -> Value?
    {
        defer { finish() }
        try bind(values)
        return try step() ? read(self) : nil
    }

    /// Returns all rows as read by `read`.
    package func all<Value>(_ values: [SQLiteValue] = [], _ read: (SQLiteStatement) throws -> Value) throws -> [Value] {
        var rows: [Value] = []
        try forEachRow(values) { rows.append(try read($0)) }
        return rows
    }

    package func forEachRow(_ values: [SQLiteValue] = [], _ body: (SQLiteStatement) throws -> Void) throws {
        defer { finish() }
        try bind(values)
        while try step() {
            try body(self)
        }
    }

    /// Binds values for ``step()``. The statement ends when it is released.
    package func start(_ values: [SQLiteValue] = []) throws(SQLiteError) {
        finish()
        try bind(values)
    }

    /// Ends the statement before its last row, so that it keeps no lock.
    package func reset() {
        finish()
    }

    /// Moves to the next row. Returns false at the end.
    package func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw SQLiteError(code: code, handle: connection, file: file)
        }
    }

    package func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    package func real(_ column: Int32) -> Double {
        sqlite3_column_double(handle, column)
    }

    package func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a string, or `nil` for NULL.
    package func optionalText(_ column: Int32) -> String? {
        isNull(column) ? nil : text(column)
    }

    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
    package func isInteger(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_INTEGER }
    package func isText(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_TEXT }

    /// Whether a string contains another one. Compares bytes, and copies nothing.
    package func contains(_ column: Int32, _ part: StaticString) -> Bool {
        guard let start = sqlite3_column_text(handle, column) else { return false }
        return start.withMemoryRebound(to: CChar.self, capacity: 1) { text in
            part.utf8Start.withMemoryRebound(to: CChar.self, capacity: 1) { strstr(text, $0) != nil }
        }
    }

    /// Returns a copy of a string's bytes. Empty for NULL.
    package func utf8(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_text(handle, column) else { return [] }
        return Array(UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// Passes a string's bytes to `body`, without a copy. Empty for NULL.
    package func withUTF8(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Void) {
        let start = sqlite3_column_text(handle, column)
        body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// Returns a copy of the bytes of a BLOB. Empty for NULL.
    package func data(_ column: Int32) -> Data {
        guard let start = sqlite3_column_blob(handle, column) else { return Data() }
        return Data(bytes: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    private func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
        for (index, value) in zip(Int32(1)..., values) {
            let code =
                switch value {
                case .null: sqlite3_bind_null(handle, index)
                case .integer(let integer): sqlite3_bind_int64(handle, index, integer)
                case .real(let real): sqlite3_bind_double(handle, index, real)
                case .text(let text): bind(Array(text.utf8), at: index)
                case .utf8(let bytes): bind(bytes, at: index)
                case .data(let data):
                    data.isEmpty
                        ? sqlite3_bind_zeroblob(handle, index, 0)
                        : data.withUnsafeBytes {
                            sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), transientBytes)
                        }
                }
            guard code == SQLITE_OK else {
                throw SQLiteError(code: code, handle: connection, file: file)
            }
        }
    }

    private func bind(_ bytes: [UInt8], at index: Int32) -> Int32 {
        bytes.withUnsafeBytes { buffer in
            // An empty array may have no address, and a null pointer would bind NULL.
            let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            return start.map {
                sqlite3_bind_text64(handle, index, $0, UInt64(buffer.count), transientBytes, UInt8(SQLITE_UTF8))
            } ?? sqlite3_bind_text(handle, index, "", 0, transientBytes)
        }
    }

    private func finish() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }
}

/// A value for a parameter of a statement.
package enum SQLiteValue: Equatable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    /// A string that is UTF-8 already.
    case utf8([UInt8])
    case data(Data)
}
