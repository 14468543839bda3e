import CSQLite
import Foundation

// Files that only their owner may read.
extension SQLiteDatabase {
    /// Opens a file for its owner alone, or creates it. Doesn't follow a symbolic link in its place.
    ///
    /// Withdraws the permissions of others on an existing file. SQLite gives its other files the same permissions.
    ///
    /// - Parameters:
    ///   - path: The path of the file. Its folder exists.
    ///   - patience: How long a statement blocks its thread while another connection holds a lock, in milliseconds.
    package static func openPrivate(_ path: String, patience: Int32) throws(SQLiteError) -> SQLiteDatabase {
        let descriptor = Foundation.open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno != EEXIST {
            throw systemError(path)
        }
        // The file isn't opened for this: closing it would end the locks that this process has on it.
        for path in [path, path + "-wal", path + "-shm"] { try restrict(path) }
        return try SQLiteDatabase(file: path, patience: patience)
    }

    /// Withdraws the permissions of others to read or write a file, if it exists.
    private static func restrict(_ path: String) throws(SQLiteError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT != S_IFREG {
            throw SQLiteError(code: 0, message: "\(path) isn't a file, or is a symbolic link", file: path)
        }
        if status.st_mode & 0o077 != 0, chmod(path, 0o600) != 0 { throw systemError(path) }
    }

    private static func systemError(_ path: String) -> SQLiteError {
        SQLiteError(code: errno == ENOSPC ? SQLITE_FULL : 0, message: String(cString: strerror(errno)), file: path)
    }

    /// Switches the file to a write-ahead log. SQLite doesn't wait for other processes that do the same.
    package func useWriteAheadLog() throws(SQLiteError) {
        for _ in 0..<100 {
            do throws(SQLiteError) {
                return try execute("PRAGMA journal_mode = WAL")
            } catch {
                if !error.isBusy { throw error }
                Thread.sleep(forTimeInterval: 0.02)
            }
        }
        try execute("PRAGMA journal_mode = WAL")
    }
}
