import CSQLite

/// An error of SQLite: the extended result code, the message, and the file.
package struct SQLiteError: Error, Equatable, Sendable {
    /// The extended result code, such as `SQLITE_IOERR_FSYNC`. 0 if the system failed, not SQLite.
    package let code: Int32
    package let message: String
    package let file: String

    package init(code: Int32, message: String, file: String) {
        self.code = code
        self.message = message
        self.file = file
    }

    init(code: Int32, handle: OpaquePointer?, file: String) {
        let message = handle.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        self.init(code: code, message: message.map { String(cString: $0) } ?? "unknown error", file: file)
    }

    /// Returns the error of a damaged file.
    package static func damage(_ message: String, file: String) -> SQLiteError {
        SQLiteError(code: SQLITE_CORRUPT, message: message, file: file)
    }

    /// The result code without its extension, such as `SQLITE_IOERR`.
    package var primaryCode: Int32 { code & 0xff }

    /// Whether another connection holds a lock.
    package var isBusy: Bool { primaryCode == SQLITE_BUSY }

    /// Whether the file is damaged, or isn't a database.
    package var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(primaryCode) }

    /// Whether a statement is wrong, or doesn't fit the tables of the file.
    ///
    /// A cache may treat that as damage. A store with the only copy of its data must not: one wrong statement would
    /// empty a sound file.
    package var isStatementError: Bool { primaryCode == SQLITE_ERROR }

    /// Whether there is no space left, for the file or for the files beside it.
    package var isFull: Bool { primaryCode == SQLITE_FULL || code == Self.logIndexFull }

    /// `SQLITE_IOERR_SHMSIZE`, which Swift doesn't import: the index of the log can't grow.
    private static let logIndexFull = SQLITE_IOERR | 19 << 8
}

extension SQLiteError: CustomStringConvertible {
    package var description: String { "\(file): \(message) (result code \(code) of SQLite)" }
}
