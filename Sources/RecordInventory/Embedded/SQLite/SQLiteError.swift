import CSQLite

/// What SQLite refused: its extended result code, its own words, and the file it happened in.
struct SQLiteError: Error, Equatable, Sendable {
    /// The extended result code, such as `SQLITE_IOERR_FSYNC`.
    let code: Int32
    let message: String
    let file: String

    /// The result code without its extension, such as `SQLITE_IOERR`.
    var primaryCode: Int32 { code & 0xff }
}

extension SQLiteError {
    init(code: Int32, handle: OpaquePointer?, file: String) {
        let message = handle.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        self.init(code: code, message: message.map { String(cString: $0) } ?? "unknown error", file: file)
    }
}

extension SQLiteError: CustomStringConvertible {
    var description: String { "SQLite error \(code) in \(file): \(message)" }
}
